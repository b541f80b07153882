"""The review queue: one question at a time with its evidence, answered by one key.

At the left what comes next, at the right the card. The single keys (A, R, S, N, Z, J, K) are
entries of the Review menu; this shows `context.review` and draws the map's eye to the question.
"""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QProgressBar,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from toolplanner_core.curation.review.candidate import Candidate, CandidateKind
from toolplanner_core.curation.review_queue.agreement import BandAgreement
from toolplanner_core.curation.review_queue.queue import ReviewStatus
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel, PanelPlugin
from toolplanner_gui.panels.review.batch_strip import BatchStrip
from toolplanner_gui.panels.review.card_view import CardView
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Columns, Row, TableModel
from toolplanner_gui.viewmodels.texts import counted, one_line, score
from toolplanner_gui.widgets.buttons import push_button, set_icon
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import ElidedLabel, text_label
from toolplanner_gui.widgets.views import QuietTree

_MOST = 400
"""Questions listed at once; nobody scrolls through five thousand."""
_SIGNAL_WIDTH = 62
_SKIPPED = "skipped"

KINDS: dict[CandidateKind, tuple[str, str]] = {
    CandidateKind.MERGE: ("Merge", "call-merge"),
    CandidateKind.SPLIT: ("Split", "call-split"),
    CandidateKind.MOVE: ("Move", "folder-move-outline"),
    CandidateKind.DUPLICATE: ("Duplicates", "content-copy"),
    CandidateKind.NAME: ("Name", "pencil-outline"),
    CandidateKind.DESCRIPTION: ("Description", "text"),
    CandidateKind.HOMELESS: ("No home", "home-off-outline"),
    CandidateKind.BLAMED: ("Blamed by runs", "alert-circle-outline"),
}
"""Word and icon of each kind."""


