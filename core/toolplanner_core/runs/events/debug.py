"""What the debugger does to a run: injected faults, stops, log points.

They stand beside the strategy: a replay neither needs nor repeats them. A held run shows where it
is held: at the call or question itself, or, before it exists and after it has ended, at the nearest
node above that is still open.
"""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.domain.ids import ROOT
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import INJECTED
from toolplanner_core.runs.events.event import Actor, Event, event_type
from toolplanner_core.runs.tree.formatting import joined_words, sentence_case, text_words
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.runs.tree.tree import Moment, RunTree
from toolplanner_core.strategies.interface.strategy import stop_point
from toolplanner_core.words.formatting import duration


@event_type("fault.injected", "Fault injected")
class FaultInjected(Event):
    """The call of this path gets a made-up outcome, or has to wait.

    Attributes:
        kind: one of `faults.FaultKind`.
        rule: the rule as it was written.
        nth: the how-many-eth call this is that the rule is about.
    """

    kind: str
    rule: str
    title: str
    nth: int

    def describe(self) -> str:
        return f"{self.kind} for {text_words(self.title)}, by the rule {text_words(self.rule)}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        tree.mark(at.path, "fault", self.kind)
        tree.mark(ROOT, INJECTED, at.path)  # also where only time is made up

    def count(self, totals: Totals, _: Moment, /) -> None:
        totals.add("injected faults", 1)


@event_type("debug.stopped", "Stopped")
class DebugStopped(Event):
    """The run is held at a stop point; nothing is executed again when it goes on.

    Attributes:
        stop: id of the stop point, such as "before_call".
        reason: "step", "pause", "breakpoint", "run to here" or "another branch is held".
        breakpoint: the breakpoint's text, "" without one.
        title: what is about to happen, or has happened.
    """

    stop: str
    reason: str
    breakpoint: str
    title: str

    def describe(self) -> str:
        where = stop_point(self.stop).word.rstrip(":")
        why = text_words(self.breakpoint) or self.reason
        return f"{joined_words(where, text_words(self.title))}, by {why}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        tree.switch_nearest(at.path, NodeState.RUNNING, NodeState.PAUSED)


@event_type("debug.resumed", "Resumed", Actor.PERSON)
class DebugResumed(Event):
    """The run goes on; the record's cause is the stop. `action` is what the person chose."""

    action: str
    held_ms: float

    def describe(self) -> str:
        return f"{sentence_case(self.action)}, after {duration(self.held_ms / 1000)}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        tree.switch_nearest(at.path, NodeState.PAUSED, NodeState.RUNNING)


@event_type("debug.logpoint", "Logpoint")
class LogpointHit(Event):
    """A breakpoint that only says something was passed."""

    breakpoint: str
    message: str
    fields: Mapping[str, Any]

    def describe(self) -> str:
        return joined_words(text_words(self.breakpoint), text_words(self.message))
