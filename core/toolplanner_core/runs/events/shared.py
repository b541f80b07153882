"""What concurrent branches share: the board of a run (see `runs/board.py`)."""

from typing import Any

from toolplanner_core.runs.events.event import Actor, Event, event_type
from toolplanner_core.runs.events.saying import pairs_words


@event_type("board.read", "Board read", Actor.STRATEGY, is_taped=True, uncompared=("value",))
class BoardRead(Event):
    """A branch looked at the board; a replay shows it the same.

    Attributes:
        name: of the entry.
        value: what it saw.
    """

    name: str
    value: Any

    def said(self) -> str:
        return f"{self.name}: {pairs_words(self.value)}"


@event_type("board.written", "Board written", Actor.STRATEGY, is_taped=True, uncompared=("took",))
class BoardWritten(Event):
    """A branch changed the board.

    Attributes:
        how: "set", "add" or "remove".
        value: what was set, added or removed.
        took: whether anything changed: an item that was there, or for which there was no room, is
            not added.
    """

    name: str
    how: str
    value: Any
    took: bool

    def said(self) -> str:
        done = "" if self.took else ", which changed nothing"
        return f"{self.how} {self.name}: {pairs_words(self.value)}{done}"
