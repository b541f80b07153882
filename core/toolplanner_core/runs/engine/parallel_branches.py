"""Parallel branches of a strategy, and the board that they share.

All branches are awaited, or the first that succeeds: then the others are cancelled, and their nodes
end as cancelled. Which one was first is an event, so a replay agrees: there every branch goes as
far as it went, and nothing is cancelled that has not ended on the tape by itself. A fork cancels
nobody who is still being fed.

Every read of the board is an event that holds what was seen; in a replay, and in the taped part of
a fork, a branch sees that again, in whatever order the branches happen to run. Writes are events as
well. Those on the tape are on the board before the strategy starts, so that a branch that is live
already sees what its siblings had written, even if they are still being fed. Implements
`strategies/interface/views.py`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.shared import BoardRead, BoardWritten, BranchesEnded
from toolplanner_core.runs.log.tape import Tape
from toolplanner_core.strategies.interface.scope import BranchStopped


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


T = TypeVar("T")
Branch = Callable[[], Awaitable[T]]


async def gather_all(branches: Sequence[Branch[T]]) -> list[T | Exception]:
    """Run branches; all end before this returns, also when the run is stopped."""
    tasks = [asyncio.ensure_future(_start(branch)) for branch in branches]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    return [_unless_stopped(result) for result in results]


async def gather_first(
    branches: Sequence[Branch[T]],
    is_success: Callable[[T], bool] | None,
    *,
    tape: Tape,
    write: Callable[[Event], Record],
) -> list[T | Exception]:
    """Run branches until one succeeds; those that were stopped result in `BranchStopped`."""
    tasks = [asyncio.ensure_future(_start(branch)) for branch in branches]
    try:
        first = await _first(tasks, is_success, tape)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    event = write(BranchesEnded(first=first, of=len(tasks))).event
    assert isinstance(event, BranchesEnded)
    return [_outcome(task, is_stopped=event.first is not None) for task in tasks]


async def _first(
    tasks: "Sequence[asyncio.Future[T]]", is_success: Callable[[T], bool] | None, tape: Tape
) -> int | None:
    """Wait until all have ended; cancels the others once one has succeeded."""
    winner: int | None = None
    pending: set[asyncio.Future[T]] = set(tasks)
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        if winner is None:
            good = (i for i, t in enumerate(tasks) if t in done and _succeeded(t, is_success))
            winner = next(good, None)
        if winner is not None and pending and not tape.end.is_strict:
            await tape.used_up(pending)
            for task in pending:
                task.cancel()
    return winner


def _succeeded(task: "asyncio.Future[T]", is_success: Callable[[T], bool] | None) -> bool:
    if task.cancelled() or task.exception() is not None:
        return False
    return is_success is None or is_success(task.result())


def _outcome(task: "asyncio.Future[T]", *, is_stopped: bool) -> T | Exception:
    if task.cancelled():
        if is_stopped:
            return BranchStopped("Another branch was first")
        raise asyncio.CancelledError
    return _unless_stopped(task.exception() or task.result())


def _unless_stopped(result: T | BaseException) -> T | Exception:
    if isinstance(result, BaseException) and not isinstance(result, Exception):
        raise result
    return result


async def _start(branch: Branch[T]) -> T:
    return await branch()
