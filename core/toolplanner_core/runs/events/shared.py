"""What concurrent branches share: the board of a run (see `runs/board.py`)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.runs.events.event import Actor, Event, event_type
from toolplanner_core.runs.events.saying import pairs_words


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRead(Event):
    """A branch looked at the board; a replay shows it the same.

    Attributes:
        name: of the entry.
        value: what it saw.
    """

    type: ClassVar[str] = "board.read"
    word: ClassVar[str] = "Board read"
    actor: ClassVar[Actor] = Actor.STRATEGY
    is_taped: ClassVar[bool] = True
    uncompared: ClassVar[frozenset[str]] = frozenset({"value"})
    name: str
    value: Any

    def said(self) -> str:
        return f"{self.name}: {pairs_words(self.value)}"


@event_type
@dataclass(frozen=True, slots=True, kw_only=True)
class BoardWritten(Event):
    """A branch changed the board.

    Attributes:
        how: "set", "add" or "remove".
        value: what was set, added or removed.
        took: whether anything changed: an item that was there, or for which there was no room, is
            not added.
    """

    type: ClassVar[str] = "board.written"
    word: ClassVar[str] = "Board written"
    actor: ClassVar[Actor] = Actor.STRATEGY
    is_taped: ClassVar[bool] = True
    uncompared: ClassVar[frozenset[str]] = frozenset({"took"})
    name: str
    how: str
    value: Any
    took: bool

    def said(self) -> str:
        done = "" if self.took else ", which changed nothing"
        return f"{self.how} {self.name}: {pairs_words(self.value)}{done}"
