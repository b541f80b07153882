"""Wait for a strategy so that a stop becomes an event of its run instead of an exception.

A run is stopped by its cancel event or by cancelling the task that waits for it (Ctrl+C); either
way its end must reach the disk.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from toolplanner_core.domain.plan import Answer
from toolplanner_core.runs.tape.tape import Tape

T = TypeVar("T")


async def until_done(
    solving: "asyncio.Future[Answer]", cancel: asyncio.Event | None, tape: Tape
) -> None:
    """Wait for the strategy; a stop (by the event or of the calling task) is passed on to it."""
    stop = asyncio.ensure_future(cancel.wait()) if cancel is not None else None
    waits: set[asyncio.Future[Any]] = {solving} if stop is None else {solving, stop}
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        _forgive_cancellation()
    if stop is not None:
        stop.cancel()
    if not solving.done():
        tape.drop()  # what is closed now was not closed in the parent
        solving.cancel()
        await despite_cancellation(_settled(solving))


async def despite_cancellation(work: Coroutine[Any, Any, T]) -> T:
    """Finish `work` whatever happens to the calling task."""
    future = asyncio.ensure_future(work)
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError:
            _forgive_cancellation()
    return future.result()


async def _settled(future: "asyncio.Future[Any]") -> None:
    await asyncio.wait({future})


def _forgive_cancellation() -> None:
    # The stop has been turned into an event of the run, whose summary is the result.
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
