"""A stop: a moment in a run at which a person may look and decide, and what was decided.

Where runs can be held is declared in `domain/stop_points.py` and beside each strategy.

A held run goes on to one of these:

step into   the next stop point at any depth
step over   the next one outside the node around this one; in the run itself, where that would be
            none, outside the question or call
step out    the next one outside that node's parent
run to      the next one at or below a node"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ROOT, ApiId, NodePath, parent_of
from toolplanner_core.domain.plain_data import from_plain, without_defaults
from toolplanner_core.domain.stop_points import BEFORE_CALL, Alternative, Choice, StopPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A place at which the run may be held.

    Attributes:
        node: the node around it: what "step over" leaves; `is_unit`: with all below that node.
        cause: the event that led here.
        arguments: of a call; data: reply of a model; value: result of a call.
        message: why a call failed; of one that asks for leave, what would be sent to whom.
        rest: of what would be sent, headers and body.
        warning: what a person should know before anything else, "" for nothing.
        alternatives: what a choice is made from, best first.
        messages: of a question, as they are sent (`Message.to_json`); tools: functions offered.
        schema: of a typed answer; {} in a dialogue.
        stack: of a program, the functions that it is in, a line each, outermost first.
    """

    point: StopPoint
    path: NodePath
    node: NodePath
    title: str
    is_unit: bool = True
    cause: int | None = None
    toolkit: str = ""
    api: Api | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    question: str = ""
    data: Any = None
    value: Any = None
    error: ErrorClass | None = None
    message: str = ""
    rest: str = ""
    warning: str = ""
    alternatives: Sequence[Alternative] = ()
    messages: Sequence[Mapping[str, Any]] = ()
    tools: Sequence[Mapping[str, Any]] = ()
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    stack: str = ""

    @property
    def kind(self) -> str:
        """What breakpoints call it: "call", "question", "fallback" ..."""
        return self.point.kind

    @property
    def is_dialogue(self) -> bool:
        """Whether it is a turn of a dialogue, whose answer is text and calls."""
        return self.point.kind == "question" and not self.schema

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
        said = {name: getattr(self, name) for name in _SAID}
        named = {"api": self.api.name, "tool": self.api.tool} if self.api else {}
        return {"point": self.point.id, "api": None, "tool": None, **said, **named}


_SAID = (
    "path", "kind", "title", "toolkit", "risk", "arguments", "question", "data", "value", "error",
    "message", "stack",
)  # fmt: skip
STOP_FIELDS = frozenset(
    Stop(point=BEFORE_CALL, path=NodePath(""), node=NodePath(""), title="").fields()
)
"""What conditions and log points may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopDecision:
    """What a person wants instead.

    Attributes:
        arguments: with "edit": all arguments of the call.
        api: with "edit": the API to call.
        messages: with "edit" of a question: all messages, as `Message.to_json`.
        taken: with "take": id of an alternative, or of an API that is not among them.
        value: with "answer": the result of the call; the answer of the model (a JSON object), in a
            dialogue {"text": ..., "calls": [{"name", "arguments"}]}.
        error: with "fail": its class.
    """

    choice: Choice
    arguments: Mapping[str, Any] | None = None
    api: ApiId | None = None
    messages: Sequence[Mapping[str, Any]] | None = None
    taken: str | None = None
    value: Any = None
    error: ErrorClass | None = None

    def to_json(self) -> dict[str, Any]:
        """What is set, for the log."""
        plain = without_defaults(self)
        out = {name: item for name, item in plain.items() if name not in ("choice", "value")}
        return {**out, "value": self.value} if self.choice is Choice.ANSWER else out


def decision_from_json(choice: str, data: Mapping[str, Any]) -> StopDecision:
    """As it was logged; until version 0.2 the only alternatives were fallbacks, named by "api"."""
    if choice == "fallback":
        choice, data = Choice.TAKE, {**data, "api": None, "taken": data.get("api")}
    return from_plain(StopDecision, {**data, "choice": choice})


def accept_any(decision: StopDecision) -> str:
    """The check of stops at which nothing can be wrong."""
    del decision
    return ""


class StepCommand(StrEnum):
    """How a held run goes on."""

    CONTINUE = "continue"
    STEP_INTO = "step into"
    STEP_OVER = "step over"
    STEP_OUT = "step out"
    RUN_TO = "run to here"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTarget:
    """Where to stop next."""

    action: StepCommand = StepCommand.CONTINUE
    path: NodePath = NodePath("")  # noqa: RUF009 - a text
    is_unit: bool = True

    def is_reached(self, stop: Stop) -> bool:
        """Whether to stop here."""
        if not stop.point.is_stepped:
            return False
        is_below = not self.path or _is_below(stop.path, self.path)
        match self.action:
            case StepCommand.CONTINUE:
                return False
            case StepCommand.STEP_INTO:
                return True
            case StepCommand.RUN_TO:
                return is_below
            case _:
                return not is_below if self.is_unit else stop.node != self.path


def target_of(action: StepCommand, stop: Stop, to: NodePath | None) -> StepTarget:
    """Where an action leads from a stop; `to` is the node to run to."""
    if action is StepCommand.RUN_TO:
        return StepTarget(action=action, path=to or stop.path)
    if action is StepCommand.STEP_OUT:
        return StepTarget(action=action, path=parent_of(stop.node) or ROOT)
    return StepTarget(action=action, path=stop.node or stop.path, is_unit=stop.is_unit)


def _is_below(path: NodePath, node: NodePath) -> bool:
    return path == node or path.startswith(f"{node}/")
