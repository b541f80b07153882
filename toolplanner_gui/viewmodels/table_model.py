"""A small table of texts: members, parameters, candidates, search results, runs.

Rows are dataclasses made by the caller; this model only shows them. For long lists it is cheap: a
cell is asked for when it is painted.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt, Signal
from PySide6.QtGui import QIcon

from toolplanner_gui.viewmodels.columns import (
    RIGHT,
    ROOT,
    Columns,
    Index,
    Role,
    plain_tooltip,
)

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
        is_on: the state of the switch before the first cell; None = it has none.
    """

    cells: tuple[str, ...]
    key: Any = None
    icon: Callable[[], QIcon] | None = field(default=None, compare=False)
    tooltip: str = ""
    is_on: bool | None = None


class TableModel(Columns, QAbstractTableModel):
    """Shows rows.

    Signals:
        switched: key of a row and whether it shall be on; who owns the rows then changes them.
    """

    switched = Signal(str, bool)

    def __init__(
        self,
        titles: Sequence[str],
        parent: QObject | None = None,
        *,
        numbers: Collection[int] = (),
    ) -> None:
        super().__init__(parent)
        self.titles, self.numbers = titles, numbers
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
                if old != new:
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
        elif not added and {row.key for row in rows} == {row.key for row in self._rows}:
            self._reorder(rows)
        else:
            self.set_rows(rows)

    def _reorder(self, rows: Sequence[Row]) -> None:
        """The same things in another order: what was chosen stays chosen."""
        self.layoutAboutToBeChanged.emit()
        places = {row.key: position for position, row in enumerate(rows)}
        before = self.persistentIndexList()
        after = [self.index(places[self._rows[i.row()].key], i.column()) for i in before]
        self._rows = list(rows)
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def row(self, position: int) -> Row:
        """The row at a position."""
        return self._rows[position]

    def position_of(self, key: Any) -> int | None:
        """The position of the row with this key."""
        return next((i for i, row in enumerate(self._rows) if row.key == key), None)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        has_switch = self.data(index, Role.CheckStateRole) is not None
        found = super().flags(index)
        return found | Qt.ItemFlag.ItemIsUserCheckable if has_switch else found

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.CheckStateRole or self.data(index, role) is None:
            return False
        is_on = Qt.CheckState(value) is Qt.CheckState.Checked
        self.switched.emit(str(self._rows[index.row()].key), is_on)
        return True

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        if role == Role.DisplayRole:
            return row.cells[column]
        if role == KEY_ROLE:
            return row.key
        if role == Role.TextAlignmentRole:
            return RIGHT if column in self.numbers else None
        if role == Role.DecorationRole and column == 0 and row.icon is not None:
            return row.icon()
        if role == Role.ToolTipRole:
            return plain_tooltip(row.tooltip or row.cells[column])
        if role == Role.CheckStateRole and column == 0 and row.is_on is not None:
            return Qt.CheckState.Checked if row.is_on else Qt.CheckState.Unchecked
        if role == Role.AccessibleTextRole and row.is_on is not None:
            return ", ".join([*filter(None, row.cells), "on" if row.is_on else "off"])
        return None
