"""Answers to the questions of the review: one at a time, or many of a kind together.

The next question is shown at once; the answer's edit goes through `context.curation` like every
other. Panel and menu answer here.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.questions.kinds.candidate import Candidate
from toolplanner_core.curation.questions.queue import answering
from toolplanner_core.curation.questions.queue.batch import (
    BatchDone,
    ProposedMany,
    accept_many,
    batch_words,
    propose_many,
)
from toolplanner_core.curation.questions.queue.proposing import propose, propose_never
from toolplanner_core.domain.ids import EditId
from toolplanner_core.errors import Cancelled
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.settings import person_name
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.verdicts import StoredVerdict
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.curate.edit_queue import EditQueue
from toolplanner_gui.viewmodels.curate.review import Review


class AnswerBatch(NamedTuple):
    """Where accepting many together stands.

    Attributes:
        left: questions that an earlier one settled, or that propose nothing.
        edit: the one that undoes all of it; None before it is made, or where none was.
    """

    done: int
    left: int
    total: int
    edit: EditId | None
    is_running: bool


class ReviewAnswers(QObject):
    """Gives answers. GUI thread.

    Signals:
        batch_changed: a batch went on or ended.
    """

    batch_changed = Signal()

    def __init__(
        self, review: Review, tasks: Tasks, curation: EditQueue, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._review, self._tasks, self._curation = review, tasks, curation
        self.batch: AnswerBatch | None = None
        """The last batch; None when it was undone or forgotten, or there was none."""
        self._reading_batch = Progress()
        self._is_taking_back = False
        self._giving: set[asyncio.Task[None]] = set()

    @property
    def is_idle(self) -> bool:
        """Whether no answer is being given or taken back."""
        return not self._is_taking_back and not self.is_batch_running

    @property
    def is_batch_running(self) -> bool:
        """Whether questions are being accepted together."""
        return self.batch is not None and self.batch.is_running

    def accept(self) -> None:
        """Say yes to what the card proposes; nothing where it proposes nothing."""
        edit, review = self._shown_edit(), self._review
        if edit is None and (review.is_read or review.left_out):
            return
        self._give("accepted", lambda w, candidate: self._accept(w, candidate, edit))

    def reject(self) -> None:
        """Say no."""
        self._give("rejected", lambda w, candidate: self._note(answering.reject, w, candidate))

    def skip(self) -> None:
        """Put it off."""
        self._give("skipped", lambda w, candidate: self._note(answering.skip, w, candidate))

    def never(self) -> None:
        """Say no for all later clusterings, too; a plain no where no link can say that."""
        self._give("rejected", self._never)

    def take_back(self) -> None:
        """Forget the last answer and undo the edit it made; one that is being given counts."""
        state, workspace = self._review.state, self._review.reading.workspace
        if state is None or not self.is_idle:
            return
        if state.last is None and not self._giving:
            return
        self._is_taking_back = True
        task = self._tasks.spawn(self._take_back_last(workspace), owner=self)
        task.add_done_callback(lambda _task: self._on_taken_back())

    def _on_taken_back(self) -> None:
        self._is_taking_back = False

    def accept_listed(self) -> None:
        """Accept the listed questions, all of one kind, as one edit."""
        review = self._review
        kind, above = review.choice.kind, review.choice.above
        if kind is not None and not self.is_batch_running:
            self._reading_batch = Progress()
            chosen = [*review.questions]
            # At once, so that a second click finds it running.
            self._say(AnswerBatch(0, 0, len(chosen), None, is_running=True))
            work = self._accept_all(chosen, batch_words(kind, above))
            self._tasks.spawn(work, owner=self)

    def forget_batch(self) -> None:
        """What a batch that ended came to is not shown any more; the history still undoes it."""
        if not self.is_batch_running:
            self.batch = None
            self.batch_changed.emit()

    def stop_batch(self) -> None:
        """End the batch before its edit is made; nothing is accepted."""
        self._reading_batch.cancel()

    def undo_batch(self) -> None:
        """Undo what the batch did; edits made since stay."""
        batch, who = self.batch, person_name()
        if batch is not None and batch.edit is not None and not batch.is_running:
            edit = batch.edit
            self._curation.run(lambda opened: answering.undo_answer(opened, edit, who=who))
            self.batch = None
            self.batch_changed.emit()

    def _shown_edit(self) -> Edit | None:
        card = self._review.cards.card
        if not self._review.is_read or card is None or card.proposed is None:
            return None
        return card.proposed.edit

    def _give(
        self,
        answer: str,
        flow: Callable[[Workspace, Candidate], Coroutine[Any, Any, bool]],
    ) -> None:
        review = self._review
        candidate, workspace = review.current, review.reading.workspace
        if candidate is None or review.answer or not self.is_idle:
            return
        if review.is_held(candidate):
            return
        review.hold(candidate, answer)

        async def give() -> None:
            try:
                await flow(workspace, candidate)
                await review.reading.followed()
            finally:
                review.release(candidate)

        task = self._tasks.spawn(give(), owner=self)
        self._giving.add(task)
        task.add_done_callback(self._giving.discard)

    async def _note(
        self,
        note: Callable[..., answering.ReviewAnswer],
        workspace: Workspace,
        candidate: Candidate,
    ) -> bool:
        who = person_name()
        await self._tasks.in_thread(lambda: note(workspace, candidate, who=who))
        await self._review.reading.relist_after(lambda queue: queue.read_verdicts())
        return True

    async def _accept(self, workspace: Workspace, candidate: Candidate, edit: Edit | None) -> bool:
        if edit is None:
            edit = (await self._tasks.in_thread(lambda: propose(workspace, candidate))).edit
        if edit is None:
            return False
        chosen, who = edit, person_name()
        return await self._make(
            lambda opened: _done(answering.accept(opened, candidate, edit=chosen, who=who))
        )

    async def _never(self, workspace: Workspace, candidate: Candidate) -> bool:
        link = await self._tasks.in_thread(lambda: propose_never(workspace, candidate))
        if link is None:
            return await self._note(answering.reject, workspace, candidate)
        who = person_name()
        return await self._make(
            lambda opened: _done(answering.reject_for_good(opened, candidate, who=who))
        )

    async def _make(self, work: Callable[[Workspace], Done]) -> bool:
        return await self._curation.run(work) is not None

    async def _take_back_last(self, workspace: Workspace) -> None:
        for task in tuple(self._giving):
            # What went wrong there is shown already.
            with contextlib.suppress(Exception):
                await task
        state = self._review.state
        if state is not None and state.last is not None:
            await self._take_back(workspace, state.last)

    async def _take_back(self, workspace: Workspace, verdict: StoredVerdict) -> None:
        if verdict.edit is None:
            await self._tasks.in_thread(
                lambda: answering.take_back(workspace, verdict, who=person_name())
            )
        elif not await self._make(lambda opened: _undone(opened, verdict)):
            return
        await self._review.reading.followed()
        await self._review.reading.relist_after(lambda queue: queue.read_verdicts())
        self._review.reopen(verdict.key)

    async def _accept_all(self, chosen: Sequence[Candidate], words: str) -> None:
        reading, progress = self._review.reading, self._reading_batch
        batch = AnswerBatch(0, 0, len(chosen), None, is_running=False)
        try:
            await reading.followed()
            proposed = await self._tasks.in_thread(
                lambda: propose_many(reading.workspace, chosen, progress=progress)
            )
            done = await self._make_all(proposed, words)
            await reading.followed()
            edit = None if done.done is None else done.done.head
            batch = batch._replace(done=len(done.accepted), left=len(done.left), edit=edit)
        except Cancelled:
            pass
        finally:
            self._say(batch)

    async def _make_all(self, proposed: ProposedMany, words: str) -> BatchDone:
        """Nothing where it was refused, which the banner says."""
        refused = BatchDone(None, [], [*proposed.asked, *proposed.left])
        if not proposed.edits:
            return refused
        found, who = [refused], person_name()

        def accept(workspace: Workspace) -> Done:
            batch = accept_many(workspace, proposed, words=words, who=who)
            assert batch.done is not None, "there are edits"
            found.append(batch)
            return batch.done

        await self._make(accept)
        return found[-1]

    def _say(self, batch: AnswerBatch) -> None:
        self.batch = batch
        self.batch_changed.emit()


def _done(answer: answering.ReviewAnswer) -> Done:
    assert answer.done is not None, "an answer with an edit"
    return answer.done


def _undone(workspace: Workspace, verdict: StoredVerdict) -> Done:
    done = answering.take_back(workspace, verdict, who=person_name())
    assert done is not None, "a verdict with an edit"
    return done
