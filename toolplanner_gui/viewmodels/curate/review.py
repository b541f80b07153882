"""The review as the window sees it: which questions are listed, and the one that is looked at.

What waits is read by `viewmodels/curate/review_reading.py`; answers are given by
`viewmodels/curate/review_answers.py`; panel, menu and map ask here.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.listing import (
    ListedQuestions,
    QuestionChoice,
)
from toolplanner_core.curation.questions.queue.place import QueuePlace
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.jobs import Jobs
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.curate.curation import Curation
from toolplanner_gui.viewmodels.curate.review_cards import Cards
from toolplanner_gui.viewmodels.curate.review_reading import ReviewReading


class Review(QObject):
    """The questions of the open workspace. GUI thread.

    Attributes:
        reading: what waits, kept in step with edits.
        cards: what is known about the question that is looked at.
        goes_on: whether the next question comes up by itself.
        choice: which questions are listed.

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
        curation: Curation,
        *,
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.reading = ReviewReading(workspace, tasks, jobs, curation, report=report, parent=self)
        self.cards = Cards(tasks, self)
        self.goes_on = True
        self.choice = QuestionChoice()
        self._before_strong = self.choice
        self._place = QueuePlace()
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
        return card is not None and self.current is not None and card.key == self.current.key

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
        choice = QuestionChoice(kind=kind, is_skipped=skipped, toolkits=self.choice.toolkits)
        self._choose(choice)

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
        self.current, self.answer = candidate, ""
        self.cards.expect(None if candidate is None else candidate.key)
        self.current_changed.emit()
        self._read_card()

    def _read_card(self) -> None:
        workspace, queue, candidate = self.reading.workspace, self.reading.queue, self.current
        if queue is not None and candidate is not None:
            following = self._place.following(self.questions, candidate)
            self.cards.read(workspace, queue, candidate, following)
