"""The review queue: one question at a time with its evidence, answered by one key.

At the left what comes next, at the right the card. The single keys (A, R, S, N, Z, J, K) are
entries of the Review menu; this shows `context.review` and draws the map's eye to the question.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QSplitter,
    QWidget,
)

from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_core.curation.questions.queue.listing import ListedQuestions
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.foreseen_plans import ForeseenPlans
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.panels.review.answer_bar import AnswerBar
from toolplanner_gui.panels.review.batch_strip import BatchStrip
from toolplanner_gui.panels.review.card_view import CardView
from toolplanner_gui.panels.review.head import KindBox, RegionBox, Standing
from toolplanner_gui.panels.review.nothing_asked import say_done, say_why_not
from toolplanner_gui.panels.review.question_list import KINDS, QuestionList
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.boxes import page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import push_button, set_icon
from toolplanner_gui.widgets.empty_state import EmptyState

_LIST_WIDTH = 140
"""The list keeps so much where the window is narrow."""


class ReviewPanel(Panel):
    """The list at the left, the card right of it, the answers below the card."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._shown: tuple[object, ...] = ()
        self.kinds = KindBox()
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
        self.standing = Standing()
        self.strip = BatchStrip(context.answers)
        self.strip.hide()
        self.list = QuestionList()
        self.plans = ForeseenPlans(context)
        self.card = CardView(self.plans)
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
        self.list.chosen.connect(review.look_at)
        self.list.activated.connect(self.show_details)
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
        if self._batch_kind() is None or self.context.review.reading.is_reading:
            return
        if self.strip.isHidden():
            self.strip.begin()
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
        splitter.addWidget(self.list)
        splitter.addWidget(right)
        splitter.setStretchFactor(0, 2)
        splitter.setStretchFactor(1, 3)
        splitter.setSizes([260, 460])
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(1)
        self.list.setMinimumWidth(_LIST_WIDTH)
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
            say_why_not(self._empty, review, has_toolkits=has_toolkits)
            return
        if self._pages.currentIndex() == 0:
            self._pages.setCurrentIndex(1)
        if self.hasFocus():
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
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
        is_strong = review.choice.is_strong
        self._right.setVisible(current is not None or not is_strong)
        if current is None:
            if state is not None and not is_strong:
                self._pages.setCurrentIndex(0)
                say_done(self._empty, review, state.status)
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
        )

    def _show_card(self) -> None:
        self._enable_answers()
        # While many are accepted, each of them changes what a card says: none is read to its end.
        is_shown = self.context.review.is_read and not self.context.answers.is_batch_running
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
        if current.kind is CandidateKind.MERGE:
            selection.select_toolkits(toolkits[:2], self, made=made)
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
