"""All APIs as a table that sorts and filters 45,000 rows in a moment: only their order changes.

What stands in the rows is read on a reader thread (`curation/looking/api_columns.py`) and stays in
arrays: a text is made for a cell when it is painted. Used by the table of APIs.
"""

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from toolplanner_core.curation.looking.api_columns import NO_APIS, ApiTable, ranks
from toolplanner_core.curation.looking.column_source import Categories, Scale
from toolplanner_core.curation.looking.histograms import value_name
from toolplanner_core.curation.looking.map_columns import COLUMNS
from toolplanner_gui.viewmodels.item_models import RIGHT, ROOT, Columns, Index, Role, plain_tooltip

NAME, TOOL = "name", "tool"
TABLE_COLUMNS: tuple[str, ...] = (NAME, TOOL, *(each.id for each in COLUMNS))
"""Ids of all columns in their order; which of them are seen, a person says."""
USUAL_COLUMNS = (
    *(NAME, TOOL, "toolkit", "category", "risk"),
    *("cohesion", "centrality", "parameters", "health"),
)
SEARCHED_COLUMNS = ("toolkit", "category", "method", "risk", "source")
"""Words are looked for in these even while they are not seen."""
UNKNOWN = "–"
FIGURES = frozenset(
    [
        *("size", "cohesion", "centrality", "placement", "health", "latency", "calls"),
        *("documentation", "parameters"),
    ]
)
"""Columns of figures, which stand on the right."""


class ApiTableModel(Columns, QAbstractTableModel):
    """Shows some of the APIs in an order."""

    titles = ("API", "Tool", *(each.short for each in COLUMNS))
    meanings = ("Name of the API", "What offers it", *(each.title for each in COLUMNS))
    numbers = frozenset(i for i, name in enumerate(TABLE_COLUMNS) if name in FIGURES)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table = NO_APIS
        """All APIs, shown or not."""
        self._sorted_by, self._is_falling = 0, False
        self._sorted: np.ndarray | None = None
        self._mask: np.ndarray | None = None
        self._shown = np.zeros(0, np.int64)

    @property
    def total(self) -> int:
        """How many APIs there are, shown or not."""
        return len(self.table.rowids)

    @property
    def shown_rowids(self) -> np.ndarray:
        """Row ids of the APIs that are shown, in their order, `(m,) int64`."""
        return self.table.rowids[self._shown]

    def set_table(self, table: ApiTable, mask: np.ndarray | None) -> None:
        """Show other APIs or values; `mask` as in `show_only`."""
        self.table, self._sorted = table, None
        self.show_only(mask)

    def show_only(self, mask: np.ndarray | None) -> None:
        """Show the APIs of a mask over all rows, `(n,) bool`; all if there is none."""
        self.beginResetModel()
        self._mask = mask
        order = self._order()
        self._shown = order if mask is None else order[mask[order]]
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Show the APIs in the order of a column."""
        self._sorted_by, self._is_falling = column, order == Qt.SortOrder.DescendingOrder
        self._sorted = None
        self.show_only(self._mask)

    def values(self, column: int) -> Categories | Scale | None:
        """The values of a column over all rows; none for names, and before they were read."""
        name = TABLE_COLUMNS[column]
        return self.table.tools if name == TOOL else self.table.columns.get(name)

    def with_words(self, text: str) -> np.ndarray:
        """`(n,) bool`, the APIs each of whose words is in the name or in a category."""
        lists = [self.table.tools, *self.table.columns.values()]
        categories = [one for one in lists if isinstance(one, Categories)]
        mask = np.ones(self.total, bool)
        # The longest word leaves the fewest rows in which the others are looked for.
        for word in sorted(text.casefold().split(), key=len, reverse=True):
            rows: np.ndarray | slice = slice(None) if mask.all() else np.flatnonzero(mask)
            names = self.table.words
            if isinstance(rows, np.ndarray):
                names = [names[row] for row in rows.tolist()]
            own = np.array([word in name for name in names], bool)
            for one in categories:
                has = np.array([word in name.casefold() for name in one.names] + [False], bool)
                own |= has[one.codes[rows]]
            mask[rows] = own
        return mask

    def rowids_at(self, positions: np.ndarray) -> np.ndarray:
        """Row ids of the APIs at positions of the table, `(m,) int64`."""
        return self.table.rowids[self._shown[positions]]

    def positions_of(self, rowids: np.ndarray) -> np.ndarray:
        """Where APIs stand in the table, rising; those that are not shown are left out."""
        return np.flatnonzero(np.isin(self.table.rowids[self._shown], rowids))

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Role.DisplayRole:
            return self._text(int(self._shown[index.row()]), index.column())
        if role == Role.ToolTipRole:
            return plain_tooltip(self._text(int(self._shown[index.row()]), index.column()))
        return RIGHT if role == Role.TextAlignmentRole and index.column() in self.numbers else None

    def _text(self, row: int, column: int) -> str:
        if column == 0:
            return self.table.names[row]
        values = self.values(column)
        if isinstance(values, Scale):
            value = float(values.values[row])
            return values.text(value) if np.isfinite(value) else UNKNOWN
        if values is None:
            return ""
        code = int(values.codes[row])
        return value_name(values, code) if code >= 0 else UNKNOWN

    def _order(self) -> np.ndarray:
        if self._sorted is None or len(self._sorted) != self.total:
            values = self.values(self._sorted_by)
            keys = self.table.order if values is None else ranks(values)
            self._sorted = np.argsort(-keys if self._is_falling else keys, kind="stable")
        return self._sorted
