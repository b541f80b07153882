"""What all trees of rows have in common for Qt: indexes, parents, numbers of rows.

A model derives from `TreeModel`, adds its rows, and says in `data` what they show. (The list of
toolkits is no such tree: its 45,000 rows exist only while they are seen.)
"""

from collections.abc import Collection, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject

from toolplanner_gui.viewmodels.columns import ROOT, Columns, Index

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
