"""The review as the window sees it: which questions wait, and the one that is looked at.

The queue of the core works on threads and is never asked from the GUI thread: after each change
this keeps a copy of what waits. Edits of all kinds are followed in the order in which they were
made. Answers are given by `viewmodels/review_answers.py`; panel, menu and map ask here.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.review.candidate import Candidate, CandidateKind
from toolplanner_core.curation.review_queue.queue import ReviewQueue, ReviewStatus
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import UserError
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.verdicts import StoredVerdict
from toolplanner_gui.bridge.jobs import Job, Jobs
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.catalogue import Catalogue
from toolplanner_gui.viewmodels.curation import Curation, Made
from toolplanner_gui.viewmodels.review_cards import Cards


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What waits, as of the last edit.

    Attributes:
        waiting: the most valuable first.
        last: the newest answer, which can be taken back.
    """

    waiting: tuple[Candidate, ...]
    skipped: tuple[Candidate, ...]
    status: ReviewStatus
    last: StoredVerdict | None


class Review(QObject):
    """The questions of the open workspace. GUI thread.

    Attributes:
        cards: what is known about the question that is looked at.
        goes_on: whether the next question comes up by itself.

    Signals:
        listed: other questions wait, or the review is in another state.
        current_changed: another question is looked at, or it was answered.
    """

    listed = Signal()
    current_changed = Signal()

    def __init__(
        self,
        tasks: Tasks,
        jobs: Jobs,
        curation: Curation,
        *,
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tasks, self._jobs, self._report = tasks, jobs, report
        self.cards = Cards(tasks, self)
        self.goes_on = True
        self._workspace: Workspace | None = None
        self._job: Job | None = None
        self._problem = ""
        self._is_wanted = False
        self._kind: CandidateKind | None = None
        self._shows_skipped = False
        self._toolkit: ToolkitId | None = None
        self._version = 0
        self._forget()
        curation.edited.connect(self._on_edited)

    def _forget(self) -> None:
        self._queue: ReviewQueue | None = None
        self._listed: Listed | None = None
        self._version += 1
        self._pending: list[Changes] = []
        self._following: asyncio.Task[None] | None = None
        self._held: set[str] = set()
        self._chosen_by: tuple[object, ...] = ()
        self._chosen: list[Candidate] = []
        self._current: Candidate | None = None
        self._answer = ""
        self._signature: tuple[object, ...] = ()
        self.cards.forget()

    @property
    def workspace(self) -> Workspace | None:
        """The workspace that is reviewed."""
        return self._workspace

    @property
    def queue(self) -> ReviewQueue | None:
        """The questions themselves, for threads; None before they are there."""
        return self._queue

    @property
    def is_ready(self) -> bool:
        """Whether the questions are there."""
        return self._listed is not None

    @property
    def is_reading(self) -> bool:
        """Whether they are being looked for."""
        return self._job is not None

    @property
    def problem(self) -> str:
        """Why there are none; "" if nothing went wrong."""
        return self._problem

    @property
    def is_idle(self) -> bool:
        """Whether all that is going to be shown is there."""
        is_following = self._following is not None and not self._following.done()
        return not (self.is_reading or is_following or self._held) and self.cards.is_idle

    @property
    def state(self) -> Listed | None:
        """What waits; None before it is ready."""
        return self._listed

    @property
    def questions(self) -> list[Candidate]:
        """The list that is shown: as chosen, without those just answered."""
        # Asked several times for each key that is pressed, and five thousand may wait.
        wanted = (
            self._version,
            self._kind,
            self._toolkit,
            self._shows_skipped,
            frozenset(self._held),
        )
        if wanted != self._chosen_by:
            self._chosen_by, self._chosen = wanted, self._choose()
        return self._chosen

    def _choose(self) -> list[Candidate]:
        if self._listed is None:
            return []
        if self._shows_skipped:
            return list(self._listed.skipped)
        return [
            one
            for one in self._listed.waiting
            if self._kind in (None, one.kind)
            and (self._toolkit is None or self._toolkit in one.toolkits)
            and one.key not in self._held
        ]

    @property
    def current(self) -> Candidate | None:
        """The question that is looked at."""
        return self._current

    @property
    def answer(self) -> str:
        """What was answered to it just now: "accepted", "rejected", "skipped" or ""."""
        return self._answer

    @property
    def kind(self) -> CandidateKind | None:
        """The kind that is listed; None lists all."""
        return self._kind

    @property
    def shows_skipped(self) -> bool:
        """Whether the skipped questions are listed instead of those that wait."""
        return self._shows_skipped

    @property
    def toolkit(self) -> ToolkitId | None:
        """The only toolkit whose questions are listed; None lists those of all."""
        return self._toolkit

    def probability(self, candidate: Candidate) -> float:
        """How likely a question is accepted, corrected by the answers so far."""
        return candidate.probability if self._queue is None else self._queue.probability(candidate)

    def is_held(self, candidate: Candidate) -> bool:
        """Whether its answer is on the way to the disk."""
        return candidate.key in self._held

    def set_workspace(self, workspace: Workspace | None) -> None:
        """Review another workspace; its questions are looked for when somebody wants them."""
        self._tasks.cancel_all(self)
        self._workspace = workspace
        self._problem = ""
        self._job = None
        self._is_wanted = False
        self._kind, self._shows_skipped, self._toolkit = None, False, None
        self._forget()
        self.listed.emit()
        self.current_changed.emit()

    def set_catalogue(self, _catalogue: Catalogue) -> None:
        """Look anew if toolkits or vectors are others than the edits explain."""
        workspace = self._workspace
        if workspace is not None and self._is_wanted:
            self._tasks.spawn(self._check(workspace), owner=self)

    def begin(self) -> None:
        """Look for questions, unless they are there or being looked for."""
        self._is_wanted = True
        workspace = self._workspace
        if workspace is None or self.is_reading or self._queue is not None:
            return
        self._problem = ""
        self._pending = []
        job = self._jobs.start(
            "Look for what to review",
            lambda progress: (
                _signature(workspace),
                ReviewQueue.read(workspace, progress=progress),
            ),
        )
        self._job = job
        job.succeeded.connect(lambda read: self._on_read(job, *read))
        job.failed.connect(lambda error: self._on_failed(job, error))
        job.cancelled.connect(lambda: self._on_failed(job, None))
        self.listed.emit()

    def choose_kind(self, kind: CandidateKind | None, *, skipped: bool = False) -> None:
        """List the questions of one kind, or those that were skipped."""
        self._kind, self._shows_skipped, self._toolkit = kind, skipped, None
        self.listed.emit()
        self._look_at_first()

    def choose_toolkit(self, toolkit: ToolkitId | None) -> None:
        """List the questions about one toolkit only; None lists all again."""
        self._kind, self._shows_skipped, self._toolkit = None, False, toolkit
        self.begin()
        self.listed.emit()
        self._look_at_first()

    def look_at(self, key: str) -> None:
        """Look at a question of the list."""
        found = next((one for one in self.questions if one.key == key), None)
        if found is not None and (self._current is None or found.key != self._current.key):
            self._show(found)

    def step(self, by: int) -> None:
        """Look at the next (1) or the one before (-1)."""
        questions = self.questions
        if not questions:
            return
        at = self._place(questions)
        if self._answer and by > 0:
            at -= 1  # the answered one has left the list
        self._show(questions[max(0, min(len(questions) - 1, at + by))])

    def hold(self, candidate: Candidate, answer: str) -> None:
        """Take a question off the list while its answer is on the way; the next one comes up."""
        following = self._following_one(candidate)
        self._held.add(candidate.key)
        self._answer = answer
        if self.goes_on:
            self._show(following)
        else:
            self.current_changed.emit()
        self.listed.emit()

    def release(self, candidate: Candidate) -> None:
        """Its answer is on disk, or was refused: the list says whether it waits."""
        self._held.discard(candidate.key)
        self.listed.emit()

    def reopen(self, key: str) -> None:
        """Look at a question whose answer was taken back."""
        self._answer = ""
        self.look_at(key)

    async def followed(self) -> None:
        """Return when the list shows all edits made until now."""
        while self._following is not None and not self._following.done():
            await self._following

    async def relist_after(self, work: Callable[[ReviewQueue], object]) -> None:
        """Do something with the questions on a thread, then list them anew."""
        queue = self._queue
        if queue is None:
            return

        def read() -> Listed:
            work(queue)
            return _listed(queue)

        listed = await self._tasks.in_thread(read)
        if queue is self._queue:
            self._take(listed)

    def read_runs(self) -> None:
        """Take in what a run that ended says about toolkits."""
        if self._queue is not None:
            self._tasks.spawn(self.relist_after(lambda queue: queue.read_runs()), owner=self)

    def _on_read(self, job: Job, signature: tuple[object, ...], queue: ReviewQueue) -> None:
        if job is not self._job:
            return
        self._job = None
        self._queue = queue
        self._signature = signature
        self._follow()

    def _on_failed(self, job: Job, error: BaseException | None) -> None:
        if job is not self._job:
            return
        self._job = None
        self._problem = "Looking for questions was stopped." if error is None else str(error)
        if error is not None and not isinstance(error, UserError):
            self._report(error)
        self.listed.emit()

    async def _check(self, workspace: Workspace) -> None:
        signature = await self._tasks.in_thread(lambda: _signature(workspace))
        if signature != self._signature and workspace is self._workspace and not self.is_reading:
            self._forget()
            self.begin()

    def _on_edited(self, made: Made) -> None:
        if self._workspace is None or (self._queue is None and not self.is_reading):
            return
        self._pending.append(made.done.changes)
        if self._signature:
            self._signature = (int(str(self._signature[0])) + 1, *self._signature[1:])
        self._follow()

    def _follow(self) -> None:
        is_following = self._following is not None and not self._following.done()
        if self._queue is not None and not is_following:
            self._following = self._tasks.spawn(self._follow_all(self._queue), owner=self)

    async def _follow_all(self, queue: ReviewQueue) -> None:
        while True:
            pending, self._pending = self._pending, []

            def work(changes: list[Changes] = pending) -> Listed:
                for one in changes:
                    queue.follow(one)
                return _listed(queue)

            listed = await self._tasks.in_thread(work)
            if queue is not self._queue:
                return
            if not self._pending:
                break
        self._take(listed)

    def _take(self, listed: Listed) -> None:
        self._listed = listed
        self._version += 1
        questions = self.questions
        self.listed.emit()
        if self._answer and not self.goes_on:
            return
        current = self._current
        same = next((one for one in questions if current and one.key == current.key), None)
        if same is not None:
            self._current = same
            self.current_changed.emit()
            self._read_card()
        else:
            self._show(questions[0] if questions else None)

    def _look_at_first(self) -> None:
        questions = self.questions
        self._show(questions[0] if questions else None)

    def _place(self, questions: list[Candidate]) -> int:
        key = None if self._current is None else self._current.key
        return next((i for i, one in enumerate(questions) if one.key == key), 0)

    def _show(self, candidate: Candidate | None) -> None:
        self._current, self._answer = candidate, ""
        self.cards.expect(None if candidate is None else candidate.key)
        self.current_changed.emit()
        self._read_card()

    def _read_card(self) -> None:
        workspace, queue, candidate = self._workspace, self._queue, self._current
        if workspace is not None and queue is not None and candidate is not None:
            self.cards.read(workspace, queue, candidate, self._following_one(candidate))

    def _following_one(self, candidate: Candidate) -> Candidate | None:
        """The question that comes up after an answer: the most valuable one that it does not touch.

        Not the next one of the list: answers change the order, and what was just rejected would
        drag the eye down with its kind.
        """
        about = set(candidate.toolkits)
        others = (one for one in self.questions if one.key != candidate.key)
        first = next(others, None)
        if first is None or about.isdisjoint(first.toolkits):
            return first
        return next((one for one in others if about.isdisjoint(one.toolkits)), first)


def _listed(queue: ReviewQueue) -> Listed:
    """What waits now; on a reader thread."""
    return Listed(
        waiting=tuple(queue.waiting()),
        skipped=tuple(queue.skipped()),
        status=queue.status(),
        last=queue.last_verdict(),
    )


def _signature(workspace: Workspace) -> tuple[object, ...]:
    """Changes with the toolkits and the vectors; its first part counts changes of toolkits."""
    names = ("active_embedder", "active_neighbours", "active_clustering")
    others = tuple(get_setting(workspace, name, None) for name in names)
    return (int(get_setting(workspace, "toolkits_version", 0)), *others)
