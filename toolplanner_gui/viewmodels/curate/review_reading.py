"""Looks for the questions of the review and keeps them in step with edits and runs.

The queue of the core works on threads and is never asked from the GUI thread: after each change a
copy of what waits is handed over. Edits of all kinds are followed in the order in which they were
made. What was found last time is listed at once, until it has been found anew behind it; what is
found is kept for the next opening as soon as nobody edits for a moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from toolplanner_core.errors import UserError, WorkspaceError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_gui.bridge.jobs import Job, Jobs
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.curate.curation import Curation, MadeEdit

if TYPE_CHECKING:
    # Loaded where questions are read, on threads, once somebody reviews.
    from toolplanner_core.curation.questions.queue.listing import ListedQuestions
    from toolplanner_core.curation.questions.queue.queue import ReviewQueue
    from toolplanner_core.domain.curated import Changes

_KEEP_MS = 2_000


class ReviewReading(QObject):
    """The questions of the open workspace as they are read. GUI thread.

    Attributes:
        workspace: the one that is reviewed.
        queue: the questions themselves, for threads; None before they are there, those of last time
            while they are found anew.
        problem: why there are none; "" if nothing went wrong.

    Signals:
        forgotten: what was read does not count any more.
        changed: looking began, failed or was stopped.
        listed: a `ListedQuestions`, as of the last edit.
    """

    forgotten = Signal()
    changed = Signal()
    listed = Signal(object)

    def __init__(
        self,
        workspace: Workspace,
        tasks: Tasks,
        jobs: Jobs,
        curation: Curation,
        *,
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tasks, self._jobs, self._report = tasks, jobs, report
        self.workspace = workspace
        self.queue: ReviewQueue | None = None
        self.problem = ""
        self._job: Job | None = None
        self._is_wanted = False
        self._pending: list[Changes] = []
        self._since: list[Changes] = []
        """Edits since looking began."""
        self._keep_soon = QTimer(self, singleShot=True, interval=_KEEP_MS)
        self._keep_soon.timeout.connect(self._on_keep)
        self._following: asyncio.Task[None] | None = None
        self._signature: tuple[object, ...] = ()
        curation.edited.connect(self._on_edited)

    @property
    def is_reading(self) -> bool:
        """Whether questions are being looked for."""
        return self._job is not None

    @property
    def is_following(self) -> bool:
        """Whether edits are being taken in."""
        return self._following is not None and not self._following.done()

    def _forget(self) -> None:
        self.queue, self._following, self._signature = None, None, ()
        self._pending = []
        self.forgotten.emit()

    def begin(self) -> None:
        """Look for questions, unless they are there or being looked for."""
        self._is_wanted = True
        workspace = self.workspace
        if self.is_reading or self.queue is not None:
            return
        self.problem = ""
        self._pending, self._since = [], []

        def read(progress: Progress) -> tuple[tuple[object, ...], ReviewQueue]:
            from toolplanner_core.curation.questions.queue.queue import ReviewQueue

            return _signature(workspace), ReviewQueue.read(workspace, progress=progress)

        job = self._jobs.start("Look for what to review", read, is_asked_for=False)
        self._job = job
        job.succeeded.connect(lambda read: self._on_read(*read))
        job.failed.connect(self._on_failed)
        job.cancelled.connect(self._on_failed)
        self.changed.emit()
        self._tasks.spawn(self._list_kept(job), owner=self)

    def check(self) -> None:
        """Look anew if toolkits or vectors are others than the edits explain."""
        if self._is_wanted:
            self._tasks.spawn(self._check(), owner=self)

    async def followed(self) -> None:
        """Return when the list shows all edits made until now."""
        while self._following is not None and not self._following.done():
            await self._following

    async def relist_after(self, work: Callable[[ReviewQueue], object]) -> None:
        """Do something with the questions on a thread, then list them anew."""
        queue = self.queue
        if queue is None:
            return

        def read() -> ListedQuestions:
            work(queue)
            return _listed(queue)

        listed = await self._tasks.in_thread(read)
        if queue is self.queue:
            self.listed.emit(listed)

    def read_runs(self) -> None:
        """Take in what a run that ended says about toolkits."""
        if self.queue is not None:
            self._tasks.spawn(self.relist_after(lambda queue: queue.read_runs()), owner=self)

    def _on_read(self, signature: tuple[object, ...], queue: ReviewQueue) -> None:
        self._job = None
        self.queue = queue
        self._signature = signature
        self._pending = [*self._since]
        self._following = self._tasks.spawn(self._follow_all(queue), owner=self)

    async def _list_kept(self, job: Job) -> None:
        queue = await self._tasks.in_thread(lambda: _kept(self.workspace))
        if queue is not None and self.queue is None and self._job is job:
            self.queue = queue
            self._pending = [*self._since]
            self._follow()

    def _on_failed(self, error: BaseException | None = None) -> None:
        self._job = None
        if self.queue is not None and self.queue.evidence is None:
            self._forget()
        self.problem = "Looking for questions was stopped." if error is None else str(error)
        if error is not None and not isinstance(error, UserError):
            self._report(error)
        self.changed.emit()

    async def _check(self) -> None:
        signature = await self._tasks.in_thread(lambda: _signature(self.workspace))
        if signature != self._signature and not self.is_reading:
            self._forget()
            self.begin()

    def _on_edited(self, made: MadeEdit) -> None:
        if self.queue is None and not self.is_reading:
            return
        self._pending.append(made.done.changes)
        self._since.append(made.done.changes)
        if self._signature:
            self._signature = (int(str(self._signature[0])) + 1, *self._signature[1:])
        self._follow()

    def _follow(self) -> None:
        if self.queue is not None and not self.is_following:
            self._following = self._tasks.spawn(self._follow_all(self.queue), owner=self)

    async def _follow_all(self, queue: ReviewQueue) -> None:
        while True:
            pending, self._pending = self._pending, []

            def work(changes: list[Changes] = pending) -> ListedQuestions:
                for one in changes:
                    queue.follow(one)
                return _listed(queue)

            listed = await self._tasks.in_thread(work)
            if queue is not self.queue:
                return
            if not self._pending:
                break
        self.listed.emit(listed)
        if not self.is_reading:
            self._keep_soon.start()

    def _on_keep(self) -> None:
        queue = self.queue
        if queue is not None and not self.is_reading:
            self._tasks.spawn(self._keep(queue), owner=self)

    async def _keep(self, queue: ReviewQueue) -> None:
        with suppress(WorkspaceError):  # it may be closed by now
            await self._tasks.in_thread(queue.keep)


def _kept(workspace: Workspace) -> ReviewQueue | None:
    from toolplanner_core.curation.questions.queue.queue import ReviewQueue

    return ReviewQueue.kept(workspace)


def _listed(queue: ReviewQueue) -> ListedQuestions:
    from toolplanner_core.curation.questions.queue.listing import list_questions

    return list_questions(queue)


def _signature(workspace: Workspace) -> tuple[object, ...]:
    """Changes with the toolkits and the vectors; its first part counts changes of toolkits."""
    names = ("active_embedder", "active_neighbours", "active_clustering")
    others = tuple(get_setting(workspace, name, None) for name in names)
    return (int(get_setting(workspace, "toolkits_version", 0)), *others)
