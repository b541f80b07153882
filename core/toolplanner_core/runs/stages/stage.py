"""What passes the gate, and how stages are strung together.

A stage gets a request and the rest of the chain; it may change the request, answer by itself, look
at the outcome, or do nothing. `gate.py` composes the chains; every module here is one stage.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.observation import NOT_SENT, Observation, RawResult
from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.llm.model import ModelRequest, Reply
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.events.call import CallRefused
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.stages.sample_batch import SampleBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """An API call on its way to the provider.

    Attributes:
        arguments: as they will be sent, secrets included; the log sees them blacked out.
        cause: event that made this try necessary.
        again: why it may do a second time what was done in this run, "" if it does not: whatever
            leave was given, a person is asked.
    """

    path: NodePath
    api: Api
    arguments: Mapping[str, Any]
    bindings: Mapping[str, ResultRef]
    cause: int | None = None
    again: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRequest(ModelRequest):
    """A question, or a turn of a dialogue, on its way to the model.

    Attributes:
        repair: how many answers were sent back so far.
        cause: event that made this request necessary.
        has_days_rest: its reply is limited by what is left of the day, not of the run.
        batch: samples of the same prompt, which may leave together; None once it was changed.
    """

    path: NodePath
    version: int
    title: str
    role: Role
    repair: int = 0
    cause: int | None = None
    has_days_rest: bool = False
    batch: SampleBatch | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A model's reply, the event that holds it, and the messages as they were really sent."""

    reply: Reply
    seq: int
    messages: tuple[Message, ...] = ()


def numbered(calls: Sequence[FunctionCall], request: QuestionRequest) -> tuple[FunctionCall, ...]:
    """Calls of a reply with ids of our own: a conversation is then the same in every run and at
    every endpoint, and accepted by those that insist on nine letters and digits (Mistral)."""
    before = sum(len(message.calls) for message in request.messages)
    return tuple(
        FunctionCall(f"call{before + n:05}", call.name, call.arguments)
        for n, call in enumerate(calls, start=1)
    )


Q = TypeVar("Q")
R = TypeVar("R")

CallEnd = Callable[[CallRequest], Awaitable[Observation]]
CallSourceEnd = Callable[[CallRequest], Awaitable[RawResult]]
QuestionEnd = Callable[[QuestionRequest], Awaitable[Answered]]
QuestionSourceEnd = Callable[[QuestionRequest], Awaitable[Reply]]


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


def refuse(log: RunLog, request: CallRequest, error: ErrorClass, message: str) -> Observation:
    """Write `call.refused` and return the failure the strategy sees."""
    record = log.append(
        CallRefused(
            api=request.api.id,
            title=request.api.title,
            arguments=dict(request.arguments),
            error=error,
            message=message,
        ),
        path=request.path,
        cause=request.cause,
    )
    return Observation(ok=False, error=error, message=message, origin=NOT_SENT, seq=record.seq)
