"""The head of the review: which questions are listed, and how far one has come."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QProgressBar, QWidget

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.agreement import BandAgreement
from toolplanner_core.curation.questions.queue.listing import ListedQuestions, QuestionChoice
from toolplanner_core.curation.questions.queue.queue import ReviewStatus
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.concepts import explained
from toolplanner_core.words.wording import one_line
from toolplanner_gui.panels.review.question_list import KINDS
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.columns import plain_tooltip
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.eliding_combo import ElidingCombo
from toolplanner_gui.widgets.labels import ElidedLabel

_BY_REGION = f"Work region by region. {explained('region')}"
_LEFT = "An answer that changes toolkits settles other questions and raises new ones."
_SKIPPED = "skipped"
_TOOLKIT = "toolkit"


class KindBox(QComboBox):
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


class Standing(QWidget):
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