class ReviewPanel(Panel):
    """The list at the left, the card right of it, the answers below the card."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        review, answers = context.review, context.answers
        self._is_filling = False
        self._shown: tuple[object, ...] = ()
        self.kinds = QComboBox()
        self.kinds.setAccessibleName("Kind of questions")
        self.kinds.setToolTip("<p>Which questions are listed</p>")
        self.next_box = QCheckBox("Go on to the next")
        self.next_box.setToolTip("<p>After an answer the next question comes up by itself</p>")
        self.next_box.setChecked(review.goes_on)
        self.map_box = QCheckBox("Show on the map")
        self.map_box.setToolTip(
            "<p>Select what the question is about, so that the map shows it</p>"
        )
        self.map_box.setChecked(True)
        self.batch_button = push_button("Accept many …", self.open_batch)
        self.progress = ElidedLabel(role="dim")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Share of the questions that are answered")
        self.strip = BatchStrip()
        self.strip.hide()
        self.model = TableModel(
            Columns(titles=("Question", "Signal"), numbers=frozenset({1})), self
        )
        self.list = QuietTree("Questions, the most valuable first", is_flat=True)
        self.list.set_model(self.model, {1: _SIGNAL_WIDTH})
        self.list.header().setToolTip("<p>Signal: mean of the signals of a question, 0 to 1</p>")
        self.more = text_label(role="dim", is_wrapped=True)
        self.card = CardView()
        self.accept_button = push_button("Accept (A)", answers.accept, role="primary")
        self.reject_button = push_button("Reject (R)", answers.reject)
        self.skip_button = push_button("Skip (S)", answers.skip)
        self.never_button = push_button("Never (N)", answers.never)
        self.back_button = push_button("Take back (Z)", answers.take_back)
        for button, tip in (
            (self.accept_button, "Make the edit that is described above (A)"),
            (self.reject_button, "Leave it as it is; asked again when the evidence changes (R)"),
            (self.skip_button, "Put it off; find it later under “Skipped” (S)"),
            (self.never_button, "Reject it, and keep every later clustering from it, too (N)"),
            (self.back_button, "Take back the last answer and undo its edit (Z)"),
        ):
            button.setToolTip(f"<p>{tip}</p>")
        self._empty = EmptyState("")
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._content())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        self._connect()
        self.retheme()
        self._on_listed()

    def _connect(self) -> None:
        review, answers = self.context.review, self.context.answers
        review.listed.connect(self._on_listed)
        review.current_changed.connect(self._on_current)
        review.cards.changed.connect(lambda: self.card.show_card(review.cards.card))
        answers.batch_changed.connect(self._on_batch)
        self.context.workspace_changed.connect(self._on_workspace)
        self.context.catalogue_changed.connect(self._begin_if_seen)
        self.kinds.activated.connect(self._on_kind)
        self.next_box.toggled.connect(lambda on: setattr(review, "goes_on", on))
        self.map_box.toggled.connect(lambda _on: self._show_on_map())
        self.list.selectionModel().currentChanged.connect(self._on_row)
        self.list.activated.connect(lambda _index: self.show_details())
        self.strip.threshold_changed.connect(lambda _value: self._on_listed())
        self.strip.accept_clicked.connect(self._on_accept_all)
        self.strip.stop_clicked.connect(answers.stop_batch)
        self.strip.undo_clicked.connect(answers.undo_batch)
        self.strip.close_clicked.connect(self.close_batch)

    @property
    def is_idle(self) -> bool:
        return self.context.review.is_idle and self.context.answers.is_idle

    def retheme(self) -> None:
        self._empty.set_icon(self.icon("clipboard-check-outline"))
        set_icon(self.accept_button, self.icon("check", "on_accent"))
        self._on_listed()

    def focus_card(self) -> None:
        """Go to the questions."""
        self.context.review.begin()
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_batch(self) -> None:
        """Open the line in which many questions are accepted together."""
        if self._batch_kind() is None:
            current = self.context.review.current
            if current is None or current.kind is CandidateKind.BLAMED:
                return
            self.context.review.choose_kind(current.kind)
        self.strip.show()
        self.strip.threshold.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._on_batch()

    def close_batch(self) -> None:
        """Close it and list all questions of the kind again."""
        self.strip.hide()
        self._on_listed()
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_details(self) -> None:
        """Select the toolkit of the question, whose details are then shown."""
        current = self.context.review.current
        if current is not None and current.toolkits:
            self.context.selection.select_toolkit(ToolkitId(current.toolkits[0]), self)

    def showEvent(self, event: QShowEvent) -> None:
        """Look for questions when somebody wants to see them."""
        super().showEvent(event)
        self._begin_if_seen()

    def _begin_if_seen(self) -> None:
        context = self.context
        if self.isVisible() and context.workspace is not None and context.catalogue.toolkits:
            context.review.begin()
        self._on_listed()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens the details from everywhere on the card."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.show_details()
            return
        super().keyPressEvent(event)

    def _content(self) -> QWidget:
        page = QWidget()
        top = QHBoxLayout()
        top.setContentsMargins(EDGE, GAP, EDGE, 0)
        top.setSpacing(GAP)
        top.addWidget(self.kinds)
        top.addWidget(self.next_box)
        top.addWidget(self.map_box)
        top.addStretch(1)
        top.addWidget(self.batch_button)
        standing = QHBoxLayout()
        standing.setContentsMargins(EDGE, 0, EDGE, 0)
        standing.setSpacing(GAP)
        standing.addWidget(self.bar, 1)
        standing.addWidget(self.progress, 4)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addWidget(self.list, 1)
        column.addWidget(self.more)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.card, 1)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(EDGE, GAP, EDGE, GAP)
        buttons.setSpacing(GAP)
        for button in (
            self.accept_button,
            self.reject_button,
            self.skip_button,
            self.never_button,
        ):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.back_button)
        column.addLayout(buttons)
        splitter = QSplitter()
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setStretchFactor(0, 2)
        splitter.setStretchFactor(1, 3)
        splitter.setSizes([260, 460])
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(1)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addLayout(top)
        column.addLayout(standing)
        column.addWidget(self.strip)
        column.addWidget(splitter, 1)
        return page

    def _on_workspace(self) -> None:
        self.strip.hide()
        if self.isVisible() and self.context.workspace is not None:
            self._on_listed()

    def _on_listed(self) -> None:
        review = self.context.review
        state = review.state
        if state is None:
            self._say_why_not()
            return
        if self._pages.currentIndex() == 0:
            self._pages.setCurrentIndex(1)
        self._fill_kinds(state.status)
        self._say_standing(state.status)
        self._fill_list(self._listed())
        self._on_current()

    def _listed(self) -> list[Candidate]:
        kind = self._batch_kind()
        if not self.strip.isHidden() and kind is not None:
            chosen = self.context.answers.strong_ones(kind, self.strip.threshold.value())
            if not self.context.answers.is_batch_running:
                self.strip.show_count(len(chosen), KINDS[kind][0])
            return chosen
        return self.context.review.questions

    def _fill_list(self, questions: list[Candidate]) -> None:
        self._is_filling = True
        try:
            self.model.update_rows([self._row(one) for one in questions[:_MOST]])
            current = self.context.review.current
            place = None if current is None else self.model.position_of(current.key)
            if place is None:
                self.list.setCurrentIndex(QModelIndex())
            else:
                self.list.setCurrentIndex(self.model.index(place, 0))
        finally:
            self._is_filling = False
        more = len(questions) - _MOST
        self.more.setText(f"  and {counted(more, 'question')} after these" if more > 0 else "")
        self.more.setVisible(more > 0)

    def _row(self, candidate: Candidate) -> Row:
        word, name = KINDS[candidate.kind]

        def icon() -> QIcon:
            return self.icon(name)

        return Row(
            cells=(one_line(candidate.title, 140), score(candidate.probability)),
            key=candidate.key,
            icon=icon,
            tooltip=f"{word}: {candidate.title}",
        )

    def _on_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        key = current.data(KEY_ROLE)
        if key is not None and not self._is_filling:
            self.context.review.look_at(key)

    def _on_current(self) -> None:
        review = self.context.review
        current = review.current
        is_open = current is not None and not review.answer
        for button in (
            self.accept_button,
            self.reject_button,
            self.skip_button,
            self.never_button,
        ):
            button.setEnabled(is_open)
        state = review.state
        self.back_button.setEnabled(state is not None and state.last is not None)
        self.batch_button.setEnabled(
            current is not None and current.kind is not CandidateKind.BLAMED
        )
        if current is None:
            if state is not None:
                self._say_done(state.status)
            return
        self._pages.setCurrentIndex(1)
        probability = review.probability(current)
        shown = (current.key, current.evidence, review.answer, probability)
        if shown != self._shown:
            self._shown = shown
            self.card.show_question(current, probability, review.answer.capitalize())
            self.card.show_card(review.cards.card)
        place = self.model.position_of(current.key)
        if place is not None and self.list.currentIndex().row() != place:
            self._is_filling = True
            self.list.setCurrentIndex(self.model.index(place, 0))
            self._is_filling = False
        self._show_on_map()

    def _show_on_map(self) -> None:
        current = self.context.review.current
        if current is None or not self.map_box.isChecked() or not self.isVisible():
            return
        made = {"by": "review", "question": current.key}
        catalogue = self.context.catalogue
        if current.kind is CandidateKind.MERGE:
            ids = [ToolkitId(one) for one in current.toolkits[:2]]
            mask = catalogue.mask_of_toolkit(ids[0]) | catalogue.mask_of_toolkit(ids[1])
            rowids = catalogue.rowids_of(mask, ids)
            self.context.selection.select_apis(rowids, self, made=made)
        elif current.kind is CandidateKind.BLAMED:
            self.context.selection.select_toolkit(ToolkitId(current.toolkits[0]), self)
        elif current.apis:
            self.context.selection.select_apis(current.apis, self, made=made)
        elif current.toolkits:
            self.context.selection.select_toolkit(ToolkitId(current.toolkits[0]), self)

    def _fill_kinds(self, status: ReviewStatus) -> None:
        review = self.context.review
        self.kinds.clear()
        self.kinds.addItem(f"All {status.left:,}", None)
        for kind, (word, name) in KINDS.items():
            n = status.waiting.get(kind.value, 0)
            if n or review.kind is kind:
                self.kinds.addItem(self.icon(name), f"{word} {n:,}", kind.value)
        if status.skipped:
            self.kinds.addItem(self.icon("skip-next"), f"Skipped {status.skipped:,}", _SKIPPED)
        if review.toolkit is not None:
            toolkit = self.context.catalogue.toolkit(review.toolkit)
            name = "one toolkit" if toolkit is None else one_line(toolkit.name, 40)
            self.kinds.addItem(f"About “{name}” only", "toolkit")
            self.kinds.setCurrentIndex(self.kinds.count() - 1)
        elif review.shows_skipped:
            self.kinds.setCurrentIndex(max(0, self.kinds.findData(_SKIPPED)))
        elif review.kind is not None:
            self.kinds.setCurrentIndex(self.kinds.findData(review.kind.value))

    def _say_standing(self, status: ReviewStatus) -> None:
        total = status.answered + status.left
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(status.answered)
        parts = [f"{status.answered:,} answered, {status.left:,} left"]
        if status.answered:
            parts.append(f"you agreed with {status.accepted / status.answered:.0%}")
        self.progress.set_text(" · ".join(parts))
        rows = [_band_line(one) for one in status.agreement.rows()]
        if rows:
            text = "Agreement by kind and mean of the signals:\n" + "\n".join(rows)
            escaped = text.replace("&", "&amp;").replace("<", "&lt;")
            self.progress.setToolTip(f'<p style="white-space:pre-wrap">{escaped}</p>')
            self.progress.setAccessibleDescription(text)

    def _say_why_not(self) -> None:
        context, review = self.context, self.context.review
        self._pages.setCurrentIndex(0)
        if review.is_reading:
            self._empty.say("Looking for what to review: some seconds for a large catalogue.")
        elif review.problem:
            self._empty.say(review.problem, button="Look again", run=review.begin)
        elif context.catalogue.toolkits:
            self._empty.say(
                "Toolkits to merge or split, APIs in the wrong place, copies and names that do not"
                " fit are found and asked about one by one.",
                button="Look for questions",
                run=review.begin,
            )
        else:
            self._empty.say("There are no toolkits yet: import and prepare first.")

    def _say_done(self, status: ReviewStatus) -> None:
        review = self.context.review
        self._pages.setCurrentIndex(0)
        is_all = review.kind is None and review.toolkit is None and not review.shows_skipped
        answered = f"{counted(status.answered, 'question')} answered."
        if is_all:
            skipped = f" {status.skipped:,} were skipped." if status.skipped else ""
            self._empty.say(f"Nothing waits for an answer. {answered}{skipped}")
        else:
            self._empty.say(
                f"No question of this choice is left. {answered}",
                button="List all questions",
                run=lambda: review.choose_kind(None),
            )

    def _on_kind(self, position: int) -> None:
        data = self.kinds.itemData(position)
        self.strip.hide()
        if data == "toolkit":
            return
        kind = None if data in (None, _SKIPPED) else CandidateKind(data)
        self.context.review.choose_kind(kind, skipped=data == _SKIPPED)

    def _batch_kind(self) -> CandidateKind | None:
        kind = self.context.review.kind
        return None if kind is CandidateKind.BLAMED else kind

    def _on_accept_all(self) -> None:
        kind = self._batch_kind()
        if kind is not None:
            self.context.answers.accept_all(kind, self.strip.threshold.value())

    def _on_batch(self) -> None:
        batch = self.context.answers.batch
        self.strip.show_batch(batch)
        if batch is None or not batch.is_running:
            self._on_listed()
        if batch is not None:
            self.strip.show_batch(batch)


def _band_line(band: BandAgreement) -> str:
    n = band.accepted + band.rejected
    word = KINDS[CandidateKind(band.kind)][0]
    return f"{word}, {band.low:.1f} to {band.high:.1f}: {band.accepted:,} of {n:,} accepted"


PLUGIN = PanelPlugin(
    id="review",
    title="Review",
    icon="clipboard-check-outline",
    area="bottom",
    order=4,
    make=ReviewPanel,
)
