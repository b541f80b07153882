"""What passes the gate, and how stages are strung together.

A stage gets a request and the rest of the chain; it may change the request, answer by itself, look
at the outcome, or do nothing. Callers: `gate.py` composes the chains; every module here is one
stage.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.observation import Observation, RawResult
from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.llm.model import Reply
from toolplanner_core.prompts.question import Message, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """An API call on its way to the provider.

    Attributes:
        arguments: as they will be sent, secrets included; the log sees them blacked out.
        cause: event that made this try necessary.
    """

    path: NodePath
    parent: NodePath
    api: Api
    arguments: Mapping[str, Any]
    bindings: Mapping[str, ResultRef]
    cause: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRequest:
    """A question on its way to the model.

    Attributes:
        messages: the question's, plus what was said about earlier invalid answers.
        repair: how many answers were sent back so far.
        cause: event that made this request necessary.
    """

    path: NodePath
    parent: NodePath
    question: Question[Any]
    messages: tuple[Message, ...]
    schema: JsonSchema
    repair: int = 0
    cause: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A model's reply and the event that holds it."""

    reply: Reply
    seq: int


Q = TypeVar("Q")
R = TypeVar("R")

CallEnd = Callable[[CallRequest], Awaitable[Observation]]
CallStage = Callable[[CallRequest, CallEnd], Awaitable[Observation]]
CallSourceEnd = Callable[[CallRequest], Awaitable[RawResult]]
CallSource = Callable[[CallRequest, CallSourceEnd], Awaitable[RawResult]]

QuestionEnd = Callable[[QuestionRequest], Awaitable[Answered]]
QuestionStage = Callable[[QuestionRequest, QuestionEnd], Awaitable[Answered]]
QuestionSourceEnd = Callable[[QuestionRequest], Awaitable[Reply]]
QuestionSource = Callable[[QuestionRequest, QuestionSourceEnd], Awaitable[Reply]]


def compose(
    stages: Sequence[Callable[[Q, Callable[[Q], Awaitable[R]]], Awaitable[R]]],
    end: Callable[[Q], Awaitable[R]],
) -> Callable[[Q], Awaitable[R]]:
    """One callable that sends a request through `stages` in order and then to `end`."""
    chain = end
    for stage in reversed(stages):
        chain = _link(stage, chain)
    return chain


def _link(
    stage: Callable[[Q, Callable[[Q], Awaitable[R]]], Awaitable[R]],
    rest: Callable[[Q], Awaitable[R]],
) -> Callable[[Q], Awaitable[R]]:
    def step(request: Q) -> Awaitable[R]:
        return stage(request, rest)

    return step
