"""Where the rows of the toolkit list stand: regions, toolkits and their APIs as indexes of Qt."""

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject

from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.curation.looking.toolkit_rows import RowPlace, ToolkitRows
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.viewmodels.columns import ROOT, Columns, Index

_IN_REGION = 1 << 40
"""Internal ids of indexes: 0 at the top, `_IN_REGION` and more for toolkits in regions, else the
toolkit that an API stands under."""
N_COLUMNS = len(ToolkitColumn)


class ToolkitIndexes(Columns, QAbstractItemModel):
    """The half of the model that knows places: which row an index means, and the other way round.

    What it needs from the other half is how many members of a toolkit are shown.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows = ToolkitRows()

    def index_of(self, toolkit: ToolkitId, column: int = ToolkitColumn.NAME) -> QModelIndex:
        """The row of a toolkit; invalid when it is not shown."""
        place = self._rows.place(toolkit)
        if place is None:
            return QModelIndex()
        inside = _IN_REGION + place.region if self._rows.has_regions else 0
        return self.createIndex(place.row, column, inside)

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        # Not `hasIndex`, which comes back twice: a view asks for thousands of rows at a time.
        if not 0 <= column < N_COLUMNS or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        if not parent.isValid():
            return self.createIndex(row, column, 0)
        if self._is_region(parent):
            number = self._rows.regions[parent.row()].number
            return self.createIndex(row, column, _IN_REGION + number)
        return self.createIndex(row, column, int(self._toolkit_at(parent).id))

    def parent(self, child: Index = ROOT) -> QModelIndex:  # type: ignore[override]
        inside = child.internalId() if child.isValid() else 0
        if not inside:
            return QModelIndex()
        if inside >= _IN_REGION:
            return self.createIndex(self._rows.row_of_region(inside - _IN_REGION), 0, 0)
        return self.index_of(ToolkitId(inside))

    def _is_region(self, index: Index) -> bool:
        return self._rows.has_regions and not index.internalId()

    def _is_member(self, index: Index) -> bool:
        return 0 < index.internalId() < _IN_REGION

    def _is_toolkit(self, index: Index) -> bool:
        return not self._is_member(index) and not self._is_region(index)

    def _toolkit_at(self, index: Index) -> Toolkit:
        if not self._rows.has_regions:
            return self._rows.regions[0].toolkits[index.row()]
        region = self._rows.region(index.internalId() - _IN_REGION)
        assert region is not None
        return region.toolkits[index.row()]

    def _parent_of(self, place: RowPlace) -> QModelIndex:
        if not self._rows.has_regions:
            return QModelIndex()
        return self.createIndex(self._rows.row_of_region(place.region), 0, 0)
