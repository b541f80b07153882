"""API calls. Path: `<parent>/call.<n>`. Intent before effect: `call.sent` is on disk before the
request leaves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class CallSent(Event):
    """A call is about to be sent. `bindings`: argument -> {"step", "path"} of the result it came
    from."""

    type: ClassVar[str] = "call.sent"
    actor: ClassVar[Actor] = Actor.STRATEGY
    api: str
    title: str
    arguments: Mapping[str, Any]
    bindings: Mapping[str, Any]
    provider: str
    risk: str
    fingerprint: str
    occurrence: int
    retry: int


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class CallReturned(Event):
    """A usable reply; `body` is the raw text, `origin` says who really answered."""

    type: ClassVar[str] = "call.returned"
    actor: ClassVar[Actor] = Actor.PROVIDER
    status: int | None
    body: str
    content_type: str
    headers: Mapping[str, str]
    origin: str
    elapsed_ms: float


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class CallFailed(Event):
    """The call was made and failed with an `ErrorClass`; the raw reply is kept."""

    type: ClassVar[str] = "call.failed"
    actor: ClassVar[Actor] = Actor.PROVIDER
    error: str
    message: str
    status: int | None
    body: str
    content_type: str
    headers: Mapping[str, str]
    origin: str
    elapsed_ms: float


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class CallRefused(Event):
    """No call was made: arguments do not fit the schema, budget used up, or not allowed."""

    type: ClassVar[str] = "call.refused"
    api: str
    title: str
    arguments: Mapping[str, Any]
    error: str
    message: str
