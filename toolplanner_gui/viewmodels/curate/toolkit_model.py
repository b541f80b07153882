"""Regions, toolkits and their APIs as a tree for the toolkit list.

Virtual: members of a toolkit are read when it is expanded, in pieces, so that 5,000 toolkits with
45,000 APIs cost what is on the screen. An edit changes only the rows it touches, which go where the
order wants them; scroll place and what is expanded stay. Places of rows: `toolkit_model.py`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, Signal

from toolplanner_core.curation.looking.details import ToolkitMember
from toolplanner_core.curation.looking.toolkit_columns import (
    MEANINGS,
    TITLES,
    ToolkitColumn,
    ToolkitFigures,
    cell,
    is_edited,
    lacks_figures,
    sort_key,
    tooltip,
)
from toolplanner_core.curation.looking.toolkit_rows import Grouping, Region, RowPlace, ToolkitRows
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.formatting import count, counted, one_line
from toolplanner_gui.theme.icons import colour_swatch, make_icon
from toolplanner_gui.viewmodels.item_models import RIGHT, ROOT, Columns, Index, Role, plain_tooltip

TOOLKIT_ROLE = Role.UserRole
"""ToolkitId of a toolkit's row, and of the toolkit an API's row stands under."""
ROWID_ROLE = Role.UserRole + 1
"""Row id of an API's row, None for toolkits."""
DIM_ROLE = Role.UserRole + 2
"""Whether a row is drawn dim: an excluded API, a toolkit of such APIs alone."""
WIDE_ROLE = Role.UserRole + 3
"""Whether a row has no figures, so that its name may use their columns: an API."""
ENDS_ROLE = Role.UserRole + 4
"""Whether a row's name is cut at its end: a region, whose first words are its largest trades, and
what ends in words that say nothing."""
ALL_EXCLUDED = "All its APIs are excluded: no plan is offered any of them."
_AND_MORE = " and more"
ROLES = frozenset(
    (
        Role.DisplayRole,
        Role.DecorationRole,
        Role.ToolTipRole,
        Role.TextAlignmentRole,
        Role.AccessibleTextRole,
        TOOLKIT_ROLE,
        ROWID_ROLE,
        DIM_ROLE,
        WIDE_ROLE,
        ENDS_ROLE,
    )
)
"""All that cells answer to. A view asks eleven questions about each cell that it paints."""


