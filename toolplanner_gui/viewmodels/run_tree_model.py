"""The tree of a run as an item model, grown in place while events arrive.

Rows follow `Node.children` of the core's fold; an update names the paths that changed, so a batch
of events costs what changed, not the size of the run.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.runs.node import Node
from toolplanner_gui.viewmodels.states import NODE_LOOKS, node_look
from toolplanner_gui.viewmodels.table_model import plain_tooltip
from toolplanner_gui.viewmodels.texts import count, duration, one_line

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Role = Qt.ItemDataRole
PATH_ROLE = Role.UserRole
"""NodePath of the row."""
CAUSE_ROLE = Role.UserRole + 1
"""Why the node exists, as "↰ because ...", or ""."""
DIM_ROLE = Role.UserRole + 2
"""Whether the node is of a plan that was given up."""
_GIVEN_UP = (NodeState.REPLANNED, NodeState.ABANDONED)
_WORD_AND_REASON = (
    NodeState.FELL_BACK,
    NodeState.REPLANNED,
    NodeState.ABANDONED,
    NodeState.KEPT,
    NodeState.IN_DOUBT,
)
"""States whose reason does not say by itself what they are."""
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class Column(IntEnum):
    """Columns of the tree."""

    TITLE = 0
    STATE = 1
    TIME = 2
    TOKENS = 3


class _Item:
    """A row: its place among its siblings is kept so that parent() costs nothing."""

    __slots__ = ("children", "node", "parent", "row")

    def __init__(self, node: Node, parent: "_Item | None", row: int) -> None:
        self.node = node
        self.parent = parent
        self.row = row
        self.children: list[_Item] = []


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
        for path, node in nodes.items():
            if node.parent is None:
                self._roots.append(self._build(path, None, len(self._roots)))
        self.endResetModel()

    def update(self, changed: Iterable[NodePath]) -> None:
        """Take over what the fold changed: new rows are inserted, others repainted."""
        paths = [p for p in dict.fromkeys(changed) if p in self._nodes]
        for path in paths:
            if path not in self._items:
                self._insert(path)
        seen: set[NodePath] = set()
        for path in paths:
            # Tokens and states of the nodes above are sums of those below.
            item: _Item | None = self._items[path]
            while item is not None and item.node.path not in seen:
                seen.add(item.node.path)
                self._repaint(item)
                item = item.parent

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
        item = self._items.get(path)
        return QModelIndex() if item is None else self.createIndex(item.row, 0, id(item))

    def path_of(self, index: Index) -> NodePath | None:
        """The node of a row."""
        return self._ids[index.internalId()].node.path if index.isValid() else None

    def node_of(self, index: Index) -> Node | None:
        """The node of a row."""
        return self._ids[index.internalId()].node if index.isValid() else None

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        siblings = self._siblings(parent)
        if not (0 <= row < len(siblings) and 0 <= column < len(Column)):
            return QModelIndex()
        return self.createIndex(row, column, id(siblings[row]))

    def parent(self, child: Index = ROOT) -> QModelIndex:  # type: ignore[override]
        if not child.isValid():
            return QModelIndex()
        above = self._ids[child.internalId()].parent
        return QModelIndex() if above is None else self.createIndex(above.row, 0, id(above))

    def rowCount(self, parent: Index = ROOT) -> int:
        return len(self._siblings(parent)) if parent.column() <= 0 else 0

    def columnCount(self, parent: Index = ROOT) -> int:
        return len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return ("Step", "State", "Time", "Tokens")[section]
        if role == Role.TextAlignmentRole and section != Column.TITLE:
            return _RIGHT
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
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
                return f"↰ {one_line(node.cause_text, 90)}" if node.cause_text else ""
        if role == Role.ToolTipRole:
            state = _state_text(node)
            return plain_tooltip(
                f"{title_of(node)}\n{state}" + (f"\n{node.cause_text}" if node.cause_text else "")
            )
        if role == Role.AccessibleTextRole:
            return f"{title_of(node)}, {_state_text(node)}"
        return None

    def _text(self, node: Node, column: int) -> str:
        if column == Column.TITLE:
            return one_line(title_of(node))
        if column == Column.STATE:
            return one_line(_state_text(node), 120)
        if column == Column.TIME:
            return self._time(node)
        return count(node.tokens) if node.tokens else ""

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
        return self._ids[parent.internalId()].children if parent.isValid() else self._roots

    def _build(self, path: NodePath, parent: _Item | None, row: int) -> _Item:
        node = self._nodes[path]
        item = _Item(node, parent, row)
        self._items[path] = item
        self._ids[id(item)] = item
        for child in node.children:
            if child in self._nodes:
                item.children.append(self._build(child, item, len(item.children)))
        return item

    def _insert(self, path: NodePath) -> None:
        """Insert a node with all below it, and first the nodes above it that are new too."""
        node = self._nodes[path]
        if node.parent is None:
            self.beginInsertRows(ROOT, len(self._roots), len(self._roots))
            self._roots.append(self._build(path, None, len(self._roots)))
            self.endInsertRows()
            return
        if node.parent not in self._items:
            self._insert(node.parent)
            if path in self._items:
                return
        above = self._items[node.parent]
        order = above.node.children
        row = sum(1 for sibling in order[: order.index(path)] if sibling in self._items)
        self.beginInsertRows(self.createIndex(above.row, 0, id(above)), row, row)
        above.children.insert(row, self._build(path, above, row))
        for later, item in enumerate(above.children[row + 1 :], row + 1):
            item.row = later
        self.endInsertRows()

    def _repaint(self, item: _Item) -> None:
        item.node = self._nodes[item.node.path]
        self.dataChanged.emit(
            self.createIndex(item.row, 0, id(item)),
            self.createIndex(item.row, len(Column) - 1, id(item)),
        )


def _state_text(node: Node) -> str:
    """The state in words: the reason where there is one, with the word where it says more."""
    word = NODE_LOOKS[node.state].word
    if not node.reason:
        return word
    if node.state in _WORD_AND_REASON:
        return f"{word} · {node.reason}"
    return node.reason


def title_of(node: Node) -> str:
    """The title of a node; a step with its number and the toolkit that shall do it."""
    if node.kind is not NodeKind.STEP:
        return node.title
    parts = [node.title]
    toolkit = node.data.get("toolkit_name")
    if toolkit:
        parts.append(str(toolkit))
    number = node.data.get("number")
    return f"{number}  {' · '.join(parts)}" if number else " · ".join(parts)
