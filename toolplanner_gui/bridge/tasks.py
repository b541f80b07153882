"""The only way coroutines start in the window.

Keeps the handle (a task without one may be collected while it runs), cancels with its owner, and
reports errors in one place.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

from PySide6.QtCore import QObject

from toolplanner_core.errors import UserError

_log = logging.getLogger(__name__)
T = TypeVar("T")
_READERS = 3
"""Threads for reading; each has its own connection to the workspace."""


class Tasks:
    """Running coroutines by owner.

    Args:
        loop: the loop of the GUI thread.
        report: called on the GUI thread with an error nobody awaited.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, report: Callable[[BaseException], None]
    ) -> None:
        self.loop = loop
        self._report = report
        self._running: dict[asyncio.Task[Any], QObject] = {}
        self._threads = ThreadPoolExecutor(_READERS, thread_name_prefix="reader")
        self._known_owners: set[int] = set()
        self._is_closed = False

    def spawn(self, coroutine: Coroutine[Any, Any, T], *, owner: QObject) -> "asyncio.Task[T]":
        """Start a coroutine on the GUI thread; it is cancelled when `owner` is destroyed.

        Errors reach the person through `report`; cancelling is silent. After `close`, when a timer
        of a panel may still run out, it is cancelled before it begins.
        """
        if self._is_closed:
            coroutine.close()
            over = self.loop.create_future()
            over.cancel()
            return cast("asyncio.Task[T]", over)
        task = self.loop.create_task(coroutine)
        self._running[task] = owner
        task.add_done_callback(self._on_done)
        key = id(owner)
        if key not in self._known_owners:
            self._known_owners.add(key)
            owner.destroyed.connect(lambda *_: self._on_owner_destroyed(key))
        return task

    async def in_thread(self, work: Callable[[], T]) -> T:
        """The result of a function run on a reader thread: for reading that may take over 5 ms."""
        return await self.loop.run_in_executor(self._threads, work)

    async def pause(self, seconds: float) -> None:
        """Go on after a while. `asyncio.sleep` asks which loop is running, and under Qt there may
        be none in its sense while a coroutine is stepped."""
        over = self.loop.create_future()
        timer = self.loop.call_later(seconds, lambda: over.done() or over.set_result(None))
        try:
            await over
        finally:
            timer.cancel()

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs."""
        return not self._running

    def runs_for(self, owner: QObject) -> bool:
        """Whether a coroutine of one owner has not ended."""
        return any(of is owner for of in self._running.values())

    def cancel_all(self, owner: QObject | None = None) -> None:
        """Cancel the coroutines of one owner, or all."""
        for task, of in list(self._running.items()):
            if owner is None or of is owner:
                task.cancel()

    async def finish(self) -> None:
        """Cancel everything and wait until it has ended: the last thing the loop runs, so that no
        coroutine is left half-way."""
        self.cancel_all()
        running = list(self._running)
        await asyncio.gather(*running, return_exceptions=True)

    def close(self) -> None:
        """Cancel everything; reader threads end with what they are at, which nobody waits for."""
        self._is_closed = True
        self.cancel_all()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _on_owner_destroyed(self, key: int) -> None:
        self._known_owners.discard(key)
        for task, of in list(self._running.items()):
            if id(of) == key:
                task.cancel()

    def _on_done(self, task: "asyncio.Task[Any]") -> None:
        self._running.pop(task, None)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            if isinstance(error, UserError):
                _log.info("Refused: %s", error.what)
            else:
                _log.error("A task of the window failed", exc_info=error)
            self._report(error)
