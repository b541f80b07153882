"""Bases of the item models: columns, a table of texts, a tree.

A small table of texts: members, parameters, candidates, search results, runs. Rows are dataclasses
made by the caller; this model only shows them. For long lists it is cheap: a cell is asked for when
it is painted.

What all trees of rows have in common for Qt: indexes, parents, numbers of rows. A model derives
from `TreeModel`, adds its rows, and says in `data` what they show. (The list of toolkits is no such
tree: its 45,000 rows exist only while they are seen.)
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QIcon

from toolplanner_core.words.glossary import explain_term
from toolplanner_core.words.sanitizing import strip_markup

Role = Qt.ItemDataRole
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class Columns:
    """The columns of an item model, which derives from this before its class of Qt.

    Attributes:
        titles: of the columns.
        numbers: columns whose texts stand on the right.
        meanings: tooltips of the titles; words that are terms need none.
    """

    titles: Sequence[str] = ()
    numbers: Collection[int] = ()
    meanings: Sequence[str] = ()

    def columnCount(self, parent: Index = ROOT) -> int:
        """For Qt."""
        return len(self.titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """For Qt."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return self.titles[section]
        if role == Role.ToolTipRole:
            own = self.meanings[section] if self.meanings else ""
            return plain_tooltip(own or explain_term(self.titles[section]))
        return RIGHT if role == Role.TextAlignmentRole and section in self.numbers else None


def plain_tooltip(text: str, limit: int = 600) -> str:
    """A tooltip that Qt never takes for HTML: names and documentation are foreign text, whose
    markup goes."""
    if not text:
        return ""
    text = strip_markup(text)
    cut = text if len(text) <= limit else f"{text[:limit]}…"
    escaped = cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<p style="white-space:pre-wrap">{escaped}</p>'


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


T = TypeVar("T")


class TreeRow(Generic[T]):
    """A row: its place among its siblings is kept so that parent() costs nothing.

    Attributes:
        children: None while there are none, or nobody has asked for them.
    """

    __slots__ = ("children", "parent", "row", "value")

    def __init__(self, value: T, parent: "TreeRow[T] | None", row: int) -> None:
        self.value = value
        self.parent = parent
        self.row = row
        self.children: list[TreeRow[T]] | None = None


class TreeModel(Columns, QAbstractItemModel, Generic[T]):
    """Rows that stand for values of one type.

    Args:
        titles: of the columns.
        numbers: columns whose texts stand on the right.
    """

    def __init__(
        self,
        titles: Sequence[str],
        parent: QObject | None = None,
        *,
        numbers: Collection[int] = (),
    ) -> None:
        super().__init__(parent)
        self.titles, self.numbers = titles, numbers
        self._tops: list[TreeRow[T]] = []
        self._ids: dict[int, TreeRow[T]] = {}

    def row_of(self, index: Index) -> TreeRow[T] | None:
        """The row at an index."""
        return self._ids[index.internalId()] if index.isValid() else None

    def value_of(self, index: Index) -> T | None:
        """What the row at an index stands for."""
        return self._ids[index.internalId()].value if index.isValid() else None

    def index_at(self, row: TreeRow[T] | None, column: int = 0) -> QModelIndex:
        """The index of a row; invalid for None."""
        return QModelIndex() if row is None else self.createIndex(row.row, column, id(row))

    def below(self, row: TreeRow[T] | None) -> list[TreeRow[T]]:
        """The rows below one; those at the top for None."""
        return self._tops if row is None else row.children or []

    def clear(self) -> None:
        """Forget all rows; inside of a reset."""
        self._tops, self._ids = [], {}

    def add(self, value: T, above: TreeRow[T] | None = None) -> TreeRow[T]:
        """Put a row below another one, or at the top; inside of a reset or an insertion."""
        if above is not None and above.children is None:
            above.children = []
        siblings = self._tops if above is None or above.children is None else above.children
        row = TreeRow(value, above, len(siblings))
        siblings.append(row)
        self._ids[id(row)] = row
        return row

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        siblings = self.below(self.row_of(parent))
        if not (0 <= row < len(siblings) and 0 <= column < len(self.titles)):
            return QModelIndex()
        return self.createIndex(row, column, id(siblings[row]))

    def parent(self, child: Index = ROOT) -> QModelIndex:  # type: ignore[override]
        row = self.row_of(child)
        return QModelIndex() if row is None else self.index_at(row.parent)

    def rowCount(self, parent: Index = ROOT) -> int:
        return len(self.below(self.row_of(parent))) if parent.column() <= 0 else 0
