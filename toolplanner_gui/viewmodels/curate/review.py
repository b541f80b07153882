"""The questions of the review: how they are found, listed, and shown as cards.

The card of the question that is looked at, and the next one read ahead. Cards are read on threads;
reading ahead lets the next question come up with all its evidence at once.

Looks for the questions of the review and keeps them in step with edits and runs. The queue of the
core works on threads and is never asked from the GUI thread: after each change a copy of what waits
is handed over. Edits of all kinds are followed in the order in which they were made. What was found
last time is listed at once, until it has been found anew behind it; what is found is kept for the
next opening as soon as nobody edits for a moment.

The review as the window sees it: which questions are listed, and the one that is looked at. What
waits is read by `viewmodels/curate/review_reading.py`; answers are given by
`viewmodels/curate/review_answers.py`; panel, menu and map ask here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.cursor import QueueCursor
from toolplanner_core.curation.questions.queue.listing import ListedQuestions, QuestionChoice
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import NotFound, UserError, WorkspaceError
from toolplanner_core.jobs.isolation import problem_of
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_gui.bridge.jobs import Job, Jobs
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.curate.edit_queue import CommittedEdit, EditQueue

if TYPE_CHECKING:
    # Loaded where questions are read, on threads, once somebody reviews.
    from toolplanner_core.curation.questions.queue.card import Card
    from toolplanner_core.curation.questions.queue.queue import ReviewQueue
    from toolplanner_core.domain.curated import Changes


class QuestionCards(QObject):
    """Holds the card that is shown. GUI thread.

    Signals:
        changed: the card is there, or has other figures.
    """

    changed = Signal()

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest = LatestRequest(tasks, self)
        self.card: Card | None = None
        """The card of the question that is looked at; None while it is read."""
        self._ahead: Card | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no card is being read."""
        return self._newest.is_idle

    def forget(self) -> None:
        """No question is looked at."""
        self._newest.forget()
        self.card = self._ahead = None

    def expect(self, key: str | None) -> None:
        """Another question is looked at; its card is there already if it was read ahead."""
        self._newest.forget()
        ahead, self._ahead = self._ahead, None
        self.card = ahead if ahead is not None and ahead.key == key else None
        self.changed.emit()

    def read(
        self,
        workspace: Workspace,
        queue: ReviewQueue,
        candidate: Candidate,
        following: Candidate | None,
        *,
        without: frozenset[ToolkitId],
    ) -> None:
        """Read the card of a question with the figures of the moment, then the following one.

        Args:
            without: toolkits that a person left out of it.
        """

        def read(one: Candidate, without: frozenset[ToolkitId] = frozenset()) -> Card | None:
            from toolplanner_core.curation.questions.queue.card import read_card

            try:
                return read_card(workspace, queue, one, without=without)
            except NotFound:
                # A toolkit of it has ended since; the list that follows has other questions.
                return None

        def show(card: Card | None) -> None:
            if card is not None:
                self.card = card
                self.changed.emit()
                if (ahead := following) is not None:
                    self._newest.ask(lambda: read(ahead), self._keep)

        self._newest.ask(lambda: read(candidate, without), show)

    def _keep(self, card: Card | None) -> None:
        self._ahead = card


_KEEP_MS = 2_000


class QuestionLoader(QObject):
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
        curation: EditQueue,
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
        self._tasks.spawn(self._list_stored(job), owner=self)

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
        if problem := problem_of(queue.failures):
            self._report(problem)
        self._signature = signature
        self._pending = [*self._since]
        self._following = self._tasks.spawn(self._follow_all(queue), owner=self)

    async def _list_stored(self, job: Job) -> None:
        queue = await self._tasks.in_thread(lambda: _stored_queue(self.workspace))
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

    def _on_edited(self, made: CommittedEdit) -> None:
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


def _stored_queue(workspace: Workspace) -> ReviewQueue | None:
    from toolplanner_core.curation.questions.queue.queue import ReviewQueue

    return ReviewQueue.stored(workspace)


def _listed(queue: ReviewQueue) -> ListedQuestions:
    from toolplanner_core.curation.questions.queue.listing import list_questions

    return list_questions(queue)


