"""What goes beyond one branch: the board, which of parallel branches was first, and memories that
outlive the run (see `engine/parallel_branches.py`, `engine/run_memories.py`)."""

from typing import Any

from toolplanner_core.runs.events.event import Actor, Event, event_type
from toolplanner_core.runs.tree.formatting import pairs_words


@event_type("board.read", "Board read", Actor.STRATEGY, is_taped=True, uncompared=("value",))
class BoardRead(Event):
    """A branch looked at the board; a replay shows it the same.

    Attributes:
        name: of the entry.
        value: what it saw.
    """

    name: str
    value: Any

    def describe(self) -> str:
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

    def describe(self) -> str:
        done = "" if self.took else ", which changed nothing"
        return f"{self.how} {self.name}: {pairs_words(self.value)}{done}"


@event_type(
    "branches.ended", "Branches ended", Actor.STRATEGY, is_taped=True, uncompared=("first",)
)
class BranchesEnded(Event):
    """All branches have ended.

    Attributes:
        first: position of the one that succeeded first; None when none did.
        of: how many there were.
    """

    first: int | None
    of: int

    def describe(self) -> str:
        if self.first is None:
            return f"None of {self.of} branches succeeded"
        return f"Branch {self.first + 1} of {self.of} was first; the others were stopped"


@event_type(
    "memory.read", "Memory read", Actor.STRATEGY, is_taped=True, uncompared=("version", "value")
)
class MemoryRead(Event):
    """A memory was read; a replay sees the same, whatever was learned since.

    Attributes:
        version: of the memory, 0 when there was none.
    """

    name: str
    version: int
    value: Any

    def describe(self) -> str:
        return f"{self.name}, version {self.version}" if self.version else f"{self.name}, empty"


@event_type("memory.written", "Memory written")
class MemoryWritten(Event):
    """What was learned is stored as another version, by the end of the run."""

    name: str
    version: int

    def describe(self) -> str:
        return f"{self.name}, version {self.version}"
