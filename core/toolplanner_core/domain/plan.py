"""Tasks, plans over toolkits, and answers."""

from dataclasses import dataclass, field
from enum import StrEnum

from toolplanner_core.domain.ids import ApiId, ToolkitId


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a run is asked to do. Gold labels are not part of it, so no strategy can look at
    them."""

    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a plan: a goal, and the toolkit or the API that shall reach it.

    Attributes:
        number: 1-based position in its plan.
        goal: the need in words.
        toolkit: None in plans over single APIs.
        needs: numbers of earlier steps whose results this one uses; empty = independent.
        api: the API to call; in plans over toolkits only when the query itself names one.
    """

    number: int
    goal: str
    toolkit: ToolkitId | None = None
    needs: tuple[int, ...] = ()
    api: ApiId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Steps in order; `needs` makes it a DAG (Source: LLMCompiler, arXiv 2312.04511).

    Attributes:
        unmet: needs of the query that no offered toolkit can serve, in words; the answer names
            them, and a run with such a need is not solved.
        mended: what had to be put right in the answer that brought it, in words.
    """

    steps: tuple[Step, ...]
    unmet: tuple[str, ...] = ()
    mended: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRef:
    """An argument bound to a part of an earlier step's result, structurally.

    JSON form: ``{"$result": {"step": 1, "path": ["places", 0, "latitude"]}}``.
    """

    step: int
    path: tuple[str | int, ...]


class Status(StrEnum):
    """How a run stands, or what it is shown as when it has ended (`domain/outcome.py`)."""

    RUNNING = "running"
    SOLVED = "solved"
    ANSWERED = "answered"
    """It answered, and nobody has checked whether that is right."""
    CONTRADICTED = "contradicted"
    """A verdict and the evidence say the opposite of its answer."""
    UNSOLVED = "unsolved"
    SERVED = "served"
    """It did what an agent outside asked for, call by call; there was no query to be solved."""
    NOTHING_SERVED = "nothing_served"
    """An agent outside asked for calls, and none of them brought a reply that holds."""
    OVER_BUDGET = "over_budget"
    NOT_MEASURED = "not_measured"
    """It has no answer, and a question got no reply for a fault of the endpoint, or since the day's
    budget was used up: that says nothing about its strategy."""
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    ERROR = "error"


NOT_REFUTED = (Status.SOLVED, Status.ANSWERED)
"""Runs with an answer that nothing speaks against: ways to learn from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryNeed:
    """Something that the query asks for.

    Attributes:
        text: in words.
        met_by: events of the results that met it; none = it is left open.
    """

    text: str
    met_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a strategy hands back. `reason` says why when not solved.

    `solved` is its claim that this is an answer; whether it is right is said by evidence and
    verdicts.

    Attributes:
        needs: of the query, by strategies that know them; without them the query is one need, met
            by what was called.
        needs_no_call: the query can be answered without any call, and who answered says so.
        is_about_apis: the query only says which APIs are meant, so that none of its values has to
            reach a call.
        is_served: there was no query: an agent outside asked for calls, and got their replies;
            `solved` is then False where all that it asked for failed.
    """

    text: str
    solved: bool
    reason: str = ""
    needs: tuple[QueryNeed, ...] = ()
    needs_no_call: bool = False
    is_about_apis: bool = False
    is_served: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether an answer solves its task, said by somebody else than who gave it."""

    solved: bool
    reason: str