def _signature(workspace: Workspace) -> tuple[object, ...]:
    """Changes with the toolkits and the vectors; its first part counts changes of toolkits."""
    names = ("active_embedder", "active_neighbours", "active_clustering")
    others = tuple(get_setting(workspace, name, None) for name in names)
    return (int(get_setting(workspace, "toolkits_version", 0)), *others)


class Review(QObject):
    """The questions of the open workspace. GUI thread.

    Attributes:
        reading: what waits, kept in step with edits.
        cards: what is known about the question that is looked at.
        goes_on: whether the next question comes up by itself.
        choice: which questions are listed.
        left_out: toolkits that a person takes out of the question that is looked at.

    Signals:
        listed: other questions wait, or the review is in another state.
        current_changed: another question is looked at, or it was answered.
    """

    listed = Signal()
    current_changed = Signal()

    def __init__(
        self,
        workspace: Workspace,
        tasks: Tasks,
        jobs: Jobs,
        curation: EditQueue,
        *,
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.reading = QuestionLoader(workspace, tasks, jobs, curation, report=report, parent=self)
        self.cards = QuestionCards(tasks, self)
        self.goes_on = True
        self.choice = QuestionChoice()
        self.left_out: frozenset[ToolkitId] = frozenset()
        self._before_strong = self.choice
        self._place = QueueCursor()
        self._was: Candidate | None = None
        self.current: Candidate | None = None
        """The question that is looked at."""
        self._version = 0
        self._forget()
        self.reading.forgotten.connect(self._forget)
        self.reading.changed.connect(self.listed)
        self.reading.listed.connect(self._take)

    def _forget(self) -> None:
        self.state: ListedQuestions | None = None
        """What waits; None before it is ready."""
        self._version += 1
        # Found anew, the list goes on where the person was.
        self._was = self.current or self._was
        self._held: set[str] = set()
        self._chosen_by: tuple[object, ...] = ()
        self._chosen: list[Candidate] = []
        self.current = None
        self.answer = ""
        """What was answered to it just now: "accepted", "rejected", "skipped" or ""."""
        self.cards.forget()

    @property
    def is_idle(self) -> bool:
        """Whether all that is going to be shown is there."""
        reading = self.reading
        is_busy = reading.is_reading or reading.is_following or bool(self._held)
        return not is_busy and self.cards.is_idle

    @property
    def is_read(self) -> bool:
        """Whether the card of the question that is looked at is there: nobody answers unseen."""
        card = self.cards.card
        return self.is_shown and card is not None and card.without == self.left_out

    @property
    def is_shown(self) -> bool:
        """Whether its card is there, be it as of before the last toolkit was left out."""
        card = self.cards.card
        return card is not None and self.current is not None and card.key == self.current.key

    @property
    def has_proposal(self) -> bool:
        """Whether its card proposes something that can be accepted."""
        card = self.cards.card
        proposed = None if card is None else card.proposed
        return self.is_read and proposed is not None and proposed.edit is not None

    @property
    def questions(self) -> list[Candidate]:
        """The list that is shown: as chosen, without those just answered."""
        # Asked several times for each key that is pressed, and five thousand may wait.
        wanted = (self._version, self.choice, frozenset(self._held))
        if wanted != self._chosen_by:
            listed = self.state
            self._chosen_by = wanted
            self._chosen = [] if listed is None else self.choice.of(listed, without=self._held)
        return self._chosen

    def probability(self, candidate: Candidate) -> float:
        """How likely a question is accepted, corrected by the answers so far."""
        queue = self.reading.queue
        return candidate.probability if queue is None else queue.probability(candidate)

    def worth(self, candidate: Candidate) -> float:
        """What the list is ordered by: what is won if it is accepted, times how likely that is."""
        return candidate.gain * self.probability(candidate)

    def is_held(self, candidate: Candidate) -> bool:
        """Whether its answer is on the way to the disk."""
        return candidate.key in self._held

    def choose_kind(self, kind: CandidateKind | None, *, skipped: bool = False) -> None:
        """List the questions of one kind, or those that were skipped."""
        choice = QuestionChoice(
            kind=kind, is_skipped=skipped, toolkits=self.choice.toolkits, words=self.choice.words
        )
        self._choose(choice)

    def search(self, words: str) -> None:
        """List only questions whose title holds all of these words; "" lists all again."""
        if words.split() != self.choice.words.split():
            self._choose(replace(self.choice, words=words))

    def choose_strong(self, kind: CandidateKind, above: float) -> None:
        """Of what is listed, list only the questions of a kind with such a mean signal."""
        if not self.choice.is_strong:
            self._before_strong = self.choice
        self._choose(replace(self.choice, kind=kind, above=above, is_skipped=False))

    def choose_weak_too(self) -> None:
        """List the questions of any mean signal again, of the kinds that were listed before."""
        before = self._before_strong
        kind, is_skipped = before.kind, before.is_skipped
        self._choose(replace(self.choice, kind=kind, is_skipped=is_skipped, above=0.0))

    def choose_region(self, toolkits: frozenset[ToolkitId] | None) -> None:
        """List the questions about the toolkits of a region only; None lists all again."""
        self._choose(replace(self.choice, toolkits=toolkits, toolkit=None, is_skipped=False))

    def follow_region(self, regions: Collection[frozenset[ToolkitId]]) -> None:
        """Keep to the chosen region once edits have ended or made toolkits in it.

        Args:
            regions: the toolkits of each region there is now.
        """
        before = self.choice.toolkits
        if before is not None and regions and before not in regions:
            now = max(regions, key=lambda kits: len(kits & before))
            self.choice = replace(self.choice, toolkits=now if now & before else None)

    def choose_toolkit(self, toolkit: ToolkitId | None) -> None:
        """List the questions about one toolkit only; None lists all again."""
        self.choice = QuestionChoice(toolkit=toolkit)
        self.reading.begin()
        self._choose(self.choice)

    def look_at(self, key: str) -> None:
        """Look at a question of the list."""
        found = next((one for one in self.questions if one.key == key), None)
        if found is not None and (self.current is None or found.key != self.current.key):
            self._go(found)

    def leave_out(self, toolkits: frozenset[ToolkitId]) -> None:
        """Take toolkits out of the question that is looked at: accepted, they stay as they are."""
        if toolkits != self.left_out:
            self.left_out = toolkits
            self._read_card()
            self.current_changed.emit()

    def step(self, by: int) -> None:
        """Look at the next (1) or the one before (-1)."""
        questions = self.questions
        if not questions:
            return
        key = None if self.current is None else self.current.key
        at = next((i for i, one in enumerate(questions) if one.key == key), 0)
        if self.answer and by > 0:
            at -= 1  # the answered one has left the list
        self._go(questions[max(0, min(len(questions) - 1, at + by))])

    def hold(self, candidate: Candidate, answer: str) -> None:
        """Take a question off the list while its answer is on the way; the next one comes up:
        none that was passed over, before the end of the list."""
        following = self._place.answered(self.questions, candidate)
        self._held.add(candidate.key)
        self.answer = answer
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
        self.answer = ""
        found = next((one for one in self.questions if one.key == key), None)
        if found is not None:
            self._place.came_back(found)
            self._show(found)

    def _take(self, listed: ListedQuestions) -> None:
        before = self.questions
        self.state = listed
        self._version += 1
        questions, current = self.questions, self.current or self._was
        self._place.relisted(before, questions, current)
        self.listed.emit()
        if self.answer and not self.goes_on:
            return
        same = next((one for one in questions if current and one.key == current.key), None)
        if same is not None and self.current is not None:
            self.current = same
            self.current_changed.emit()
            self._read_card()
        elif same is not None:
            self._show(same)
        elif current is not None:
            self._show(self._place.following(questions, current))
        else:
            self._show_first()

    def _choose(self, choice: QuestionChoice) -> None:
        self.choice = choice
        self.listed.emit()
        self._show_first()

    def _show_first(self) -> None:
        questions = self.questions
        self._place.forget()
        self._show(questions[0] if questions else None)

    def _go(self, to: Candidate) -> None:
        self._place.go(self.questions, to, None if self.answer else self.current)
        self._show(to)

    def _show(self, candidate: Candidate | None) -> None:
        self.current, self.answer, self.left_out = candidate, "", frozenset()
        self.cards.expect(None if candidate is None else candidate.key)
        self.current_changed.emit()
        self._read_card()

    def _read_card(self) -> None:
        workspace, queue, candidate = self.reading.workspace, self.reading.queue, self.current
        if queue is not None and candidate is not None:
            following = self._place.following(self.questions, candidate)
            self.cards.read(workspace, queue, candidate, following, without=self.left_out)
