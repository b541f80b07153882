"""What strategies decide, look up and run: choices at stop points, the catalogue, the clock,
programs in the sandbox, remarks."""

from collections.abc import Mapping
from dataclasses import field, fields
from datetime import datetime
from typing import Any

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.program import ProgramEnd, ProgramOutcome
from toolplanner_core.runs.events.event import Actor, Event, event_type
from toolplanner_core.runs.tree.formatting import joined_words, pairs_words, text_words
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.runs.tree.tree import Moment, RunTree
from toolplanner_core.strategies.interface.strategy import stop_point
from toolplanner_core.words.formatting import counted

_AS_ONE_S = 3600
"""Clocks that differ by less are the same one."""


@event_type(
    "decided", "Decided", Actor.STRATEGY, is_taped=True, uncompared=("title", "because", "data")
)
class Decided(Event):
    """A choice at a stop point; the record's cause is what made it necessary.

    Attributes:
        point: id of the `StopPoint`.
        title: what is chosen, such as "Fall back to PumpWatch · price".
        alternatives: [{"id", "title", "score", "parts"}], best first; none = nothing was left.
        chosen: id of the one that was taken, or of an API that a person named; None = nothing.
        because: what follows from it and why, for those whose cause this is: "no API of Fuel
            prices could do the step". "" = its own cause says it.
    """

    point: str
    title: str
    alternatives: list[Mapping[str, Any]]
    chosen: str | None
    chosen_title: str = ""
    because: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def describe(self) -> str:
        point = stop_point(self.point)
        head = point.chosen_word or point.word.rstrip(":")
        if self.chosen is None:
            return joined_words(head, text_words(self.because) or text_words(self.title))
        of = len(self.alternatives)
        count = f", of {counted(of, 'alternative')}" if of > 1 else ""
        return joined_words(head, f"{text_words(self.chosen_title or self.title)}{count}")

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        if self.because:
            tree.causes.say(at.seq, self.because)
        point = stop_point(self.point)
        if self.chosen is None or not point.cause_kind or at.cause is None:
            return
        node = tree.causes.nearest(at.cause, point.cause_kind)
        if node is not None and node.state is NodeState.FAILED:
            node.state = NodeState(point.cause_state)
            tree.changed.add(node.path)

    def count(self, totals: Totals, _: Moment, /) -> None:
        counted = stop_point(self.point).counted
        if counted and self.chosen is not None:
            totals.add(counted, 1)


@event_type("catalogue.looked_up", "Looked up", Actor.STRATEGY, is_taped=True)
class CatalogueLookup(Event):
    """An answer of the catalogue, kept so that a replay sees the same.

    `what` is "retrieve", "shortlist", "members", "toolkit", "browse" or "demonstrations"; `found`
    are the rows with their scores. An "oracle" is looked up as well: its verdict is the one
    row.
    """

    what: str
    request: Mapping[str, Any]
    found: list[Mapping[str, Any]]

    def describe(self) -> str:
        return joined_words(self.what.capitalize(), pairs_words(self.request))


@event_type("clock.read", "Clock read", is_taped=True, uncompared=("iso",))
class ClockRead(Event):
    """The run's time was read; `iso` is ISO 8601 with offset."""

    iso: str

    def describe(self) -> str:
        return self.iso

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        """A world whose time is not that of the machine is told at the run: its answers mean that
        day by "today"."""
        told = datetime.fromisoformat(self.iso)
        if tree.root is not None and abs(told.timestamp() - at.wall_us / 1e6) > _AS_ONE_S:
            tree.tell(tree.root, {"day": f"{told:%A, %Y-%m-%d}"})


@event_type(
    "spent.read",
    "Spending read",
    is_taped=True,
    uncompared=("model_calls", "api_calls", "tokens", "cost", "seconds"),
)
class SpentRead(Event):
    """What the run has spent was read, so that a replay decides the same."""

    model_calls: int
    api_calls: int
    tokens: int
    cost: float | None
    seconds: float


@event_type("note", "Note", Actor.STRATEGY, is_taped=True)
class Noted(Event):
    """A remark for the reader."""

    text: str

    def describe(self) -> str:
        return text_words(self.text)


@event_type("program.ended", "Program ended", is_taped=True)
class ProgramEnded(Event):
    """How it ended; see `domain.program.ProgramEnd`. Run again from the tape it ends the same, but
    where a limit stopped it: that is taken from the tape."""

    how: ProgramOutcome
    printed: str
    error: str
    message: str
    line: int | None
    trace: str

    @classmethod
    def of(cls, end: ProgramEnd) -> "ProgramEnded":
        """The event of an end."""
        return cls(**{each.name: getattr(end, each.name) for each in fields(end)})

    @property
    def end(self) -> ProgramEnd:
        """The end it tells of."""
        return ProgramEnd(**self.to_body())

    def describe(self) -> str:
        place = f"{self.how} at line {self.line}" if self.line else self.how
        said = f"{self.error}: {text_words(self.message)}" if self.error else self.printed
        return joined_words(place.capitalize(), text_words(said))
