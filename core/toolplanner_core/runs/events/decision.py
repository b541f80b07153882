"""What strategies decide and look up: fallbacks, exhausted toolkits, replans, retrieval,
remarks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackChosen(Event):
    """Another API of the toolkit is tried; the record's cause is the failure.

    `candidates` are [{"api", "title", "score", "parts"}], best first.
    """

    type: ClassVar[str] = "fallback.chosen"
    actor: ClassVar[Actor] = Actor.STRATEGY
    api: str
    title: str
    candidates: list[Mapping[str, Any]]


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitExhausted(Event):
    """No API of the toolkit could do the step; `failures` are the seqs of their failures."""

    type: ClassVar[str] = "toolkit.exhausted"
    actor: ClassVar[Actor] = Actor.STRATEGY
    toolkit: int
    toolkit_name: str
    failures: list[int]


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class ReplanDecided(Event):
    """Plan `number` is about to be made; the record's cause is the exhausted toolkit."""

    type: ClassVar[str] = "replan.decided"
    actor: ClassVar[Actor] = Actor.STRATEGY
    number: int


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp(Event):
    """An answer of the catalogue, kept so that a replay sees the same.

    `what` is "retrieve", "shortlist", "members" or "toolkit"; `found` are the rows with their
    scores.
    """

    type: ClassVar[str] = "catalogue.looked_up"
    actor: ClassVar[Actor] = Actor.STRATEGY
    what: str
    request: Mapping[str, Any]
    found: list[Mapping[str, Any]]


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRead(Event):
    """The run's time was read; `iso` is ISO 8601 with offset."""

    type: ClassVar[str] = "clock.read"
    iso: str


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Event):
    """A remark for the reader."""

    type: ClassVar[str] = "note"
    actor: ClassVar[Actor] = Actor.STRATEGY
    text: str
