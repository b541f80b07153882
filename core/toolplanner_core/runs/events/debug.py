"""What the debugger does to a run: injected faults, stops, log points.

They stand beside the strategy: a replay neither needs nor repeats them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.runs.events.event import Actor, Event, event_type


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class FaultInjected(Event):
    """The call of this path gets a made-up outcome, or has to wait.

    Attributes:
        kind: one of `faults.FaultKind`.
        rule: the rule as it was written.
        nth: the how-many-eth call this is that the rule is about.
    """

    type: ClassVar[str] = "fault.injected"
    kind: str
    rule: str
    title: str
    nth: int


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class DebugStopped(Event):
    """The run is held at a stop point; nothing is executed again when it goes on.

    Attributes:
        stop: the stop point, such as "before_call".
        reason: "step", "pause", "breakpoint" or "run to here".
        breakpoint: the breakpoint's text, "" without one.
        title: what is about to happen, or has happened.
    """

    type: ClassVar[str] = "debug.stopped"
    stop: str
    reason: str
    breakpoint: str
    title: str


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class DebugResumed(Event):
    """The run goes on; the record's cause is the stop. `action` is what the person chose."""

    type: ClassVar[str] = "debug.resumed"
    actor: ClassVar[Actor] = Actor.PERSON
    action: str
    held_ms: float


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class LogpointHit(Event):
    """A breakpoint that only says something was passed."""

    type: ClassVar[str] = "debug.logpoint"
    breakpoint: str
    message: str
    fields: Mapping[str, Any]
