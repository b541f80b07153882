"""The questions of the review: filters by kind and region, progress, and the list."""

from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QProgressBar, QWidget

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.agreement import BandAgreement
from toolplanner_core.curation.questions.queue.listing import ListedQuestions, QuestionChoice
from toolplanner_core.curation.questions.queue.priority import priority_words
from toolplanner_core.curation.questions.queue.queue import ReviewStatus
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.words.glossary import explain_concept
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel, plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.input_fields import ElidingCombo
from toolplanner_gui.widgets.labels import ElidedLabel, text_label
from toolplanner_gui.widgets.views import QuietTree

_MOST = 400
"""Questions listed at once; nobody scrolls through five thousand."""
_WORTH_WIDTH = 62
_ROOM_FOR_WORTH = 200
KINDS: dict[CandidateKind, tuple[str, str]] = {
    CandidateKind.GROUP: ("Merge groups", "call-merge"),
    CandidateKind.MERGE: ("Merge", "call-merge"),
    CandidateKind.SPLIT: ("Split", "call-split"),
    CandidateKind.MOVE: ("Move", "folder-move-outline"),
    CandidateKind.DUPLICATE: ("Duplicates", "content-copy"),
    CandidateKind.NAME: ("Name", "pencil-outline"),
    CandidateKind.DESCRIPTION: ("Description", "text"),
    CandidateKind.HOMELESS: ("No home", "home-off-outline"),
    CandidateKind.BLAMED: ("Blamed by runs", "alert-circle-outline"),
    CandidateKind.STAND_IN: ("Stood in", "swap-horizontal"),
}
"""Word and icon of each kind."""


class _Questions(QuietTree):
    """A list in which letters look for nothing: they answer, or the window says why not."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text().isalpha():
            event.ignore()
        else:
            super().keyPressEvent(event)


class QuestionList(QWidget):
    """The list, and how many more there are.

    Args:

    Signals:
        chosen: a person went to the question with this key.
        activated: a person wants to see more of the question.
    """

    chosen = Signal(str)
    activated = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_filling = False
        self.model = TableModel(("Question", "Worth"), self, numbers=(1,))
        self.tree = _Questions("Questions, the most valuable first", is_flat=True)
        self.tree.set_model(self.model, {1: _WORTH_WIDTH})
        self.tree.show_from(1, _ROOM_FOR_WORTH)
        self.more = text_label(role="dim", is_wrapped=True)
        column_of((self.tree, 1), self.more, of=self, gap=SPACE)
        self.tree.selectionModel().currentChanged.connect(self._on_row)
        self.tree.activated.connect(lambda _index: self.activated.emit())
        self.setFocusProxy(self.tree)

    def show_questions(
        self,
        questions: Sequence[Candidate],
        current: Candidate | None,
        worth: Callable[[Candidate], float],
    ) -> None:
        """List these, and mark the one that is looked at; `worth` is what they are ordered by."""
        self._is_filling = True
        try:
            self.model.update_rows([_row(one, worth(one)) for one in questions[:_MOST]])
            place = None if current is None else self.model.position_of(current.key)
            row = QModelIndex() if place is None else self.model.index(place, 0)
            self.tree.setCurrentIndex(row)
        finally:
            self._is_filling = False
        more = len(questions) - _MOST
        said = f"  and {counted(more, 'question')} after these" if more > 0 else ""
        self.more.setText(said or ("" if questions else "  No question of this choice"))
        self.more.setVisible(more > 0 or not questions)

    def mark(self, current: Candidate) -> None:
        """Mark the question that is looked at, if it is listed."""
        place = self.model.position_of(current.key)
        if place is not None and self.tree.currentIndex().row() != place:
            self._is_filling = True
            self.tree.setCurrentIndex(self.model.index(place, 0))
            self._is_filling = False

    def _on_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        key = current.data(KEY_ROLE)
        if key is not None and not self._is_filling:
            self.chosen.emit(key)


def _row(candidate: Candidate, worth: float) -> Row:
    word, name = KINDS[candidate.kind]
    return Row(
        cells=(one_line(candidate.title, 140), f"{worth:.1f}"),
        key=candidate.key,
        icon=lambda: make_icon(name),
        tooltip=f"{word}: {candidate.title}\n{priority_words(candidate, worth)}",
    )


_BY_REGION = f"Work region by region. {explain_concept('region')}"
_LEFT = "An answer that changes toolkits settles other questions and raises new ones."
_SKIPPED = "skipped"
_TOOLKIT = "toolkit"


class QuestionKindBox(QComboBox):
    """A choice of questions with how many wait.

    Args:

    Signals:
        chosen: a person chose a kind (None = all), and whether the skipped ones.
    """

    chosen = Signal(object, bool)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Kind of questions")
        self.setToolTip("<p>Which questions are listed</p>")
        self.activated.connect(self._on_activated)

    def fill(self, listed: ListedQuestions, choice: QuestionChoice, toolkit: str) -> None:
        """Show how many wait of each kind where the person works, and what is chosen.

        Args:
            toolkit: name of the toolkit whose questions alone are listed, if there is one.
        """
        status, waiting = listed.status, Counter(one.kind for one in choice.around(listed))
        self.clear()
        self.addItem(f"All {waiting.total():,}", None)
        for kind, (word, name) in KINDS.items():
            n = waiting[kind]
            if n or choice.kind is kind:
                self.addItem(make_icon(name), f"{word} {n:,}", kind.value)
        if status.skipped:
            self.addItem(make_icon("skip-next"), f"Skipped {status.skipped:,}", _SKIPPED)
        if choice.toolkit is not None:
            self.addItem(f"About “{one_line(toolkit, 40)}” only", _TOOLKIT)
            self.setCurrentIndex(self.count() - 1)
        elif choice.is_skipped:
            self.setCurrentIndex(max(0, self.findData(_SKIPPED)))
        elif choice.kind is not None:
            self.setCurrentIndex(self.findData(choice.kind.value))

    def _on_activated(self, position: int) -> None:
        data = self.itemData(position)
        if data != _TOOLKIT:
            kind = None if data in (None, _SKIPPED) else CandidateKind(data)
            self.chosen.emit(kind, data == _SKIPPED)


class RegionBox(ElidingCombo):
    """A choice of one region after the other; hidden where there are none.

    Signals:
        chosen: toolkits of the region that a person chose, None = of all.
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Region of the questions")
        self.setToolTip(plain_tooltip(_BY_REGION))
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.setSizeAdjustPolicy(policy)
        self.setMinimumContentsLength(14)
        self._regions: list[tuple[str, frozenset[ToolkitId]]] = []
        self.activated.connect(self._on_activated)
        self.hide()

    def fill(
        self,
        regions: Sequence[tuple[str, frozenset[ToolkitId]]],
        waiting: Sequence[Candidate],
        chosen: frozenset[ToolkitId] | None,
    ) -> None:
        """Offer regions with how many questions wait in each, most first."""
        homes = [sum(not kits.isdisjoint(q.toolkits) for _, kits in regions) for q in waiting]
        n_several, several = sum(n > 1 for n in homes), ""
        counts = [sum(not kits.isdisjoint(q.toolkits) for q in waiting) for _, kits in regions]
        order = sorted(range(len(regions)), key=lambda at: -counts[at])
        self._regions = [regions[at] for at in order if counts[at] or regions[at][1] == chosen]
        self.clear()
        self.addItem(f"All regions {len(waiting):,}")
        if n_several:
            several = f"{n_several:,} are about toolkits of several regions, and counted in each."
            self.setItemData(0, several, Qt.ItemDataRole.ToolTipRole)
        self.setToolTip(plain_tooltip(f"{_BY_REGION} {several}"))
        for at in order:
            if counts[at] or regions[at][1] == chosen:
                self.addItem(f"{one_line(regions[at][0], 40)} {counts[at]:,}")
        kits = [each[1] for each in self._regions]
        self.setCurrentIndex(1 + kits.index(chosen) if chosen in kits else 0)
        self.setVisible(bool(self._regions))

    def _on_activated(self, position: int) -> None:
        self.chosen.emit(self._regions[position - 1][1] if position else None)


