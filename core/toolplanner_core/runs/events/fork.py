"""Forks, replays, and what people decide: the events that lead a run off its taped way."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class ForkOrigin(Event):
    """First own event of a fork: where it leaves its parent, and how it goes on.

    `options` has the same shape as in `run.started`; `changes` are those of `ForkChanges` that were
    given, for people. `reason` is "fork" or "go on" (after a crash).
    """

    type: ClassVar[str] = "fork.origin"
    actor: ClassVar[Actor] = Actor.PERSON
    parent_run: int
    fork_seq: int
    at: str
    reason: str
    changes: Mapping[str, Any]
    model: str
    model_label: str
    provider: str
    options: Mapping[str, Any]
    limits: Mapping[str, Any]
    app_version: str


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayDiverged(Event):
    """The run does not do what stands on the tape; `diff` shows both, line by line."""

    type: ClassVar[str] = "replay.diverged"
    seq: int
    what: str
    diff: str


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class CallInDoubt(Event):
    """A call that may change something was sent and has no outcome on the tape: not repeated.

    The record's cause is its `call.sent`.
    """

    type: ClassVar[str] = "call.in_doubt"
    title: str
    message: str


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class PersonDecided(Event):
    """A person changed what the run does next.

    Attributes:
        stop: the stop point at which it was decided, such as "before_call".
        choice: "edit", "answer", "fail", "skip", "fallback" or "give_up".
        title: of the API or question it is about.
        before: what would have happened (arguments, API, reply).
        after: what happens instead.
    """

    type: ClassVar[str] = "person.decided"
    actor: ClassVar[Actor] = Actor.PERSON
    stop: str
    choice: str
    title: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
