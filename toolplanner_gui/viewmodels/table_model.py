"""A small table of texts: members, parameters, candidates, search results, runs.

Rows are dataclasses made by the caller; this model only shows them. For long lists it is cheap: a
cell is asked for when it is painted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon

Role = Qt.ItemDataRole
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
KEY_ROLE = Role.UserRole
"""What a row stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of texts.

    Attributes:
        cells: one text per column.
        key: what the row stands for: an API's row id, a run's number.
        icon: makes the picture before the first cell, in the theme of the moment.
        tooltip: foreign text is escaped before it is shown.
    """

    cells: tuple[str, ...]
    key: Any = None
    icon: Callable[[], QIcon] | None = None
    tooltip: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Titles of the columns and which of them hold numbers."""

    titles: tuple[str, ...]
    numbers: frozenset[int] = field(default_factory=frozenset[int])


class TableModel(QAbstractTableModel):
    """Shows rows."""

    def __init__(self, columns: Columns, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns = columns
        self._rows: list[Row] = []

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def update_rows(self, rows: Sequence[Row]) -> None:
        """Change to these rows, keeping selection and place where keys stay the same."""
        if [r.key for r in rows] == [r.key for r in self._rows]:
            for position, (old, new) in enumerate(zip(self._rows, rows, strict=True)):
                if old.cells != new.cells or old.tooltip != new.tooltip:
                    self._rows[position] = new
                    self.dataChanged.emit(
                        self.index(position, 0), self.index(position, self.columnCount() - 1)
                    )
            return
        added = len(rows) - len(self._rows)
        if added > 0 and [r.key for r in rows[added:]] == [r.key for r in self._rows]:
            self.beginInsertRows(ROOT, 0, added - 1)
            self._rows[:0] = rows[:added]
            self.endInsertRows()
            self.update_rows(rows)
            return
        self.set_rows(rows)

    def row(self, position: int) -> Row:
        """The row at a position."""
        return self._rows[position]

    def position_of(self, key: Any) -> int | None:
        """The position of the row with this key."""
        return next((i for i, row in enumerate(self._rows) if row.key == key), None)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._columns.titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return self._columns.titles[section]
        if role == Role.TextAlignmentRole:
            return self._alignment(section)
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        if role == Role.DisplayRole:
            return row.cells[column]
        if role == KEY_ROLE:
            return row.key
        if role == Role.TextAlignmentRole:
            return self._alignment(column)
        if role == Role.DecorationRole and column == 0 and row.icon is not None:
            return row.icon()
        if role == Role.ToolTipRole:
            return plain_tooltip(row.tooltip or row.cells[column])
        return None

    def _alignment(self, column: int) -> int:
        side = (
            Qt.AlignmentFlag.AlignRight
            if column in self._columns.numbers
            else Qt.AlignmentFlag.AlignLeft
        )
        return int(side | Qt.AlignmentFlag.AlignVCenter)


def plain_tooltip(text: str, limit: int = 600) -> str:
    """A tooltip that Qt never takes for HTML: names and documentation are foreign text."""
    if not text:
        return ""
    cut = text if len(text) <= limit else f"{text[:limit]}…"
    escaped = cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<p style="white-space:pre-wrap">{escaped}</p>'
