"""A table whose rows can be switched on and off by a box before the first cell.

Used by the lists of breakpoints and faults; who owns the rows listens to `switched`.
"""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from toolplanner_gui.viewmodels.table_model import ROOT, Columns, Index, Role, Row, TableModel


class SwitchTableModel(TableModel):
    """Rows with a switch each, by the keys of the rows."""

    switched = Signal(str, bool)

    def __init__(self, columns: Columns, parent: QObject | None = None) -> None:
        super().__init__(columns, parent)
        self._on: frozenset[str] = frozenset()

    def show_rows(self, rows: Sequence[Row], on: frozenset[str]) -> None:
        """Change to these rows; `on` are the keys of those that are switched on."""
        changed = self._on ^ on
        self._on = on
        self.update_rows(rows)
        for key in changed:
            place = self.position_of(key)
            if place is not None:
                index = self.index(place, 0)
                self.dataChanged.emit(index, index.siblingAtColumn(self.columnCount() - 1))

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        is_switch = index.isValid() and index.column() == 0
        return found | Qt.ItemFlag.ItemIsUserCheckable if is_switch else found

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if role == Role.CheckStateRole and index.isValid() and index.column() == 0:
            return Qt.CheckState.Checked if self._is_on(index) else Qt.CheckState.Unchecked
        if role == Role.AccessibleTextRole and index.isValid():
            state = "on" if self._is_on(index) else "off"
            cells = [cell for cell in self.row(index.row()).cells if cell]
            return ", ".join([*cells, state])
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.CheckStateRole or not index.isValid() or index.column() != 0:
            return False
        is_on = Qt.CheckState(value) is Qt.CheckState.Checked
        # The owner changes the rows, and they come back through `show_rows`.
        self.switched.emit(str(self.row(index.row()).key), is_on)
        return True

    def _is_on(self, index: Index) -> bool:
        return self.row(index.row()).key in self._on

    def keys(self) -> list[str]:
        """The keys of all rows, in order."""
        return [str(self.row(place).key) for place in range(self.rowCount(ROOT))]
