"""What to run, and what came out: the input and the summary of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from toolplanner_core.domain.ids import ROOT, ApiId, NodePath, RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.options.option import option
from toolplanner_core.prompts.question import Role
from toolplanner_core.strategies.interface.strategy import DEFAULT_STRATEGY

T = TypeVar("T")


def _at_most(default: T, title: str, explanation: str = "") -> T:
    said = explanation or f"{title} at most."
    return option(default, said, title=title, minimum=0, none_means="no limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Budget of a run; the call that would exceed one is not made."""

    max_model_calls: int | None = _at_most(200, "Model calls")
    max_api_calls: int | None = _at_most(100, "API calls")
    max_tokens: int | None = _at_most(None, "Tokens", "Tokens of models at most.")
    max_seconds: float | None = _at_most(600.0, "Seconds")
    max_cost: float | None = _at_most(
        None, "US dollars", "US dollars for models at most; their prices must be known."
    )


Messages: TypeAlias = Mapping[int, str] | Sequence[Mapping[str, Any]]
"""Edited messages of a question: texts by number from 1 on, others as they were; or all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkEdit:
    """What to change at one call or question of a fork.

    Attributes:
        at: the call or question, or a node above it; "" = the next one.
        arguments: of a call, to set; a value of None takes one away. Others stay as they are.
        api: another API to call.
        messages: of a question.
        answer: in the place of the model's: a JSON object, in a dialogue {"text", "calls"}.
    """

    at: NodePath = ROOT
    arguments: Mapping[str, Any] | None = None
    api: ApiId | None = None
    messages: Messages | None = None
    answer: Any = None

    @property
    def is_of_question(self) -> bool:
        """Whether a question is meant, not a call."""
        return self.messages is not None or self.answer is not None

    def is_for(self, path: NodePath) -> bool:
        """Whether a place is the one that is meant."""
        return not self.at or path == self.at or path.startswith(f"{self.at}/")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkPoint:
    """Where a run leaves another one; made by `fork.py`.

    Attributes:
        parent: its first `seq` events are this run's own, read through it.
        at: the node where it begins to differ, "" if only a number was given.
        reason: "fork" or "go on" (after a crash).
        edit: what is changed at one call or question.
        changes: all that was changed, for people.
    """

    parent: RunId
    seq: int
    at: NodePath = ROOT
    reason: str = "fork"
    edit: ForkEdit | None = None
    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """A query and how to run it.

    Attributes:
        model: "offline" or "openai:NAME"; it acts, and does what no other is named for.
        roles: models of other roles, by `prompts.question.Role`: planning, judging.
        provider: id of a provider, or "auto": each source's own.
        options: fields of the strategy's options class that differ from the defaults.
        fork: set when the run goes on from another one.
        faults: what to inject at the gate, see `faults.py` for how it is written.
        judge: have a model say afterwards what it makes of the answer.
        candidates: the only APIs that the strategy may see; () = the whole catalogue.
    """

    query: str
    strategy: str = DEFAULT_STRATEGY
    model: str = "offline"
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    provider: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    provider_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    limits: Limits = Limits()
    seed: int = 0
    fork: ForkPoint | None = None
    faults: tuple[str, ...] = ()
    judge: bool = False
    candidates: tuple[ApiId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """Totals of a run, a fold of its events; the JSON of `toolplanner run`.

    Attributes:
        parent_run: the run it was forked from, None if it began by itself.
        is_imported: whether it ran elsewhere and came in as a file.
        models: the model of each role, planning, acting and judging, as it was named.
        counts: what the strategy counts by names of its own, fallbacks and replans among them.
        case: id of the case that it was made for, "" = none; known in lists only.
        label, note, is_starred: what a person says of it.
        outcome: a `domain.outcome.RunOutcome`; "" while it goes on, and of earlier programs.
        checked: what the replies say of the answer, see `runs/judging/evidence.py`.
        verdicts: what the strategy's own judge, an expectation, a model or a person said of it.
        judged: what was said of it afterwards, in words: what counts of that; "" if nothing.
        estimated_tokens: those of `tokens` that no endpoint has counted.
        cost: US dollars for all replies of models, a fork's prefix included as in all totals;
            None = unknown.
    """

    run: RunId
    query: str
    strategy: str
    model: str
    provider: str
    status: Status
    answer: str
    reason: str = ""
    model_calls: int = 0
    repeated_model_calls: int = 0
    api_calls: int = 0
    failed_calls: int = 0
    failed_by_you: int = 0
    failed_by_fault: int = 0
    fallbacks: int = 0
    replans: int = 0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    tokens: int = 0
    estimated_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    started_us: int = 0
    outcome: str = ""
    checked: Mapping[str, Any] = field(default_factory=dict[str, Any])
    verdicts: tuple[Mapping[str, Any], ...] = ()
    judged: str = ""
    parent_run: RunId | None = None
    is_imported: bool = False
    label: str = ""
    note: str = ""
    is_starred: bool = False
    case: str = ""
    models: Mapping[str, str] = field(default_factory=dict[str, str])


def roles_from(options: Mapping[str, Any]) -> dict[str, str]:
    """The models of roles as they stand in a log or a case; until version 0.2 there was only one
    for planning."""
    roles: dict[str, str] = dict(options.get("roles") or {})
    former = options.get("planning_model")
    return roles or ({"planning": former} if former else {})


def candidates_from(options: Mapping[str, Any]) -> tuple[ApiId, ...]:
    """The candidates of a task as they stand in a log or a case."""
    return tuple(ApiId(str(api)) for api in options.get("candidates") or ())


def models_by_role(acting: str, options: Mapping[str, Any]) -> dict[str, str]:
    """The model of each role as it is named in the options of a run or case."""
    given: Any = options.get("roles")
    named = roles_from(options) if given is None or isinstance(given, Mapping) else {}
    return {str(role): str(named.get(role) or acting) for role in Role}
