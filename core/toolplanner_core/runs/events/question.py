"""Questions to models. Path: `<parent>/<question id>.<n>`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAsked(Event):
    """A request is about to be sent.

    `messages` are [{"role", "content"}] (stored as a chain, see `message_chains`);
    `fingerprint` is a hash of question, version, messages and schema; `occurrence` counts
    equal fingerprints on this path.
    """

    type: ClassVar[str] = "model.asked"
    actor: ClassVar[Actor] = Actor.STRATEGY
    question: str
    version: int
    title: str
    model: str
    messages: list[Mapping[str, str]]
    schema: Mapping[str, Any]
    temperature: float
    fingerprint: str
    occurrence: int
    repair: int
    retry: int


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReplied(Event):
    """The reply as received; `cause` of the record is the request.

    `cost` is in US dollars by the price that was known when it came; None = unknown. A person's
    answer costs 0.
    """

    type: ClassVar[str] = "model.replied"
    actor: ClassVar[Actor] = Actor.MODEL
    text: str
    data: Any
    input_tokens: int
    output_tokens: int
    elapsed_ms: float
    raw: Mapping[str, Any]
    cached_tokens: int = 0
    cost: float | None = None


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed(Event):
    """No reply; `will_retry_after_s` is None when this was the last try."""

    type: ClassVar[str] = "model.failed"
    actor: ClassVar[Actor] = Actor.MODEL
    error: str
    message: str
    elapsed_ms: float
    will_retry_after_s: float | None


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRejected(Event):
    """The reply does not answer the question; it is sent back unless no repair is left."""

    type: ClassVar[str] = "model.answer_rejected"
    where: str
    what: str
    repairs_left: int
