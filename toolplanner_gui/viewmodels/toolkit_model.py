"""Toolkits and their APIs as a tree for the toolkit list.

Virtual: members of a toolkit are read when it is expanded, in pieces, so that 5,000 toolkits with
45,000 APIs cost what is on the screen. An edit changes only the rows it touches: order, scroll
place and what is expanded stay. Columns: `toolkit_order.py`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QIcon

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.viewmodels.swatches import swatch
from toolplanner_gui.viewmodels.table_model import plain_tooltip
from toolplanner_gui.viewmodels.texts import one_line
from toolplanner_gui.viewmodels.toolkit_order import (
    MEANINGS,
    TITLES,
    Column,
    ToolkitFigures,
    cell,
    is_edited,
    sort_key,
    tooltip,
)

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
_PIECE = 200
_N_COLUMNS = len(Column)
_FEW = 64
"""Toolkits that begin or end row by row; more are shown by a reset."""
Role = Qt.ItemDataRole
MIME = "application/x-toolplanner-apis"
"""A drag of the selected APIs; the data are row ids, comma-separated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An API of a toolkit as the list shows it."""

    rowid: int
    title: str
    description: str
    is_pinned: bool = False
    is_excluded: bool = False


TOOLKIT_ROLE = Role.UserRole
"""ToolkitId of a toolkit's row, and of the toolkit an API's row stands under."""
ROWID_ROLE = Role.UserRole + 1
"""Row id of an API's row, None for toolkits."""
DIM_ROLE = Role.UserRole + 2
"""Whether a row is drawn dim: an excluded API."""
WIDE_ROLE = Role.UserRole + 3
"""Whether a row has no figures, so that its name may use their columns: an API."""

