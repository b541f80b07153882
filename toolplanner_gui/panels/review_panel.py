"""The review queue: one question at a time with its evidence, answered by one key.

At the left what comes next, at the right the card. The single keys (A, R, S, N, Z, J, K) are
entries of the Review menu; this shows `context.review` and draws the map's eye to the question.

Accept many questions of a kind together: a threshold, the count, and a way back. Made by
`panels/review_panel.py`, which lists exactly those questions while the strip is open.
"""

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QSplitter, QWidget

from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_core.curation.questions.queue.listing import ListedQuestions
from toolplanner_core.curation.questions.queue.queue import ReviewStatus
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.words.formatting import counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.panels.plan_impact import PlanImpact
from toolplanner_gui.panels.review_card import QuestionCardView
from toolplanner_gui.panels.review_list import (
    KINDS,
    QuestionKindBox,
    QuestionList,
    RegionBox,
    ReviewProgress,
)
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.curate.review import Review
from toolplanner_gui.viewmodels.curate.review_answers import AnswerBatch, ReviewAnswers
from toolplanner_gui.widgets.box_layouts import page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import push_button, set_icon
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import named, text_label


class AnswerBar(QWidget):
    """Accept, reject, skip, never; and taking the last answer back.

    Where there is no room for all of it, the buttons leave out their keys, which the tooltips say.
    """

    def __init__(self, answers: ReviewAnswers) -> None:
        super().__init__()
        tip = "<p>Make the edit that is described above (A)</p>"
        self.accept_button = push_button("Accept (A)", answers.accept, role="primary", tip=tip)
        tip = "<p>Leave it as it is; asked again when the evidence changes (R)</p>"
        self.reject_button = push_button("Reject (R)", answers.reject, tip=tip)
        tip = "<p>Put it off; find it later under “Skipped” (S)</p>"
        self.skip_button = push_button("Skip (S)", answers.skip, tip=tip)
        tip = "<p>Reject it, and keep every later clustering from it, too (N)</p>"
        self.never_button = push_button("Never (N)", answers.never, tip=tip)
        tip = "<p>Take back the last answer and undo its edit (Z)</p>"
        self.back_button = push_button("Take back (Z)", answers.take_back, tip=tip)
        self._answers = (
            self.accept_button, self.reject_button, self.skip_button, self.never_button,
        )  # fmt: skip
        parts = (*self._answers, 1, self.back_button)
        row_of(*parts, of=self, margins=(EDGE, GAP, EDGE, GAP), gap=GAP)
        self._texts = {button: button.text() for button in (*self._answers, self.back_button)}

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for button, text in self._texts.items():
            button.setText(text)
        if self.sizeHint().width() > event.size().width():
            for button, text in self._texts.items():
                button.setText(text.partition(" (")[0])

    def enable(
        self, *, is_open: bool, is_read: bool, has_last: bool, has_proposal: bool = True
    ) -> None:
        """Whether a question waits for an answer, whether what it is answered by is shown, whether
        there is an answer to take back, and whether there is something to accept."""
        self.accept_button.setVisible(has_proposal)
        for button in self._answers:
            button.setEnabled(is_open and (is_read or button is self.skip_button))
        self.back_button.setEnabled(has_last)


def no_questions_reason(page: EmptyState, review: Review, *, has_toolkits: bool) -> None:
    """Why no questions are there yet."""
    if review.reading.is_reading:
        page.say("Looking for what to review: some seconds for a large catalogue.")
    elif review.reading.problem:
        page.say(review.reading.problem, button="Look again", run=review.reading.begin)
    elif has_toolkits:
        page.say(
            "Toolkits to merge or split, APIs in the wrong place, copies and names that do not"
            " fit are found and asked about one by one.",
            button="Look for questions",
            run=review.reading.begin,
        )
    else:
        page.say("There are no toolkits yet: import and prepare first.")


def all_answered_text(page: EmptyState, review: Review, status: ReviewStatus) -> None:
    """That all questions of the choice are answered."""
    answered = f"{counted(status.answered, 'question')} answered."
    if review.choice.is_all:
        skipped = f" {status.skipped:,} were skipped." if status.skipped else ""
        page.say(f"Nothing waits for an answer. {answered}{skipped}")
    else:
        page.say(
            f"No question of this choice is left. {answered}",
            button="List all questions",
            run=lambda: review.choose_kind(None),
        )


_WHY_LEFT = "about the same as others, settled by them, or to be looked at one by one"
_FIRST = 0.85
_STEPS = (0.9, 0.8, 0.7, 0.6, 0.5)
"""Thresholds of which it is said how many questions reach them."""


