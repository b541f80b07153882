"""The line below a long stored run: how many of its rows are left out, and a way to show them all.

Stands below the tree in the panel of a run.
"""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QTreeView, QWidget

from toolplanner_core.words.wording import counted
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.viewmodels.debug.run_tree_model import RunTreeModel
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label


class LeftOutRow(QWidget):
    """Follows the rows of a tree; hidden while all of them are there."""

    def __init__(self, tree: QTreeView, model: RunTreeModel) -> None:
        super().__init__()
        self._model = model
        self._words = text_label(role="dim")
        show_all = push_button("Show all", model.show_all, role="link")
        row_of(self._words, show_all, 1, of=self, margins=(EDGE, SPACE, EDGE, SPACE))
        self.soon = QTimer(self, singleShot=True)
        """Counts once the rows of the moment are there."""
        self.soon.timeout.connect(self._count)
        model.rowsInserted.connect(lambda *_: self.soon.start())
        tree.expanded.connect(lambda *_: self.soon.start())

    def _count(self) -> None:
        n_hidden = self._model.n_hidden
        self.setVisible(n_hidden > 0)
        self._words.setText(f"{counted(n_hidden, 'row')} of this long run left out.")
