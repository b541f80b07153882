"""Regions, toolkits and their APIs as a tree for the toolkit list.

Virtual: members of a toolkit are read when it is expanded, in pieces, so that 5,000 toolkits with
45,000 APIs cost what is on the screen. An edit changes only the rows it touches, which go where the
order wants them; scroll place and what is expanded stay. Places of rows: `toolkit_indexes.py`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from toolplanner_core.curation.looking.details import ToolkitMember
from toolplanner_core.curation.looking.toolkit_columns import (
    MEANINGS,
    TITLES,
    ToolkitColumn,
    ToolkitFigures,
    lacks_figures,
    sort_key,
)
from toolplanner_core.curation.looking.toolkit_rows import Grouping
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.viewmodels.columns import ROOT, Index, Role
from toolplanner_gui.viewmodels.curate.toolkit_cells import ROLES, ToolkitCells
from toolplanner_gui.viewmodels.curate.toolkit_indexes import N_COLUMNS, ToolkitIndexes

_COLUMNS = tuple(ToolkitColumn)
_PIECE = 200
_FEW = 64
"""Toolkits that begin, end or are painted row by row; of more all rows are shown anew."""


class ToolkitModel(ToolkitIndexes):
    """Tree of toolkits and members.

    Args:
        read_members: `(toolkit, begin, n)` -> at most n members from position `begin`, most
            central first.
        figures: cohesion and health; None shows none.
    """

    looks_changed = Signal(object)
    """Colours or figures of rows, as indexes, None = of many: a view paints them anew.
    `dataChanged` would not do: to know what to paint, Qt asks for the place of each of 5,000 rows,
    open or not, in 0.1 s."""

    titles = tuple(TITLES[column] for column in ToolkitColumn)
    meanings = tuple(MEANINGS[column] for column in ToolkitColumn)
    numbers = frozenset(ToolkitColumn) - {ToolkitColumn.NAME}

    def __init__(
        self,
        read_members: Callable[[ToolkitId, int, int], Sequence[ToolkitMember]],
        parent: QObject | None = None,
        *,
        figures: ToolkitFigures | None = None,
    ) -> None:
        super().__init__(parent)
        self._read_members = read_members
        self._figures = figures
        self._cells = ToolkitCells(figures)
        self._grouping: Grouping | None = None
        self._members: dict[ToolkitId, list[ToolkitMember]] = {}
        self._lacks_figures = False
        self._sorting = (ToolkitColumn.SIZE, True)  # by which column, and whether downwards

    @property
    def toolkits(self) -> Sequence[Toolkit]:
        """The toolkits in their order."""
        return self._rows.toolkits()

    def set_regions(
        self, grouping: Grouping | None, toolkits: Sequence[Toolkit] | None = None
    ) -> None:
        """Show toolkits in regions, or None for one list; the same ones if none are given."""
        self._grouping = grouping
        shown = self._rows.toolkits() if toolkits is None else toolkits
        self.set_toolkits(shown, self._cells.colours)

    def follow_regions(self, grouping: Grouping | None) -> bool:
        """Take these regions if the toolkits shown stand in them already; whether they do."""
        old = self._grouping
        if grouping is None or old is None:
            return grouping is old
        if tuple(grouping.names) != tuple(old.names):
            return False
        if grouping.region_of is not old.region_of and not self._rows.fits(grouping):
            return False
        self._grouping = grouping
        return True

    @property
    def has_regions(self) -> bool:
        """Whether the top rows are regions."""
        return self._rows.has_regions

    def toolkits_of(self, region: Index) -> Sequence[Toolkit]:
        """The toolkits of a region's row."""
        return self._rows.regions[region.row()].toolkits if self._is_region(region) else ()

    def set_toolkits(self, toolkits: Sequence[Toolkit], colours: Mapping[ToolkitId, str]) -> None:
        """Show other toolkits; colours by toolkit, "#rrggbb"."""
        self.beginResetModel()
        self._cells.colours = colours
        self._members = {}
        self._rows.fill(toolkits, self._grouping)
        self._order()
        self.endResetModel()

    def set_colours(self, colours: Mapping[ToolkitId, str]) -> None:
        """Give the toolkits other colours."""
        before, self._cells.colours = self._cells.colours, colours
        self._look_anew({toolkit for toolkit, _ in before.items() ^ colours.items()})

    def set_unused(self, toolkits: frozenset[ToolkitId]) -> None:
        """Say of which toolkits all APIs are excluded."""
        before, self._cells.unused = self._cells.unused, toolkits
        self._look_anew(before ^ toolkits)

    def figures_changed(self, toolkits: Collection[ToolkitId] | None = None) -> None:
        """Show other figures, of some toolkits or of all; of all an order by figures stays."""
        if self._lacks_figures:
            self._sort_again()
        elif toolkits is not None and self._sorting[0] is ToolkitColumn.COHESION:
            self._put_in_order(toolkits)
        self._look_anew(toolkits)

    def follow(self, toolkits: Sequence[Toolkit], touched: Collection[ToolkitId]) -> None:
        """Show an edit: ended toolkits go, new and changed ones come where the order wants them,
        all other rows stay where they are.

        Args:
            toolkits: all that live now.
            touched: those whose name, text or members changed, ended and new ones included; the
                five thousand others are not looked at.
        """
        place_of = self._rows.place
        now = {toolkit.id: toolkit for toolkit in toolkits if toolkit.id in touched}
        gone = [t for t in touched if t not in now and place_of(t) is not None]
        new = [t for t in now.values() if place_of(t.id) is None]
        places = [self._rows.place_for(t, self._key(), self._grouping) for t in new]
        if len(gone) + len(new) > _FEW or None in places:
            self.set_toolkits(toolkits, self._cells.colours)
            return
        self._cells.forget_regions()
        for toolkit in gone:
            self._remove(toolkit)
        self._rows.replace(t for t in now.values() if place_of(t.id) is not None)
        for toolkit in new:
            self._insert(toolkit)
        for toolkit in touched:
            index = self.index_of(toolkit)
            if index.isValid():
                self._forget_members(toolkit)
                self.dataChanged.emit(index, index.siblingAtColumn(N_COLUMNS - 1))
        self._put_in_order(touched)

    def index_of_member(self, toolkit: ToolkitId, rowid: int) -> QModelIndex:
        """The row of an API under its toolkit; invalid when it was not read yet."""
        for row, member in enumerate(self._members.get(toolkit, ())):
            if member.rowid == rowid:
                return self.createIndex(row, 0, int(toolkit))
        return QModelIndex()

    def rowCount(self, parent: Index = ROOT) -> int:
        if not parent.isValid():
            regions = self._rows.regions
            return len(regions) if self._rows.has_regions else len(regions[0].toolkits)
        if parent.column() > 0 or self._is_member(parent):
            return 0
        if self._is_region(parent):
            return len(self._rows.regions[parent.row()].toolkits)
        return len(self._members.get(self._toolkit_at(parent).id, ()))

    def hasChildren(self, parent: Index = ROOT) -> bool:
        if not parent.isValid():
            return self.rowCount() > 0
        if parent.column() > 0 or self._is_member(parent):
            return False
        return self._is_region(parent) or self._toolkit_at(parent).size > 0

    def canFetchMore(self, parent: Index) -> bool:
        if not parent.isValid() or parent.column() > 0 or not self._is_toolkit(parent):
            return False
        toolkit = self._toolkit_at(parent)
        return len(self._members.get(toolkit.id, ())) < toolkit.size

    def fetchMore(self, parent: Index) -> None:
        if not self._is_toolkit(parent):
            return
        toolkit = self._toolkit_at(parent)
        have = self._members.setdefault(toolkit.id, [])
        more = list(self._read_members(toolkit.id, len(have), _PIECE))
        more = more[: toolkit.size - len(have)]
        if not more:
            return
        self.beginInsertRows(self.index_of(toolkit.id), len(have), len(have) + len(more) - 1)
        have.extend(more)
        self.endInsertRows()

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if role not in ROLES or not index.isValid():
            return None
        if self._is_member(index):
            owner = ToolkitId(index.internalId())
            return self._cells.member(
                self._members[owner][index.row()], owner, index.column(), role
            )
        if self._is_region(index):
            region = self._rows.regions[index.row()]
            return self._cells.region(region, _COLUMNS[index.column()], role)
        return self._cells.toolkit(self._toolkit_at(index), _COLUMNS[index.column()], role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the toolkits; members stay ordered by centrality."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        toolkits = [self._toolkit_at(i).id if self._is_toolkit(i) else None for i in old]
        numbers = [self._rows.regions[i.row()].number if self._is_region(i) else None for i in old]
        self._sorting = (ToolkitColumn(column), order is Qt.SortOrder.DescendingOrder)
        self._order()
        new: list[QModelIndex] = []
        for index, toolkit, number in zip(old, toolkits, numbers, strict=True):
            if toolkit is not None:
                new.append(self.index_of(toolkit, index.column()))
            elif number is not None:
                row = self._rows.row_of_region(number)
                new.append(self.createIndex(row, index.column(), 0))
            else:
                new.append(index)
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def _look_anew(self, toolkits: Collection[ToolkitId] | None) -> None:
        if toolkits is None or len(toolkits) > _FEW:
            self.looks_changed.emit(None)
            return
        rows = [self.index_of(one) for one in toolkits]
        # A region has the colour of its toolkits.
        self.looks_changed.emit(rows + [self.parent(row) for row in rows])

    def _remove(self, toolkit: ToolkitId) -> None:
        place = self._rows.place(toolkit)
        assert place is not None
        self.beginRemoveRows(self._parent_of(place), place.row, place.row)
        self._members.pop(toolkit, None)
        self._rows.remove(toolkit)
        self.endRemoveRows()

    def _insert(self, toolkit: Toolkit) -> None:
        place = self._rows.place_for(toolkit, self._key(), self._grouping)
        assert place is not None
        self.beginInsertRows(self._parent_of(place), place.row, place.row)
        self._rows.insert(place, toolkit)
        self.endInsertRows()

    def _put_in_order(self, touched: Collection[ToolkitId]) -> None:
        """Move rows whose place is another one now; nothing else moves."""
        living = [toolkit for toolkit in touched if self._rows.place(toolkit) is not None]
        is_steady = self._sorting[0] is ToolkitColumn.NAME or self._rows.is_largest_first
        if len(living) <= _FEW and is_steady:
            key = self._key()
            # Two that are out of order may hide it from each other: until none moves.
            for _ in range(len(living) + 1):
                if not sum(self._move(toolkit, key) for toolkit in living):
                    return
        self._sort_again()

    def _sort_again(self) -> None:
        column, is_down = self._sorting
        self.sort(column, Qt.SortOrder(int(is_down)))

    def _move(self, toolkit: ToolkitId, key: Callable[[Toolkit], tuple[Any, ...]]) -> bool:
        old, new = self._rows.place(toolkit), self._rows.place_anew(toolkit, key)
        if old is None or new is None or new == old:
            return False
        parent = self._parent_of(old)
        # Qt counts as if the row were still there.
        to = new.row + 1 if new.row > old.row else new.row
        self.beginMoveRows(parent, old.row, old.row, parent, to)
        self._rows.move(toolkit, new)
        self.endMoveRows()
        return True

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

    def _key(self) -> Callable[[Toolkit], tuple[Any, ...]]:
        column, is_down = self._sorting
        return sort_key(column, self._figures, is_down=is_down)

    def _order(self) -> None:
        column, is_down = self._sorting
        self._rows.order(self._key(), is_by_name=column is ToolkitColumn.NAME, is_down=is_down)
        self._lacks_figures = lacks_figures(self._rows.toolkits(), column, self._figures)
