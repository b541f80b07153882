"""Parallel branches of a strategy: all of them, or the first that succeeds.

With "first" the others are cancelled, and their nodes end as cancelled. Which one was first is an
event, so a replay agrees: there every branch goes as far as it went, and nothing is cancelled that
has not ended on the tape by itself. A fork cancels nobody who is still being fed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.shared import BranchesEnded
from toolplanner_core.runs.tape.tape import Tape
from toolplanner_core.strategies.scope import Stopped

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
    """Run branches until one succeeds; the results of those that were stopped are `Stopped`."""
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
            return Stopped("Another branch was first")
        raise asyncio.CancelledError
    return _unless_stopped(task.exception() or task.result())


def _unless_stopped(result: T | BaseException) -> T | Exception:
    if isinstance(result, BaseException) and not isinstance(result, Exception):
        raise result
    return result


async def _start(branch: Branch[T]) -> T:
    return await branch()
