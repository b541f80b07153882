"""Questions that are asked again and again: the newest counts.

`LatestRequest` while a person types or chooses; `LatestState` of what is shown of the file.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject

from toolplanner_core.errors import ToolPlannerError
from toolplanner_gui.bridge.tasks import Tasks

T = TypeVar("T")


class LatestState(QObject):
    """Reads what is shown of the file in a reader thread, again whenever it has changed.

    One reading at a time: of two that go on at once the older may end last, and what it found
    would be shown instead of the newer. What is asked for meanwhile is read once, after it.

    Args:
        owner: with it the reading ends.
        read: runs in a thread.
        take: is given what it found, on the GUI thread.

    Attributes:
        is_outdated: it has changed since the last reading began.
    """

    def __init__(
        self, tasks: Tasks, owner: QObject, read: Callable[[], T], take: Callable[[T], None]
    ) -> None:
        super().__init__(owner)
        self._tasks = tasks
        self._read, self._take = read, take
        self.is_outdated = False
        self._reading: asyncio.Task[None] | None = None

    def refresh(self) -> "asyncio.Task[None]":
        """Read it as it is from now on; the task ends when that was taken."""
        self.is_outdated = True
        if self._reading is None or self._reading.done():
            self._reading = self._tasks.spawn(self._read_until_current(), owner=self)
        return self._reading

    async def _read_until_current(self) -> None:
        while self.is_outdated:
            self.is_outdated = False
            self._take(await self._tasks.in_thread(self._read))


class LatestRequest(QObject):
    """Answers questions in reader threads, one at a time; a newer question makes the older void.

    Args:
        owner: with it the question ends.
    """

    def __init__(self, tasks: Tasks, owner: QObject) -> None:
        super().__init__(owner)
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether the newest question was answered, or forgotten."""
        return self._task is None or self._task.done()

    def ask(
        self,
        work: Callable[[], T],
        then: Callable[[T], None],
        refused: Callable[[ToolPlannerError], None] | None = None,
    ) -> None:
        """Call `then` with what `work` gives in a thread; `refused` with why it gives nothing."""
        self.forget()
        self._task = self._tasks.spawn(self._answer(work, then, refused), owner=self)

    def forget(self) -> None:
        """Drop the answer that may still come."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _answer(
        self,
        work: Callable[[], T],
        then: Callable[[T], None],
        refused: Callable[[ToolPlannerError], None] | None,
    ) -> None:
        try:
            answer = await self._tasks.in_thread(work)
        except ToolPlannerError as error:
            if refused is None:
                raise
            refused(error)
        else:
            then(answer)
