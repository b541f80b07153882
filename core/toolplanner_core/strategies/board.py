"""The board of a run: the small state that concurrent branches share.

Each entry has a name and is one of two things: a value (the last one that was set), or a list of
items without repetitions (in the order in which they were added). What a branch reads is on the
tape, so a replay and a fork see the same whatever the interleaving was. Values are JSON.
"""

from collections.abc import Sequence
from typing import Any, Protocol


class Board(Protocol):
    """What branches of one run share."""

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an entry."""
        ...

    def set(self, name: str, value: Any) -> None:
        """Set the value of an entry."""
        ...

    def items(self, name: str) -> Sequence[Any]:
        """The items of an entry, in the order in which they were added."""
        ...

    def add(self, name: str, item: Any, *, room: int | None = None) -> bool:
        """Add an item; False when it is there already, or `room` items are."""
        ...

    def remove(self, name: str, item: Any) -> bool:
        """Take an item away; False when it is not there."""
        ...
