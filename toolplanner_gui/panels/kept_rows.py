"""What is open in the list of toolkits and how it is ordered: kept over edits and starts."""

from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtWidgets import QTreeView

from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_gui.bridge.kept_view import KeptView
from toolplanner_gui.viewmodels.curate.toolkit_cells import TOOLKIT_ROLE
from toolplanner_gui.viewmodels.curate.toolkit_model import ToolkitModel

_MOST = 200
"""Rows of each sort that are opened again at the next start."""


class KeptRows(QObject):
    """Watches a tree of toolkits; kept here, since asking the view about each of 5,000 takes longer
    than an edit may.

    Args:
        view: where it is kept.
    """

    def __init__(self, tree: QTreeView, model: ToolkitModel, view: KeptView) -> None:
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
