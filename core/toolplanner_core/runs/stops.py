"""A stop: the place in a run where a person may look and decide, and what was decided.

Callers: the stages and the scope make stops; `debugger.py` holds at them; window and terminal show
them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId, NodePath


class StopPoint(StrEnum):
    """Where a run can be held."""

    BEFORE_QUESTION = "before_question"
    AFTER_QUESTION = "after_question"
    BEFORE_CALL = "before_call"
    AFTER_CALL = "after_call"
    BEFORE_FALLBACK = "before_fallback"
    BEFORE_REPLAN = "before_replan"
    TOOLKIT_EXHAUSTED = "toolkit_exhausted"
    PLAN_FAILED = "plan_failed"


STEPPED = frozenset(StopPoint) - {StopPoint.TOOLKIT_EXHAUSTED, StopPoint.PLAN_FAILED}
"""Stop points of stepping; the others are there for breakpoints on failures only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A place at which the run may be held.

    Attributes:
        node: the plan node around it: what "step over" leaves.
        kind: "call", "question", "fallback", "replan" or "plan".
        cause: the event that led here.
        arguments: of a call; data: reply of a model; value: result of a call.
        candidates: what a fallback chooses from: [{"api", "title", "score", "parts"}].
        messages: of a question, as they are sent: [{"role", "content"}]; schema: of its answer.
    """

    point: StopPoint
    path: NodePath
    node: NodePath
    kind: str
    title: str
    cause: int | None = None
    toolkit: str = ""
    api: Api | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    question: str = ""
    data: Any = None
    value: Any = None
    error: ErrorClass | None = None
    message: str = ""
    candidates: Sequence[Mapping[str, Any]] = ()
    messages: Sequence[Mapping[str, str]] = ()
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def risk(self) -> str:
        """Of the API, "" without one."""
        return self.api.risk if self.api else ""

    @property
    def api_names(self) -> tuple[str, ...]:
        """All names a breakpoint may know the API by."""
        api = self.api
        return (api.name, api.title, api.tool, api.key, api.id) if api else ()

    def fields(self) -> dict[str, Any]:
        """What conditions and log points may look at."""
        return {
            "point": str(self.point),
            "path": self.path,
            "kind": self.kind,
            "title": self.title,
            "toolkit": self.toolkit,
            "api": self.api.name if self.api else None,
            "tool": self.api.tool if self.api else None,
            "risk": self.risk,
            "arguments": self.arguments,
            "question": self.question,
            "data": self.data,
            "value": self.value,
            "error": self.error,
            "message": self.message,
        }


STOP_FIELDS = frozenset(
    Stop(
        point=StopPoint.BEFORE_CALL, path=NodePath(""), node=NodePath(""), kind="", title=""
    ).fields()
)
"""What conditions and log points may name."""


class Choice(StrEnum):
    """What a person may do at a stop, besides going on."""

    EDIT = "edit"
    ANSWER = "answer"
    FAIL = "fail"
    SKIP = "skip"
    FALLBACK = "fallback"
    GIVE_UP = "give_up"


ALLOWED: dict[StopPoint, frozenset[Choice]] = {
    StopPoint.BEFORE_CALL: frozenset(
        {Choice.EDIT, Choice.ANSWER, Choice.FAIL, Choice.SKIP, Choice.GIVE_UP}
    ),
    StopPoint.AFTER_CALL: frozenset({Choice.ANSWER, Choice.FAIL, Choice.GIVE_UP}),
    StopPoint.BEFORE_QUESTION: frozenset({Choice.ANSWER, Choice.FAIL, Choice.GIVE_UP}),
    StopPoint.AFTER_QUESTION: frozenset({Choice.ANSWER, Choice.GIVE_UP}),
    StopPoint.BEFORE_FALLBACK: frozenset({Choice.FALLBACK, Choice.SKIP, Choice.GIVE_UP}),
    StopPoint.TOOLKIT_EXHAUSTED: frozenset({Choice.FALLBACK, Choice.GIVE_UP}),
}
"""At all others a person can only give up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopDecision:
    """What a person wants instead.

    Attributes:
        arguments: with "edit": all arguments of the call.
        api: with "edit" and "fallback": the API to call.
        value: with "answer": the result of the call, or the answer of the model (a JSON object).
        error: with "fail": its class.
    """

    choice: Choice
    arguments: Mapping[str, Any] | None = None
    api: ApiId | None = None
    value: Any = None
    error: ErrorClass | None = None

    def to_json(self) -> dict[str, Any]:
        """What is set, for the log."""
        found = {
            "arguments": dict(self.arguments) if self.arguments is not None else None,
            "api": self.api,
            "error": self.error,
        }
        out = {name: item for name, item in found.items() if item is not None}
        return {**out, "value": self.value} if self.choice is Choice.ANSWER else out


def decision_from_json(choice: str, data: Mapping[str, Any]) -> StopDecision:
    """As it was logged."""
    error = data.get("error")
    return StopDecision(
        choice=Choice(choice),
        arguments=data.get("arguments"),
        api=data.get("api"),
        value=data.get("value"),
        error=ErrorClass(error) if error else None,
    )


def all_fit(decision: StopDecision) -> str:
    """The check of stops at which nothing can be wrong."""
    del decision
    return ""