class BatchAcceptBar(QWidget):
    """One line.

    Args:
        answers: gives the answers, stops and undoes them.

    Signals:
        accept_clicked, close_clicked: the buttons.
    """

    accept_clicked = Signal()
    close_clicked = Signal()

    def __init__(self, answers: ReviewAnswers) -> None:
        super().__init__()
        self._means: Sequence[float] = ()
        self.threshold = QDoubleSpinBox(minimum=0.05, maximum=1.0, singleStep=0.05, value=_FIRST)
        self.threshold.setFixedWidth(64)
        tip = (
            "<p>Least mean of the signals, the evidence on the card, each from 0 to 1; Up and Down"
            " change it</p>"
        )
        named(self.threshold, "Least mean of the signals", tip=tip)
        self.words = text_label()
        self.accept_button = push_button("Accept", self.accept_clicked.emit, role="primary")
        self.stop_button = push_button("Stop", answers.stop_batch)
        tip = "<p>Undo all that was accepted together; edits since stay</p>"
        self.undo_button = push_button("Undo the batch", answers.undo_batch, tip=tip)
        self.close_button = push_button("Close", self.close_clicked.emit)
        # What undoes comes before the others: none of them is then where another one was.
        buttons = (self.undo_button, self.accept_button, self.stop_button, self.close_button)
        parts = (text_label("From a mean signal of"), self.threshold, self.words, 1, *buttons)
        row_of(*parts, of=self, margins=(EDGE, SPACE, EDGE, SPACE), gap=GAP)
        self.show_batch(None)

    def begin(self, means: Sequence[float]) -> None:
        """Start with a cautious threshold, whatever was accepted before; a lower one where nothing
        reaches it.

        Args:
            means: the mean signal of each question that may be accepted.
        """
        self._means = means
        best = math.floor(max(means, default=_FIRST) * 20 + 1e-9) / 20
        self.threshold.setValue(min(_FIRST, best))

    def show_count(self, n: int, kind: str) -> None:
        """How many would be accepted, and how many from other thresholds on."""
        reached = {step: sum(mean >= step for mean in self._means) for step in _STEPS}
        steps = ", ".join(f"{step:.1f}: {reach:,}" for step, reach in reached.items() if reach)
        others = f"; from {steps}" if steps else ""
        listed = f"{counted(n, 'question')} about “{kind.lower()}”, as listed{others}"
        self.words.setText(listed)
        self.accept_button.setText(f"Accept {n:,}")
        self.accept_button.setEnabled(n > 0)

    def show_batch(self, batch: AnswerBatch | None) -> None:
        """Where a batch stands; None when there is none."""
        is_running = batch is not None and batch.is_running
        self.stop_button.setVisible(is_running)
        self.accept_button.setVisible(not is_running)
        self.threshold.setEnabled(not is_running)
        self.close_button.setEnabled(not is_running)
        self.undo_button.setVisible(batch is not None and batch.edit is not None)
        if batch is None:
            return
        if batch.is_running:
            self.words.setText(f"Accepting {counted(batch.total, 'question')} …")
            return
        left = f", {batch.left:,} left: {_WHY_LEFT}" if batch.left else ""
        self.words.setText(f"{batch.done:,} of {batch.total:,} accepted{left}")


_LIST_WIDTH = 140
"""The list keeps so much where the window is narrow."""