class ReviewProgress(QWidget):
    """A bar and a line: how many are answered, and how often the person agreed."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ElidedLabel(role="dim")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Share of the questions that are answered")
        row_of((self.bar, 1), (self.words, 4), of=self, margins=(EDGE, 0, EDGE, 0), gap=GAP)

    def show_status(self, status: ReviewStatus, n_here: int, *, is_old: bool = False) -> None:
        """Show where the review stands.

        Args:
            n_here: questions that wait where the person works, such as in one region.
            is_old: the questions are those of last time, and are being looked for anew.
        """
        self.bar.setRange(0, max(1, status.answered + status.left))
        self.bar.setValue(status.answered)
        here = f"{n_here:,} left here, " if n_here != status.left else ""
        in_all = " in all" if here else ""
        parts = [f"{status.answered:,} answered", f"{here}{status.left:,} left{in_all}"]
        agreement = status.agreement
        if n := agreement.n_answers:
            of = "" if n == status.answered else f" of {n:,} answered one by one"
            parts.append(f"you agreed with {agreement.share:.0%}{of}")
        self.words.set_text(" · ".join(parts))
        if is_old:
            parts.append("as of last time; looking anew")
        rows = [_band_line(one) for one in status.agreement.rows()]
        heading = ["Agreement by kind and mean of the signals:"] if rows else []
        text = "\n".join([" · ".join(parts), _LEFT, *heading, *rows])
        self.words.setToolTip(plain_tooltip(text, 4_000))
        self.words.setAccessibleDescription(text)


def _band_line(band: BandAgreement) -> str:
    n = band.accepted + band.rejected
    word = KINDS[CandidateKind(band.kind)][0]
    return f"{word}, {band.low:.1f} to {band.high:.1f}: {band.accepted:,} of {n:,} accepted"
