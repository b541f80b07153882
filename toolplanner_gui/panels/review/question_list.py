"""What comes next: the questions that are listed, the most valuable first."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.worth import worth_words
from toolplanner_core.words.wording import counted, one_line
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree

_MOST = 400
"""Questions listed at once; nobody scrolls through five thousand."""
_WORTH_WIDTH = 62
_ROOM_FOR_WORTH = 200
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
        self.more.setText(f"  and {counted(more, 'question')} after these" if more > 0 else "")
        self.more.setVisible(more > 0)

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
        tooltip=f"{word}: {candidate.title}\n{worth_words(candidate, worth)}",
    )
