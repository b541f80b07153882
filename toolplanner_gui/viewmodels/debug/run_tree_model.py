"""The tree of a run as an item model, grown in place while events arrive.

Rows follow `Node.children` of the core's fold; those below a row are made when somebody asks for
them, so a long run opens at once. An update names the paths that changed: new rows come in one
piece per parent, and a batch of events costs what changed, not the size of the run.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.telling.run_tree_words import link_words, state_words, title_of
from toolplanner_core.runs.telling.states import node_look
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.wording import cost_words
from toolplanner_core.words.wording import count, duration, one_line
from toolplanner_gui.viewmodels.table_model import plain_tooltip

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Role = Qt.ItemDataRole
PATH_ROLE = Role.UserRole
"""NodePath of the row."""
CAUSE_ROLE = Role.UserRole + 1
"""The link after the title: why the node exists, as "↰ because ...", or ""."""
DIM_ROLE = Role.UserRole + 2
"""Whether the node is of a plan that was given up."""
_ANSWERED = frozenset(
    {
        Role.DisplayRole,
        Role.TextAlignmentRole,
        Role.DecorationRole,
        Role.ToolTipRole,
        Role.AccessibleTextRole,
        PATH_ROLE,
        CAUSE_ROLE,
        DIM_ROLE,
    }
)
_GIVEN_UP = (NodeState.REPLANNED, NodeState.ABANDONED)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class Column(IntEnum):
    """Columns of the tree."""

    TITLE = 0
    STATE = 1
    TIME = 2
    TOKENS = 3
    COST = 4


_TITLES = ("Step", "State", "Time", "Tokens", "Cost")
_N_COLUMNS = len(Column)


MOST_ROWS = 1000
"""Below one node of a stored run, until somebody wants all: a tree view asks about each row before
it draws the first, 100 ms for ten thousand."""


class _Item:
    """A row: its place among its siblings is kept so that parent() costs nothing.

    Attributes:
        children: None until somebody asks for the rows below.
    """

    __slots__ = ("children", "node", "parent", "row")

    def __init__(self, node: Node, parent: "_Item | None", row: int) -> None:
        self.node = node
        self.parent = parent
        self.row = row
        self.children: list[_Item] | None = None if node.children else []


class RunTreeModel(QAbstractItemModel):
    """Tree of nodes.

    Args:
        icon: makes an icon from a name and a colour token in the theme of the moment.
        clock_ns: monotonic clock for nodes that still run.
    """

    def __init__(
        self,
        icon: Callable[[str, str], QIcon],
        parent: QObject | None = None,
        *,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._clock_ns = clock_ns
        self._items: dict[NodePath, _Item] = {}
        self._ids: dict[int, _Item] = {}
        self._nodes: Mapping[NodePath, Node] = {}
        self._roots: list[_Item] = []
        self._began_ns: int | None = None
        self._most_rows: int | None = None

    def set_nodes(self, nodes: Mapping[NodePath, Node], *, began_ns: int | None = None) -> None:
        """Show another run.

        Args:
            nodes: all nodes by path; the fold goes on changing this mapping.
            began_ns: when the run began on `clock_ns`, None for a run that is over.
        """
        self.beginResetModel()
        self._items, self._ids, self._roots = {}, {}, []
        self._nodes = nodes
        self._began_ns = began_ns
        self._most_rows = MOST_ROWS if began_ns is None else None
        for node in nodes.values():
            if node.parent is None:
                self._roots.append(self._make(node, None, len(self._roots)))
        self.endResetModel()

    def update(self, changed: Iterable[NodePath]) -> None:
        """Take over what the fold changed: new rows are inserted, others repainted."""
        paths = [p for p in dict.fromkeys(changed) if p in self._nodes]
        for path in sorted(paths, key=len):
            if path not in self._items:
                self._insert_beside(self._nodes[path])
        touched: dict[_Item | None, list[int]] = {}
        seen: set[_Item] = set()
        for path in paths:
            # Tokens and states of the nodes above are sums of those below.
            item = self._items.get(path)
            while item is not None and item not in seen:
                seen.add(item)
                item.node = self._nodes[item.node.path]
                touched.setdefault(item.parent, []).append(item.row)
                item = item.parent
        for above, rows in touched.items():
            siblings = self._roots if above is None else above.children or []
            first, last = min(rows), max(rows)
            self.dataChanged.emit(
                self.createIndex(first, 0, id(siblings[first])),
                self.createIndex(last, len(Column) - 1, id(siblings[last])),
            )

    @property
    def n_hidden(self) -> int:
        """Rows that are left out below nodes with very many."""
        if self._most_rows is None:
            return 0
        return sum(
            max(0, len(item.node.children) - len(item.children or ()) - self._unmade(item))
            for item in self._items.values()
        )

    def show_all(self) -> None:
        """Leave out no rows any more."""
        self._most_rows = None
        for item in [item for item in self._items.values() if item.children]:
            self._grow(item)

    def end(self) -> None:
        """The run is over: times stand still."""
        self._began_ns = None

    def tick(self) -> None:
        """Repaint the times of what still runs."""
        if self._began_ns is None:
            return
        for item in self._items.values():
            if item.node.state is NodeState.RUNNING:
                index = self.createIndex(item.row, Column.TIME, id(item))
                self.dataChanged.emit(index, index, [Role.DisplayRole])

    def index_of(self, path: NodePath) -> QModelIndex:
        """The row of a node; invalid when there is none."""
        item = self._item(path)
        return QModelIndex() if item is None else self.createIndex(item.row, 0, id(item))

    def path_of(self, index: Index) -> NodePath | None:
        """The node of a row."""
        return self._ids[index.internalId()].node.path if index.isValid() else None

    def node_of(self, index: Index) -> Node | None:
        """The node of a row."""
        return self._ids[index.internalId()].node if index.isValid() else None

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        siblings = self._siblings(parent)
        if not (0 <= row < len(siblings) and 0 <= column < _N_COLUMNS):
            return QModelIndex()
        return self.createIndex(row, column, id(siblings[row]))

    def parent(self, child: Index = ROOT) -> QModelIndex:  # type: ignore[override]
        if not child.isValid():
            return QModelIndex()
        above = self._ids[child.internalId()].parent
        return QModelIndex() if above is None else self.createIndex(above.row, 0, id(above))

    def rowCount(self, parent: Index = ROOT) -> int:
        return len(self._siblings(parent)) if parent.column() <= 0 else 0

    def hasChildren(self, parent: Index = ROOT) -> bool:
        if not parent.isValid():
            return bool(self._roots)
        children = self._ids[parent.internalId()].children
        return (children is None or bool(children)) and parent.column() == 0

    def columnCount(self, parent: Index = ROOT) -> int:
        return len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return _TITLES[section]
        if role == Role.TextAlignmentRole and section != Column.TITLE:
            return _RIGHT
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        # Asked seven times for each cell that is drawn, mostly for fonts and colours.
        if role not in _ANSWERED or not index.isValid():
            return None
        item = self._ids[index.internalId()]
        node, column = item.node, index.column()
        if role == Role.DisplayRole:
            return self._text(node, column)
        if role == Role.TextAlignmentRole:
            return _RIGHT if column != Column.TITLE else None
        if role == PATH_ROLE:
            return node.path
        if role == DIM_ROLE:
            return column != Column.TITLE or self._is_given_up(item)
        if column == Column.TITLE:
            if role == Role.DecorationRole:
                look = node_look(node.kind, node.state)
                return self._icon(look.icon, look.token)
            if role == CAUSE_ROLE:
                return link_words(node, self._nodes)
        if role == Role.ToolTipRole:
            lines = (title_of(node), state_words(node), node.cause_text)
            return plain_tooltip("\n".join(line for line in lines if line))
        if role == Role.AccessibleTextRole:
            return f"{title_of(node)}, {state_words(node)}"
        return None

    def _text(self, node: Node, column: int) -> str:
        if column == Column.TITLE:
            return one_line(title_of(node))
        if column == Column.STATE:
            return one_line(state_words(node), 120)
        if column == Column.TIME:
            return self._time(node)
        if column == Column.TOKENS:
            return count(node.tokens) if node.tokens else ""
        return "" if node.cost == 0 else cost_words(node.cost)

    def _time(self, node: Node) -> str:
        if node.started_ns is None or node.state in (NodeState.WAITING, NodeState.KEPT):
            return ""
        end_ns = node.ended_ns
        if end_ns is None:
            if self._began_ns is None or node.state is not NodeState.RUNNING:
                return ""
            end_ns = self._clock_ns() - self._began_ns
        return duration(max(0, end_ns - node.started_ns) / 1e9)

    @staticmethod
    def _is_given_up(item: _Item) -> bool:
        above: _Item | None = item
        while above is not None:
            if above.node.state in _GIVEN_UP:
                return True
            above = above.parent
        return False

    def _siblings(self, parent: Index) -> list[_Item]:
        return self._below(self._ids[parent.internalId()]) if parent.isValid() else self._roots

    def _item(self, path: NodePath) -> _Item | None:
        """The row of a node; it and those above it are made when they are not there yet."""
        item = self._items.get(path)
        node = self._nodes.get(path)
        if item is None and node is not None and node.parent is not None:
            above = self._item(node.parent)
            if above is not None:
                self._below(above)
                if path not in self._items:
                    self._grow(above)
                item = self._items.get(path)
        return item

    def _unmade(self, item: _Item) -> int:
        """Rows that will be made when somebody asks."""
        return self._most_rows or 0 if item.children is None else 0

    def _below(self, item: _Item) -> list[_Item]:
        if item.children is None:
            item.children = []
            for path in item.node.children[: self._most_rows]:
                item.children.append(self._make(self._nodes[path], item, len(item.children)))
        return item.children

    def _make(self, node: Node, parent: _Item | None, row: int) -> _Item:
        item = _Item(node, parent, row)
        self._items[node.path] = item
        self._ids[id(item)] = item
        return item

    def _insert_beside(self, node: Node) -> None:
        """Insert a node with all its new siblings; the fold adds them at the end.

        Below a row whose children nobody has asked for there is nothing to insert.
        """
        if node.parent is None:
            self.beginInsertRows(ROOT, len(self._roots), len(self._roots))
            self._roots.append(self._make(node, None, len(self._roots)))
            self.endInsertRows()
            return
        above = self._items.get(node.parent)
        if above is None or above.children is None:
            return
        above.node = self._nodes[node.parent]
        self._grow(above)

    def _grow(self, item: _Item) -> None:
        """Insert the rows below an item that are not there yet."""
        rows, order = self._below(item), item.node.children
        if len(rows) == len(order):
            return
        self.beginInsertRows(self.createIndex(item.row, 0, id(item)), len(rows), len(order) - 1)
        for path in order[len(rows) :]:
            rows.append(self._make(self._nodes[path], item, len(rows)))
        self.endInsertRows()