# Joined once: views ask for the flags of thousands of rows.
_MEMBER_FLAGS = (
    Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
)
_TOOLKIT_FLAGS = _MEMBER_FLAGS | Qt.ItemFlag.ItemIsDropEnabled
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class ToolkitModel(QAbstractItemModel):
    """Tree of toolkits and members.

    Args:
        read_members: `(toolkit, begin, n)` -> at most n members from position `begin`, most
            central first.
        figures: cohesion and health; None shows none.
        icon: makes the icon of a name in the theme of the moment.

    Signals:
        dropped: row ids that were dropped, and the toolkit they were dropped on.
    """

    dropped = Signal(object, object)

    def __init__(
        self,
        read_members: Callable[[ToolkitId, int, int], Sequence[Member]],
        parent: QObject | None = None,
        *,
        figures: ToolkitFigures | None = None,
        icon: Callable[[str], QIcon] | None = None,
    ) -> None:
        super().__init__(parent)
        self._read_members = read_members
        self._figures = figures
        self._icon = icon
        self._toolkits: list[Toolkit] = []
        self._row_of: dict[ToolkitId, int] = {}
        self._members: dict[ToolkitId, list[Member]] = {}
        self._colours: Mapping[ToolkitId, str] = {}
        self._sorting = (Column.SIZE, Qt.SortOrder.DescendingOrder)

    @property
    def toolkits(self) -> Sequence[Toolkit]:
        """The toolkits in their order."""
        return self._toolkits

    def set_toolkits(self, toolkits: Sequence[Toolkit], colours: Mapping[ToolkitId, str]) -> None:
        """Show other toolkits; colours by toolkit, "#rrggbb"."""
        self.beginResetModel()
        self._toolkits = list(toolkits)
        self._colours = colours
        self._members = {}
        self._order()
        self.endResetModel()

    def set_colours(self, colours: Mapping[ToolkitId, str]) -> None:
        """Give the toolkits other colours."""
        self._colours = colours
        self._tell_all(Column.NAME, Role.DecorationRole)

    def figures_changed(self) -> None:
        """Show other figures; the order stays until somebody sorts."""
        self._tell_all(Column.COHESION, Role.DisplayRole)
        self._tell_all(Column.HEALTH, Role.DisplayRole)

    def follow(self, toolkits: Sequence[Toolkit], touched: Collection[ToolkitId]) -> None:
        """Show an edit: ended toolkits go, new ones come where the order wants them, all other
        rows stay where they are.

        Args:
            toolkits: all that live now.
            touched: those whose name, text or members changed.
        """
        now = {toolkit.id: toolkit for toolkit in toolkits}
        gone = [t.id for t in self._toolkits if t.id not in now]
        new = [t for t in toolkits if t.id not in self._row_of]
        if len(gone) + len(new) > _FEW:
            self.set_toolkits(toolkits, self._colours)
            return
        for toolkit in gone:
            self._remove(toolkit)
        self._toolkits = [now[toolkit.id] for toolkit in self._toolkits]
        for toolkit in new:
            self._insert(toolkit)
        for toolkit in touched:
            if toolkit in self._row_of:
                self._forget_members(toolkit)
                row = self._row_of[toolkit]
                self.dataChanged.emit(self.index(row, 0), self.index(row, _N_COLUMNS - 1))

    def index_of(self, toolkit: ToolkitId, column: int = Column.NAME) -> QModelIndex:
        """The row of a toolkit; invalid when it is not shown."""
        row = self._row_of.get(toolkit)
        return QModelIndex() if row is None else self.createIndex(row, column, 0)

    def index_of_member(self, toolkit: ToolkitId, rowid: int) -> QModelIndex:
        """The row of an API under its toolkit; invalid when it was not read yet."""
        for row, member in enumerate(self._members.get(toolkit, ())):
            if member.rowid == rowid:
                return self.createIndex(row, 0, int(toolkit))
        return QModelIndex()

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        # Not `hasIndex`, which comes back twice: a view asks for thousands of rows at a time.
        if not 0 <= column < _N_COLUMNS or not 0 <= row < self.rowCount(parent):
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
        return _N_COLUMNS

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
            return TITLES[Column(section)]
        if role == Role.ToolTipRole:
            return plain_tooltip(MEANINGS[Column(section)])
        if role == Role.TextAlignmentRole and section != Column.NAME:
            return _RIGHT
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        owner = index.internalId()
        if owner:
            return self._member_data(ToolkitId(owner), index.row(), index.column(), role)
        return self._toolkit_data(self._toolkits[index.row()], Column(index.column()), role)

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

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return _MEMBER_FLAGS if index.internalId() else _TOOLKIT_FLAGS

    def mimeTypes(self) -> list[str]:
        return [MIME]

    def mimeData(self, indexes: Iterable[QModelIndex]) -> QMimeData:
        """Row ids of the dragged APIs; a dragged toolkit stands for what was read of it and is
        left to the panel, which knows the selection."""
        data = QMimeData()
        rowids = sorted({i.data(ROWID_ROLE) for i in indexes if i.data(ROWID_ROLE) is not None})
        data.setData(MIME, ",".join(map(str, rowids)).encode())
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        return data.hasFormat(MIME) and parent.isValid()

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Ask for the move; the rows follow with the edit."""
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        text = bytes(data.data(MIME).data()).decode()
        rowids = [int(part) for part in text.split(",") if part]
        self.dropped.emit(rowids, parent.data(TOOLKIT_ROLE))
        # Not True: the view would then remove the dragged rows itself.
        return False

    def _remove(self, toolkit: ToolkitId) -> None:
        row = self._row_of[toolkit]
        self.beginRemoveRows(ROOT, row, row)
        del self._toolkits[row]
        self._members.pop(toolkit, None)
        self._number()
        self.endRemoveRows()

    def _insert(self, toolkit: Toolkit) -> None:
        key = self._key()
        mine = key(toolkit)
        row = next((i for i, t in enumerate(self._toolkits) if key(t) > mine), len(self._toolkits))
        self.beginInsertRows(ROOT, row, row)
        self._toolkits.insert(row, toolkit)
        self._number()
        self.endInsertRows()

    def _forget_members(self, toolkit: ToolkitId) -> None:
        """Read the members of a toolkit again, as many as were there: an expanded one stays so."""
        old = self._members.pop(toolkit, None)
        if not old:
            return
        parent = self.index_of(toolkit)
        self._members[toolkit] = old
        self.beginRemoveRows(parent, 0, len(old) - 1)
        self._members[toolkit] = []
        self.endRemoveRows()
        if self.canFetchMore(parent):
            self.fetchMore(parent)

    def _tell_all(self, column: Column, role: Role) -> None:
        if self._toolkits:
            last = self.index(len(self._toolkits) - 1, column)
            self.dataChanged.emit(self.index(0, column), last, [role])

    def _key(self) -> Callable[[Toolkit], tuple[Any, ...]]:
        column, order = self._sorting
        is_down = order is Qt.SortOrder.DescendingOrder
        return sort_key(column, self._figures, is_down=is_down)

    def _order(self) -> None:
        self._toolkits.sort(key=self._key())
        self._number()

    def _number(self) -> None:
        self._row_of = {t.id: row for row, t in enumerate(self._toolkits)}

    def _toolkit_data(self, toolkit: Toolkit, column: Column, role: int) -> Any:
        if role == TOOLKIT_ROLE:
            return toolkit.id
        if role == Role.ToolTipRole:
            return plain_tooltip(tooltip(toolkit, column, self._figures))
        if column is Column.MARKS:
            return self._mark(toolkit, role)
        if column is not Column.NAME:
            if role == Role.DisplayRole:
                return cell(toolkit, column, self._figures)
            return _RIGHT if role == Role.TextAlignmentRole else None
        if role == Role.DisplayRole:
            return one_line(toolkit.name)
        if role == Role.DecorationRole:
            colour = self._colours.get(toolkit.id)
            return swatch(colour) if colour else None
        return None

    def _mark(self, toolkit: Toolkit, role: int) -> Any:
        if role == Role.AccessibleTextRole:
            return tooltip(toolkit, Column.MARKS, None)
        if role != Role.DecorationRole or self._icon is None:
            return None
        if toolkit.pinned:
            return self._icon("pin")
        return self._icon("account-edit-outline") if is_edited(toolkit) else None

    def _member_data(self, owner: ToolkitId, row: int, column: int, role: int) -> Any:
        member = self._members[owner][row]
        if role == TOOLKIT_ROLE:
            return owner
        if role == ROWID_ROLE:
            return member.rowid
        if role == DIM_ROLE:
            return member.is_excluded
        if role == WIDE_ROLE:
            return True
        if column == Column.MARKS:
            return self._member_mark(member, role)
        if column == Column.NAME and role == Role.DisplayRole:
            return one_line(member.title)
        if column == Column.NAME and role == Role.ToolTipRole:
            return plain_tooltip(f"{member.title}\n{member.description}")
        return None

    def _member_mark(self, member: Member, role: int) -> Any:
        words = [
            word
            for word, is_so in (("Excluded", member.is_excluded), ("Pinned", member.is_pinned))
            if is_so
        ]
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            return plain_tooltip(", ".join(words))
        if role == Role.DecorationRole and words and self._icon is not None:
            return self._icon("cancel" if member.is_excluded else "pin")
        return None
