"""The board of a run: what concurrent branches share, on the tape.

Every read is an event that holds what was seen; in a replay, and in the taped part of a fork, a
branch sees that again, in whatever order the branches happen to run. Writes are events as well.
Those on the tape are on the board before the strategy starts, so that a branch that is live already
sees what its siblings had written, even if they are still being fed. Implements
`strategies/board.py`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.shared import BoardRead, BoardWritten


class RunBoard:
    """The entries of one run.

    Args:
        write: puts an event into the log at the place of the branch, or finds it on the tape.
        is_live: whether the branch is behind the end of its tape.
        taped: writes of the prefix, in the order in which they happened.
    """

    def __init__(
        self,
        write: Callable[[Event], Record],
        is_live: Callable[[], bool],
        taped: Iterable[Record] = (),
    ) -> None:
        self._write = write
        self._is_live = is_live
        self._values: dict[str, Any] = {}
        self._items: dict[str, list[Any]] = {}
        for record in taped:
            if isinstance(record.event, BoardWritten) and record.event.took:
                self._apply(record.event)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an entry."""
        return self._read(name, self._values.get(name, default))

    def set(self, name: str, value: Any) -> None:
        """Set the value of an entry."""
        self._change(BoardWritten(name=name, how="set", value=value, took=True))

    def items(self, name: str) -> Sequence[Any]:
        """The items of an entry."""
        return tuple(self._read(name, list(self._items.get(name, ()))))

    def add(self, name: str, item: Any, *, room: int | None = None) -> bool:
        """Add an item; False when it is there already, or `room` items are."""
        held = self._items.get(name, [])
        took = item not in held and (room is None or len(held) < room)
        return self._change(BoardWritten(name=name, how="add", value=item, took=took))

    def remove(self, name: str, item: Any) -> bool:
        """Take an item away; False when it is not there."""
        took = item in self._items.get(name, [])
        return self._change(BoardWritten(name=name, how="remove", value=item, took=took))

    def _read(self, name: str, value: Any) -> Any:
        event = self._write(BoardRead(name=name, value=value)).event
        assert isinstance(event, BoardRead)
        return event.value

    def _change(self, event: BoardWritten) -> bool:
        is_live = self._is_live()
        written = self._write(event).event
        assert isinstance(written, BoardWritten)
        if is_live and written.took:
            self._apply(written)
        return written.took

    def _apply(self, event: BoardWritten) -> None:
        match event.how:
            case "set":
                self._values[event.name] = event.value
            case "add":
                self._items.setdefault(event.name, []).append(event.value)
            case _:
                held = self._items.get(event.name, [])
                if event.value in held:
                    held.remove(event.value)
