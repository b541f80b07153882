"""A case: a saved query and what its run must show; `toolplanner cases run` checks it.

The first cases are modelled on the six of Tool-Planner's appendix K (arXiv 2406.03807). Cases are
stored by `workspace/cases.py`; the checking of a run against an `Expectation` lives in `runs/`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.failure import ErrorClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What a run must show. A field that is empty or None demands nothing.

    Attributes:
        status: a `domain.plan.Status`, such as "solved" or "unsolved".
        answer_contains: each text occurs in the final answer, ignoring case.
        answer_any_of: at least one of these texts occurs in the final answer, ignoring case.
        toolkits: names of toolkits of which an API answered (a call that was ok), in any order.
        toolkits_in_order: names of toolkits whose first successful calls came in this order.
        avoided_toolkits: names of toolkits none of whose APIs was called.
        min_fallbacks, max_fallbacks: bounds of the number of fallbacks inside toolkits.
        min_replans, max_replans: bounds of the number of replans.
        min_api_calls, max_api_calls: bounds of the number of calls that were made.
        failed_apis: keys of APIs (`Api.key`) of which at least one call failed.
        succeeded_apis: keys of APIs of which at least one call was ok.
        failed_then_ok: one toolkit shows at least this many failed calls and then one that is ok.
        error_classes: each occurs among the failures of the run.
        exhausted_toolkits: names of toolkits that were recorded as exhausted.
        parallel: True: at least two steps of one plan were open at the same time.
        data_flow: True: at least one call took an argument from an earlier step's result.
        causes_point_at_failures: every fallback and every replan has a cause, and the event it
            points at is a failed call, a failed attempt or an exhausted toolkit. On by default.
        kept_steps: at least this many steps were taken over by a later plan.
        reason_given: True: the run says in words why it is unsolved.
    """

    status: str = ""
    answer_contains: tuple[str, ...] = ()
    answer_any_of: tuple[str, ...] = ()
    toolkits: tuple[str, ...] = ()
    toolkits_in_order: tuple[str, ...] = ()
    avoided_toolkits: tuple[str, ...] = ()
    min_fallbacks: int | None = None
    max_fallbacks: int | None = None
    min_replans: int | None = None
    max_replans: int | None = None
    min_api_calls: int | None = None
    max_api_calls: int | None = None
    failed_apis: tuple[str, ...] = ()
    succeeded_apis: tuple[str, ...] = ()
    failed_then_ok: int | None = None
    error_classes: tuple[ErrorClass, ...] = ()
    exhausted_toolkits: tuple[str, ...] = ()
    parallel: bool = False
    data_flow: bool = False
    causes_point_at_failures: bool = True
    kept_steps: int | None = None
    reason_given: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A saved query.

    Attributes:
        id: short name, such as "fallback-in-toolkit".
        title: for people.
        options: fields of `runs.spec.RunSpec` that differ from its defaults, such as
            {"strategy": "tool-planner", "model": "offline", "provider": "demo", "seed": 1,
            "options": {...}, "provider_options": {...}, "limits": {...}}.
    """

    id: str
    title: str
    query: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    expected: Expectation = Expectation()
