"""What comes next: the questions that are listed, the most valuable first."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.words.wording import counted, one_line, score
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

_MOST = 400
"""Questions listed at once; nobody scrolls through five thousand."""
_SIGNAL_WIDTH = 62

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
        self.model = TableModel(("Question", "Signal"), self, numbers=(1,))
        self.tree = QuietTree("Questions, the most valuable first", is_flat=True)
        self.tree.set_model(self.model, {1: _SIGNAL_WIDTH})
        self.tree.header().setToolTip("<p>Signal: mean of the signals of a question, 0 to 1</p>")
        self.more = text_label(role="dim", is_wrapped=True)
        column_of((self.tree, 1), self.more, of=self, gap=SPACE)
        self.tree.selectionModel().currentChanged.connect(self._on_row)
        self.tree.activated.connect(lambda _index: self.activated.emit())
        self.setFocusProxy(self.tree)

    def show_questions(self, questions: Sequence[Candidate], current: Candidate | None) -> None:
        """List these, and mark the one that is looked at."""
        self._is_filling = True
        try:
            self.model.update_rows([self._row(one) for one in questions[:_MOST]])
            place = None if current is None else self.model.position_of(current.key)
            row = QModelIndex() if place is None else self.model.index(place, 0)
            self.tree.setCurrentIndex(row)
        finally:
            self._is_filling = False
        more = len(questions) - _MOST
        self.more.setText(f"  and {counted(more, 'question')} after these" if more > 0 else "")
        self.more.setVisible(more > 0)

    def mark(self, current: Candidate) -> None:
        """Mark the question that is looked at, if it is listed."""
        place = self.model.position_of(current.key)
        if place is not None and self.tree.currentIndex().row() != place:
            self._is_filling = True
            self.tree.setCurrentIndex(self.model.index(place, 0))
            self._is_filling = False

    def _row(self, candidate: Candidate) -> Row:
        word, name = KINDS[candidate.kind]
        return Row(
            cells=(one_line(candidate.title, 140), score(candidate.probability)),
            key=candidate.key,
            icon=lambda: make_icon(name),
            tooltip=f"{word}: {candidate.title}",
        )

    def _on_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        key = current.data(KEY_ROLE)
        if key is not None and not self._is_filling:
            self.chosen.emit(key)