class ReviewPanel(Panel):
    """The list at the left, the card right of it, the answers below the card."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._shown: tuple[object, ...] = ()
        self.kinds = QuestionKindBox()
        self.regions = RegionBox()
        self.next_box = QCheckBox("Go on to the next")
        self.next_box.setToolTip("<p>After an answer the next question comes up by itself</p>")
        self.next_box.setChecked(context.review.goes_on)
        self.map_box = QCheckBox("Show on the map")
        self.map_box.setToolTip(
            "<p>Select what the question is about, so that the map shows it</p>"
        )
        self.map_box.setChecked(True)
        self.batch_button = push_button("Accept many …", self.open_batch)
        self.standing = ReviewProgress()
        self.strip = BatchAcceptBar(context.answers)
        self.strip.hide()
        self.search = SearchField("Search the questions")
        self.list = QuestionList()
        self.plans = PlanImpact(context)
        self.card = QuestionCardView(self.plans)
        self.answer_bar = AnswerBar(context.answers)
        self._empty = EmptyState("clipboard-check-outline")
        self._pages = pages_of(self._empty, self._content(), of=self)
        set_icon(self.answer_bar.accept_button, make_icon("check", "on_accent"))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._connect()
        self._on_listed()

    def _connect(self) -> None:
        review, answers = self.context.review, self.context.answers
        review.listed.connect(self._on_listed)
        review.current_changed.connect(self._on_current)
        review.cards.changed.connect(self._show_card)
        answers.batch_changed.connect(self._on_batch)
        self.context.catalogue_changed.connect(self._begin_if_seen)
        self.context.theme.changed.connect(self._on_listed)
        self.kinds.chosen.connect(self._on_kind)
        self.regions.chosen.connect(review.choose_region)
        self.next_box.toggled.connect(lambda on: setattr(review, "goes_on", on))
        self.map_box.toggled.connect(lambda _on: self._show_on_map())
        self.search.textChanged.connect(review.search)
        self.search.left_down.connect(self.list.setFocus)
        self.list.chosen.connect(review.look_at)
        self.list.activated.connect(self.show_details)
        self.card.joining.left_out_changed.connect(review.leave_out)
        self.strip.threshold.valueChanged.connect(lambda _value: self._list_strong())
        self.strip.accept_clicked.connect(answers.accept_listed)
        self.strip.close_clicked.connect(self.close_batch)

    @property
    def is_idle(self) -> bool:
        review, answers = self.context.review, self.context.answers
        return review.is_idle and answers.is_idle and self.plans.is_idle

    def focus_card(self) -> None:
        """Go to the questions."""
        self.context.review.reading.begin()
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_batch(self) -> None:
        """Open the line in which many questions are accepted together."""
        kind, review = self._batch_kind(), self.context.review
        if kind is None or review.state is None or review.reading.is_reading:
            return
        if self.strip.isHidden():
            here = review.choice.around(review.state)
            self.strip.begin([one.probability for one in here if one.kind is kind])
            self.context.answers.forget_batch()
        self._list_strong()
        self.strip.threshold.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._on_batch()

    def close_batch(self) -> None:
        """Close it and list all questions of the kind again."""
        self.context.review.choose_weak_too()
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_details(self) -> None:
        """Select the toolkit of the question, whose details are then shown."""
        current = self.context.review.current
        if current is not None and current.toolkits:
            self.context.selection.select_toolkit(ToolkitId(current.toolkits[0]), self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard is on the questions as soon as there are some."""
        super().focusInEvent(event)
        if self._pages.currentIndex() == 1:
            self.list.setFocus(event.reason())

    def showEvent(self, event: QShowEvent) -> None:
        """Look for questions when somebody wants to see them."""
        super().showEvent(event)
        self._begin_if_seen()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens the details from everywhere on the card."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.show_details()
            return
        super().keyPressEvent(event)

    def _content(self) -> QWidget:
        tops = (self.kinds, self.regions, 1, self.batch_button)
        top = row_of(*tops, margins=(EDGE, GAP, EDGE, 0), gap=GAP)
        below = ((self.standing, 1), self.next_box, self.map_box)
        standing = row_of(*below, margins=(0, 0, EDGE, 0), gap=GAP)
        right = self._right = page_of((self.card, 1), self.answer_bar)
        splitter = QSplitter()
        left = page_of(row_of(self.search, margins=(EDGE, 0, 0, SPACE)), (self.list, 1))
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setStretchFactor(0, 2)
        splitter.setStretchFactor(1, 3)
        splitter.setSizes([260, 460])
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(1)
        left.setMinimumWidth(_LIST_WIDTH)
        return page_of(top, standing, self.strip, (splitter, 1), gap=GAP)

    def _begin_if_seen(self) -> None:
        context = self.context
        if self.isVisible() and context.workspace is not None and context.catalogue.toolkits:
            context.review.reading.begin()
        self._on_listed()

    def _on_listed(self) -> None:
        review = self.context.review
        state = review.state
        if state is None:
            self._pages.setCurrentIndex(0)
            has_toolkits = bool(self.context.catalogue.toolkits)
            no_questions_reason(self._empty, review, has_toolkits=has_toolkits)
            return
        if self._pages.currentIndex() == 0:
            self._pages.setCurrentIndex(1)
        if self.hasFocus():
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        if self.search.text().split() != review.choice.words.split():
            self.search.setText(review.choice.words)
        regions = self._regions()
        review.follow_region([kits for _, kits in regions])
        self._fill_kinds(state)
        everywhere = review.choice.everywhere(state)
        self.regions.fill(regions, everywhere, review.choice.toolkits)
        self.standing.show_status(
            state.status, len(review.choice.around(state)), is_old=review.reading.is_reading
        )
        kind = review.choice.kind
        self.strip.setVisible(review.choice.is_strong)
        if kind is not None and not self.context.answers.is_batch_running:
            self.strip.show_count(len(review.questions), KINDS[kind][0])
        self.list.show_questions(review.questions, review.current, review.worth)
        self._on_current()

    def _fill_kinds(self, listed: ListedQuestions) -> None:
        choice = self.context.review.choice
        known = None if choice.toolkit is None else self.context.catalogue.toolkit(choice.toolkit)
        self.kinds.fill(listed, choice, "one toolkit" if known is None else known.name)

    def _regions(self) -> list[tuple[str, frozenset[ToolkitId]]]:
        """Names of the regions with their toolkits."""
        catalogue = self.context.catalogue
        members: dict[RegionId, set[ToolkitId]] = {}
        for toolkit, region in catalogue.region_of.items():
            members.setdefault(region, set()).add(toolkit)
        return [
            (fields.name, frozenset(members[region]))
            for region, fields in catalogue.regions.items()
            if region in members
        ]

    def _list_strong(self) -> None:
        kind = self._batch_kind()
        if kind is not None:
            self.context.review.choose_strong(kind, self.strip.threshold.value())

    def _on_current(self) -> None:
        review = self.context.review
        current, state = review.current, review.state
        self._enable_answers()
        self.batch_button.setEnabled(
            current is not None
            and current.kind is not CandidateKind.BLAMED
            and not review.reading.is_reading
        )
        # What narrows the list is seen while nothing is left of it, to be widened again.
        is_narrowed = review.choice.is_strong or bool(review.choice.words)
        self._right.setVisible(current is not None or not is_narrowed)
        if current is None:
            if state is not None and not is_narrowed:
                self._pages.setCurrentIndex(0)
                all_answered_text(self._empty, review, state.status)
            return
        self._pages.setCurrentIndex(1)
        probability = review.probability(current)
        shown = (current.key, current.evidence, review.answer, probability)
        if shown != self._shown:
            if self._shown[:1] != shown[:1]:
                # Each is read from its top, wherever the one before was left.
                self.card.verticalScrollBar().setValue(0)
            self._shown = shown
            self.card.show_question(current, probability, review.answer.capitalize())
            self._show_card()
        self.list.mark(current)
        self._show_on_map()

    def _enable_answers(self) -> None:
        review, is_many = self.context.review, self.context.answers.is_batch_running
        has_last = review.state is not None and review.state.last is not None
        self.answer_bar.enable(
            is_open=review.current is not None and not review.answer and not is_many,
            is_read=review.is_read,
            has_last=has_last and not is_many,
            has_proposal=review.has_proposal or not review.is_read,
        )

    def _show_card(self) -> None:
        self._enable_answers()
        # While many are accepted, each of them changes what a card says: none is read to its end.
        is_shown = self.context.review.is_shown and not self.context.answers.is_batch_running
        card = self.context.review.cards.card if is_shown else None
        self.card.show_card(card)
        proposed = card.proposed if card is not None else None
        is_open = self.isVisible() and not self.context.review.answer
        self.plans.ask(proposed.edit if proposed is not None and is_open else None)

    def _show_on_map(self) -> None:
        current = self.context.review.current
        if current is None or not self.map_box.isChecked() or not self.isVisible():
            return
        made = {"by": "review", "question": current.key}
        selection = self.context.selection
        toolkits = [ToolkitId(one) for one in current.toolkits]
        if current.kind in (CandidateKind.MERGE, CandidateKind.GROUP):
            selection.select_toolkits(toolkits, self, made=made)
        elif current.apis and current.kind is not CandidateKind.BLAMED:
            selection.select_apis(current.apis, self, made=made)
        elif toolkits:
            selection.select_toolkit(toolkits[0], self)

    def _on_kind(self, kind: CandidateKind | None, is_skipped: bool) -> None:
        self.context.review.choose_kind(kind, skipped=is_skipped)

    def _batch_kind(self) -> CandidateKind | None:
        """The kind of the questions that are listed, else of the one that is looked at."""
        review = self.context.review
        kind = review.choice.kind
        if kind is None and review.current is not None:
            kind = review.current.kind
        return None if kind is CandidateKind.BLAMED else kind

    def _on_batch(self) -> None:
        batch = self.context.answers.batch
        self.strip.show_batch(batch)
        if batch is None or not batch.is_running:
            self._on_listed()
        self._show_card()
        if batch is not None:
            self.strip.show_batch(batch)
