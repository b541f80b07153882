"""Questions that are asked again and again while a person types or chooses: the newest counts."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject

from toolplanner_core.errors import ToolPlannerError
from toolplanner_gui.bridge.tasks import Tasks

T = TypeVar("T")


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
