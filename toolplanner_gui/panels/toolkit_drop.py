"""Lets the list of toolkits take a selection that is carried over from the map."""

from PySide6.QtCore import QModelIndex, QObject, QPoint
from PySide6.QtWidgets import QTreeView

from toolplanner_gui.viewmodels.curate.selection import Selection
from toolplanner_gui.viewmodels.curate.toolkit_model import TOOLKIT_ROLE


class ToolkitDrop(QObject):
    """Marks the toolkit below the hand and asks for the move when the hand lets go.

    Args:
        tree: rows answer `TOOLKIT_ROLE`.
        selection: what is carried, and by whom it is told.
    """

    def __init__(self, tree: QTreeView, selection: Selection) -> None:
        super().__init__(tree)
        self._tree = tree
        self._selection = selection
        selection.carried.connect(self._on_carried)
        selection.let_go.connect(self._on_let_go)

    def _row_at(self, place: QPoint) -> QModelIndex:
        board = self._tree.viewport()
        at = board.mapFromGlobal(place)
        inside = board.isVisible() and board.rect().contains(at)
        return self._tree.indexAt(at) if inside else QModelIndex()

    def _on_carried(self, place: QPoint | None) -> None:
        index = QModelIndex() if place is None else self._row_at(place)
        # The row that the keyboard would be at looks marked, without being selected.
        chosen = self._tree.selectionModel()
        blocked = chosen.blockSignals(True)
        if index.isValid():
            chosen.setCurrentIndex(index, chosen.SelectionFlag.NoUpdate)
            self._tree.scrollTo(index)
        chosen.blockSignals(blocked)
        self._tree.viewport().update()

    def _on_let_go(self, place: QPoint) -> None:
        index = self._row_at(place)
        toolkit = index.data(TOOLKIT_ROLE) if index.isValid() else None
        if toolkit is not None:
            self._selection.request_move(toolkit)
