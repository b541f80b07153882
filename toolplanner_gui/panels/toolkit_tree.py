"""The tree of the toolkit list: finding by typing, and which rows stay open over edits and starts.

The list of toolkits as a tree in which one types to find: also what stands in closed regions. Qt
looks only into rows that are open, and stops at the nearest name once nothing fits any more: who
then renames or merges has another toolkit in the hand than was typed.
"""

import time
from typing import TypeVar

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QTreeView

from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_gui.bridge.view_state import ViewState
from toolplanner_gui.theme.tokens import ROW_HEIGHT, SPACE
from toolplanner_gui.viewmodels.curate.toolkit_model import (
    DIM_ROLE,
    ENDS_ROLE,
    TOOLKIT_ROLE,
    WIDE_ROLE,
    ToolkitModel,
)
from toolplanner_gui.widgets.draggable_tree import DraggableTree
from toolplanner_gui.widgets.highlight_delegate import HighlightDelegate
from toolplanner_gui.widgets.views import SortHeader

T = TypeVar("T")
_WIDTHS = {
    ToolkitColumn.SIZE: 56,
    ToolkitColumn.COHESION: 44,
    ToolkitColumn.HEALTH: 58,
    ToolkitColumn.MARKS: 26,
}
_LEAST_ROWS = 5
"""Rows that are seen however low the window is; the title counts as one more."""


class ToolkitTree(DraggableTree):
    """Toolkits, their regions and APIs.

    Signals:
        not_found: what was typed begins no toolkit's name.
    """

    not_found = Signal(str)

    def __init__(self, model: ToolkitModel) -> None:
        super().__init__("Toolkits", lambda row: row.data(TOOLKIT_ROLE) is not None)
        self.setHeader(SortHeader(self))
        self.set_model(model, {int(column): width for column, width in _WIDTHS.items()})
        self._delegate = HighlightDelegate(
            self,
            dim_role=DIM_ROLE,
            wide_role=WIDE_ROLE,
            wide_to=ToolkitColumn.MARKS,
            ends_role=ENDS_ROLE,
        )
        self.setItemDelegate(self._delegate)
        self.keep_both_ends()
        model.looks_changed.connect(self.repaint_soon)
        self.setMinimumHeight((_LEAST_ROWS + 1) * ROW_HEIGHT + SPACE)
        self.setSortingEnabled(True)
        self.setSelectionMode(ToolkitTree.SelectionMode.ExtendedSelection)
        self._toolkits = model
        self._typed = ""
        self._typed_at_s = 0.0

    def keyboardSearch(self, search: str) -> None:
        """Go to the first toolkit whose name begins as was typed, those behind the marked one
        first where it is one letter; an empty text ends what was typed, as in Qt.

        Who is on the row of a region goes to another region, if one begins so.
        """
        now_s = time.monotonic()
        pause_s = QApplication.keyboardInputInterval() / 1000
        is_new = not search or now_s - self._typed_at_s > pause_s
        self._typed = search if is_new else self._typed + search
        self._typed_at_s = now_s
        model, text = self._toolkits, self._typed.casefold()
        if not text.strip():
            return
        if len(set(text)) == 1:
            text = text[0]  # the same letter again goes on to the next name
        marked = self.currentIndex().data(TOOLKIT_ROLE)
        if model.has_regions and not self.currentIndex().parent().isValid():
            rows = [model.index(row, ToolkitColumn.NAME) for row in range(model.rowCount())]
            named = [at for at in rows if str(at.data()).casefold().startswith(text)]
            if named:
                if len(text) == 1 or self.currentIndex().row() not in {at.row() for at in named}:
                    self._go_to(_after(self.currentIndex().siblingAtColumn(0), named))
                return
        found = [kit for kit in model.toolkits if kit.name.casefold().startswith(text)]
        if not found:
            self.not_found.emit(self._typed)
            return
        if len(text) == 1 or marked not in {kit.id for kit in found}:
            self._go_to(model.index_of(_after(marked, [kit.id for kit in found])))

    def _go_to(self, index: QModelIndex) -> None:
        self.setCurrentIndex(index)
        self.scrollTo(index)


def _after(marked: T | None, found: list[T]) -> T:
    """The one behind the marked one, so that the same letter again goes on; else the first."""
    at = found.index(marked) + 1 if marked is not None and marked in found else 0
    return found[at % len(found)]


_MOST = 200
"""Rows of each sort that are opened again at the next start."""


class ExpandedRows(QObject):
    """Watches a tree of toolkits; kept here, since asking the view about each of 5,000 takes longer
    than an edit may.

    Args:
        view: where it is kept.
    """

    def __init__(self, tree: QTreeView, model: ToolkitModel, view: ViewState) -> None:
        super().__init__(tree)
        self._tree = tree
        self._model = model
        self._view = view
        toolkits, regions = view.values("open toolkits"), view.values("open regions")
        self._toolkits = {ToolkitId(one) for one in toolkits if isinstance(one, int)}
        self._regions = {str(one) for one in regions}
        column, is_down = view.numbers("toolkits order", 2) or (ToolkitColumn.SIZE, True)
        order = Qt.SortOrder.DescendingOrder if is_down else Qt.SortOrder.AscendingOrder
        tree.sortByColumn(int(column) if column in set(ToolkitColumn) else 0, order)
        tree.header().sortIndicatorChanged.connect(self._on_sorted)
        tree.expanded.connect(self._on_expanded)
        tree.collapsed.connect(self._on_collapsed)

    def expand(self) -> None:
        """Open what was open; what is not there now may come back, by an undo."""
        if self._model.has_regions:
            for row in range(self._model.rowCount()):
                index = self._model.index(row, 0)
                if index.data() in self._regions:
                    self._tree.expand(index)
        for toolkit in tuple(self._toolkits):
            index = self._model.index_of(toolkit)
            if index.isValid():
                self._tree.expand(index)

    def _on_expanded(self, index: QModelIndex) -> None:
        toolkit = index.data(TOOLKIT_ROLE)
        if toolkit is None:
            self._regions.add(index.data())
        else:
            self._toolkits.add(toolkit)
        self._keep()

    def _on_collapsed(self, index: QModelIndex) -> None:
        toolkit = index.data(TOOLKIT_ROLE)
        if toolkit is None:
            self._regions.discard(index.data())
        else:
            self._toolkits.discard(toolkit)
        self._keep()

    def _keep(self) -> None:
        self._view.put("open toolkits", sorted(self._toolkits)[:_MOST])
        self._view.put("open regions", sorted(self._regions)[:_MOST])

    def _on_sorted(self, column: int, order: Qt.SortOrder) -> None:
        self._view.put("toolkits order", [column, int(order is Qt.SortOrder.DescendingOrder)])
