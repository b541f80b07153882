"""Toolkits and their APIs as a tree for the toolkit list.

Virtual: members of a toolkit are read when it is expanded, in pieces, so that 5,000 toolkits with
45,000 APIs cost what is on the screen. Columns: name, number of APIs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.viewmodels.swatches import swatch
from toolplanner_gui.viewmodels.table_model import plain_tooltip
from toolplanner_gui.viewmodels.texts import count, counted, one_line

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
_PIECE = 200
Role = Qt.ItemDataRole


class Column(IntEnum):
    """Columns of the list."""

    NAME = 0
    SIZE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An API of a toolkit as the list shows it."""

    rowid: int
    title: str
    description: str


TOOLKIT_ROLE = Role.UserRole
"""ToolkitId of a toolkit's row, and of the toolkit an API's row stands under."""
ROWID_ROLE = Role.UserRole + 1
"""Row id of an API's row, None for toolkits."""


class ToolkitModel(QAbstractItemModel):
    """Tree of toolkits and members.

    Args:
        read_members: `(toolkit, begin, n)` -> at most n members from position `begin`, most
            central first.
    """

    def __init__(
        self,
        read_members: Callable[[ToolkitId, int, int], Sequence[Member]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._read_members = read_members
        self._toolkits: list[Toolkit] = []
        self._row_of: dict[ToolkitId, int] = {}
        self._members: dict[ToolkitId, list[Member]] = {}
        self._colours: Mapping[ToolkitId, str] = {}
        self._sorting = (Column.SIZE, Qt.SortOrder.DescendingOrder)

    def set_toolkits(self, toolkits: Sequence[Toolkit], colours: Mapping[ToolkitId, str]) -> None:
        """Show other toolkits; colours by toolkit, "#rrggbb"."""
        self.beginResetModel()
        self._toolkits = list(toolkits)
        self._colours = colours
        self._members = {}
        self._order()
        self.endResetModel()

    def index_of(self, toolkit: ToolkitId, column: int = Column.NAME) -> QModelIndex:
        """The row of a toolkit; invalid when it is not shown."""
        row = self._row_of.get(toolkit)
        return QModelIndex() if row is None else self.createIndex(row, column, 0)

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        owner = int(self._toolkits[parent.row()].id) if parent.isValid() else 0
        return self.createIndex(row, column, owner)

    def parent(self, child: Index = ROOT) -> QModelIndex:  # type: ignore[override]
        owner = child.internalId() if child.isValid() else 0
        return self.index_of(ToolkitId(owner)) if owner else QModelIndex()

    def rowCount(self, parent: Index = ROOT) -> int:
        if not parent.isValid():
            return len(self._toolkits)
        if parent.internalId() or parent.column() > 0:
            return 0
        return len(self._members.get(self._toolkits[parent.row()].id, ()))

    def columnCount(self, parent: Index = ROOT) -> int:
        return len(Column)

    def hasChildren(self, parent: Index = ROOT) -> bool:
        if not parent.isValid():
            return bool(self._toolkits)
        is_toolkit = not parent.internalId() and parent.column() == 0
        return is_toolkit and self._toolkits[parent.row()].size > 0

    def canFetchMore(self, parent: Index) -> bool:
        if not parent.isValid() or parent.internalId() or parent.column() > 0:
            return False
        toolkit = self._toolkits[parent.row()]
        return len(self._members.get(toolkit.id, ())) < toolkit.size

    def fetchMore(self, parent: Index) -> None:
        toolkit = self._toolkits[parent.row()]
        have = self._members.setdefault(toolkit.id, [])
        more = list(self._read_members(toolkit.id, len(have), _PIECE))
        more = more[: toolkit.size - len(have)]
        if not more:
            return
        self.beginInsertRows(self.index_of(toolkit.id), len(have), len(have) + len(more) - 1)
        have.extend(more)
        self.endInsertRows()

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return ("Toolkits", "APIs")[section]
        if role == Role.TextAlignmentRole and section == Column.SIZE:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        owner = index.internalId()
        if owner:
            return self._member_data(ToolkitId(owner), index.row(), index.column(), role)
        return self._toolkit_data(self._toolkits[index.row()], index.column(), role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the toolkits; members stay ordered by centrality."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        toolkits = [None if i.internalId() else self._toolkits[i.row()].id for i in old]
        self._sorting = (Column(column), order)
        self._order()
        new = [
            i if toolkit is None else self.createIndex(self._row_of[toolkit], i.column(), 0)
            for i, toolkit in zip(old, toolkits, strict=True)
        ]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def _order(self) -> None:
        column, order = self._sorting
        self._toolkits.sort(key=lambda t: (t.name.casefold(), t.id))
        if column is Column.SIZE:
            is_down = order is Qt.SortOrder.DescendingOrder
            self._toolkits.sort(key=lambda t: -t.size if is_down else t.size)
        elif order is Qt.SortOrder.DescendingOrder:
            self._toolkits.reverse()
        self._row_of = {t.id: row for row, t in enumerate(self._toolkits)}

    def _toolkit_data(self, toolkit: Toolkit, column: int, role: int) -> Any:
        if role == TOOLKIT_ROLE:
            return toolkit.id
        if column == Column.SIZE:
            if role == Role.DisplayRole:
                return count(toolkit.size)
            if role == Role.TextAlignmentRole:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            return None
        if role == Role.DisplayRole:
            return one_line(toolkit.name)
        if role == Role.ToolTipRole:
            return plain_tooltip(
                f"{toolkit.name} · {counted(toolkit.size, 'API')}\n{toolkit.description}"
            )
        if role == Role.DecorationRole:
            colour = self._colours.get(toolkit.id)
            return swatch(colour) if colour else None
        return None

    def _member_data(self, owner: ToolkitId, row: int, column: int, role: int) -> Any:
        member = self._members[owner][row]
        if role == TOOLKIT_ROLE:
            return owner
        if role == ROWID_ROLE:
            return member.rowid
        if column == Column.NAME and role == Role.DisplayRole:
            return one_line(member.title)
        if column == Column.NAME and role == Role.ToolTipRole:
            return plain_tooltip(f"{member.title}\n{member.description}")
        return None