class ToolkitCells:
    """Cells by row and column.

    Args:
        figures: cohesion and health; None shows none.
    """

    def __init__(self, figures: ToolkitFigures | None) -> None:
        self._figures = figures
        self.unused: frozenset[ToolkitId] = frozenset()
        """Toolkits whose APIs are all excluded."""
        self._colours: Mapping[ToolkitId, str] = {}
        self._region_colours: dict[int, str] = {}

    @property
    def colours(self) -> Mapping[ToolkitId, str]:
        """Of the toolkits, "#rrggbb"."""
        return self._colours

    @colours.setter
    def colours(self, colours: Mapping[ToolkitId, str]) -> None:
        self._colours = colours
        self.forget_regions()

    def forget_regions(self) -> None:
        """Regions hold other toolkits, or these have other colours."""
        self._region_colours = {}

    def region(self, region: Region, column: ToolkitColumn, role: int) -> Any:
        """What a row of a region shows."""
        if role == Role.DisplayRole:
            if column is ToolkitColumn.NAME:
                return one_line(region.name)
            return count(region.size) if column is ToolkitColumn.SIZE else None
        if role == ENDS_ROLE:
            return True
        if role == Role.DecorationRole and column is ToolkitColumn.NAME:
            return self._region_swatch(region)
        if role == Role.TextAlignmentRole and column is not ToolkitColumn.NAME:
            return RIGHT
        if role == Role.ToolTipRole:
            toolkits = counted(len(region.toolkits), "toolkit")
            return plain_tooltip(f"Region {region.name}: {toolkits}, {counted(region.size, 'API')}")
        return None

    def _region_swatch(self, region: Region) -> Any:
        """The colour of a region whose toolkits all have one and the same.

        Kept, for it is painted often and a region may hold a thousand toolkits.
        """
        colour = self._region_colours.get(region.number)
        if colour is None:
            found = set(map(self._colours.get, [kit.id for kit in region.toolkits]))
            colour = (found.pop() if len(found) == 1 else None) or ""
            self._region_colours[region.number] = colour
        return colour_swatch(colour) if colour else None

    def toolkit(self, toolkit: Toolkit, column: ToolkitColumn, role: int) -> Any:
        """What a row of a toolkit shows."""
        if role == TOOLKIT_ROLE:
            return toolkit.id
        if role == DIM_ROLE:
            return toolkit.id in self.unused
        if column is ToolkitColumn.MARKS and toolkit.id in self.unused:
            return self._unused_mark(toolkit, role)
        if role == Role.ToolTipRole:
            return plain_tooltip(tooltip(toolkit, column, self._figures))
        if column is ToolkitColumn.MARKS:
            return self._mark(toolkit, role)
        if column is not ToolkitColumn.NAME:
            if role == Role.DisplayRole:
                return cell(toolkit, column, self._figures)
            return RIGHT if role == Role.TextAlignmentRole else None
        if role == Role.DisplayRole:
            return one_line(toolkit.name)
        if role == ENDS_ROLE:
            return toolkit.name.endswith(_AND_MORE)
        if role == Role.DecorationRole:
            # Names stand below each other where others have a colour.
            return colour_swatch(self.colours.get(toolkit.id, "")) if self.colours else None
        return None

    def _unused_mark(self, toolkit: Toolkit, role: int) -> Any:
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            marks = tooltip(toolkit, ToolkitColumn.MARKS, None)
            return plain_tooltip(f"{ALL_EXCLUDED} {marks}".strip())
        return make_icon("cancel") if role == Role.DecorationRole else None

    def _mark(self, toolkit: Toolkit, role: int) -> Any:
        if role == Role.AccessibleTextRole:
            return tooltip(toolkit, ToolkitColumn.MARKS, None)
        if role != Role.DecorationRole:
            return None
        if toolkit.pinned:
            return make_icon("pin")
        if is_edited(toolkit):
            return make_icon("account-edit-outline")
        return make_icon("tag-edit-outline", "dim") if toolkit.proposed_name else None

    def member(self, member: ToolkitMember, owner: ToolkitId, column: int, role: int) -> Any:
        """What a row of an API shows."""
        if role == TOOLKIT_ROLE:
            return owner
        if role == ROWID_ROLE:
            return member.rowid
        if role == DIM_ROLE:
            return member.is_excluded or member.is_waiting
        if role == WIDE_ROLE:
            return True
        if column == ToolkitColumn.MARKS:
            return self._member_mark(member, role)
        if column == ToolkitColumn.NAME and role == Role.DisplayRole:
            return one_line(member.title)
        if column == ToolkitColumn.NAME and role == Role.ToolTipRole:
            return plain_tooltip(f"{member.title}\n{member.description}")
        return None

    def _member_mark(self, member: ToolkitMember, role: int) -> Any:
        words = [
            word
            for word, is_so in (
                ("Documentation changed, to be accepted", member.is_waiting),
                ("Excluded", member.is_excluded),
                ("Pinned", member.is_pinned),
            )
            if is_so
        ]
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            return plain_tooltip(", ".join(words))
        if role == Role.DecorationRole and words:
            return make_icon(_mark_of(member))
        return None


def _mark_of(member: ToolkitMember) -> str:
    if member.is_waiting:
        return "file-alert-outline"
    return "cancel" if member.is_excluded else "pin"


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
        if grouping.region_of is not old.region_of and not self._rows.fits(grouping, old):
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
