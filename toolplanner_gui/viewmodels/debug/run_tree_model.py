"""The tree of a run as an item model, grown in place while events arrive.

Rows follow `Node.children` of the core's fold; those below a row are made when somebody asks for
them, so a long run opens at once. An update names the paths that changed: new rows come in one
piece per parent, and a batch of events costs what changed, not the size of the run.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QModelIndex, QObject

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState, ShownField
from toolplanner_core.runs.presentation.states import ended_look, node_look
from toolplanner_core.runs.presentation.tree_rows import (
    link_words,
    state_words,
    title_of,
    tries_words,
)
from toolplanner_core.runs.tree.formatting import cost_words
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind, node_kinds
from toolplanner_core.words.formatting import count, duration, one_line
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.item_models import (
    RIGHT,
    ROOT,
    Index,
    Role,
    TreeModel,
    TreeRow,
    plain_tooltip,
)


class RunColumn(IntEnum):
    """Columns of every tree; those that node kinds declare (`ShownField.is_column`) follow."""

    TITLE = 0
    STATE = 1
    TIME = 2
    TOKENS = 3
    COST = 4


_GOES_ON = (NodeState.RUNNING, NodeState.PAUSED)


class RunTreeCells:
    """Texts of cells.

    Args:
        told: data of nodes that have a column.
        now_ns: where the run stands, None once it is over: for nodes that still go on.
        so_far: how far the call at a node has come while it goes on.
    """

    def __init__(
        self,
        told: Sequence[ShownField],
        now_ns: Callable[[], int | None],
        so_far: Callable[[NodePath], str],
    ) -> None:
        self._told, self._now_ns, self._so_far = told, now_ns, so_far

    def text(self, node: Node, column: int) -> str:
        """What stands in a column of the row of a node."""
        if column == RunColumn.TITLE:
            return one_line(title_of(node))
        if column == RunColumn.STATE:
            is_under_way = node.is_call and node.state is NodeState.RUNNING
            so_far = self._so_far(node.path) if is_under_way else ""
            return one_line(so_far or state_words(node), 120)
        if column == RunColumn.TIME:
            return self._time(node)
        if column == RunColumn.TOKENS:
            about = "about " * bool(node.estimated_tokens)
            return f"{about}{count(node.tokens)}" if node.tokens else ""
        if column == RunColumn.COST:
            return "" if node.cost == 0 else cost_words(node.cost)
        shown = self._told[column - len(RunColumn)]
        is_own = shown in node_kind(node.kind).shown
        return one_line(shown.text_of(node.data), 60) if is_own else ""

    def _time(self, node: Node) -> str:
        if node.started_ns is None or node.state in (NodeState.WAITING, NodeState.KEPT):
            return ""
        took_ns = node.took_ns
        if took_ns is None:
            now_ns = self._now_ns() if node.state in _GOES_ON else None
            if now_ns is None:
                return ""
            took_ns = max(0, now_ns - node.started_ns)
        return duration(took_ns / 1e9)


PATH_ROLE = Role.UserRole
"""NodePath of the row."""
CAUSE_ROLE = Role.UserRole + 1
"""The link after the title: why the node exists, as "↰ because ...", or ""."""
DIM_ROLE = Role.UserRole + 2
"""Whether the node, or one above it, was given up."""
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
_GIVEN_UP = (NodeState.REPLANNED, NodeState.PRUNED, NodeState.ABANDONED)


_TIME_SAYS = "Time for which the whole run was held does not count."
_TITLES = ("Step", "State", "Time", "Tokens", "Cost")


MOST_ROWS = 1000
"""Below one node of a stored run, until somebody wants all: a tree view asks about each row before
it draws the first, 100 ms for ten thousand."""


def _is_over() -> None:
    return None


def _nobody_tells(path: NodePath) -> str:
    del path
    return ""


class RunTreeModel(TreeModel[Node]):
    """Tree of nodes.

    Args:
        now_ns: where the run stands, None once it is over: for nodes that still go on.
        so_far: how far the call at a node has come while it goes on, "" if nobody tells.
    """

    told: tuple[ShownField, ...]
    """Data of nodes that have a column, from `len(RunColumn)` on."""
    has_cost: bool
    """Whether the cost of anything is known and not nothing."""

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        now_ns: Callable[[], int | None] = _is_over,
        so_far: Callable[[NodePath], str] = _nobody_tells,
    ) -> None:
        told = [each for kind in node_kinds().values() for each in kind.shown if each.is_column]
        self.told = tuple(dict.fromkeys(told))
        self._columns_here: set[ShownField] = set()
        self.has_cost = False
        titles = (*_TITLES, *(each.word for each in self.told))
        super().__init__(titles, parent, numbers=range(1, len(titles)))
        self._cells = RunTreeCells(self.told, now_ns, so_far)
        self._items: dict[NodePath, TreeRow[Node]] = {}
        self._nodes: Mapping[NodePath, Node] = {}
        self._most_rows: int | None = None
        self._is_live = False

    def set_nodes(self, nodes: Mapping[NodePath, Node], *, is_live: bool = False) -> None:
        """Show another run.

        Args:
            nodes: all nodes by path; the fold goes on changing this mapping.
            is_live: it goes on; not all at once is read of one that is over.
        """
        self.beginResetModel()
        self.clear()
        self._items, self._nodes = {}, nodes
        self._is_live = is_live
        self._most_rows = None if is_live else MOST_ROWS
        self.has_cost, self._columns_here = False, set()
        for node in nodes.values():
            self._note_columns(node)
            if node.parent is None:
                self._make(node, None)
        self.endResetModel()

    def update(self, changed: Iterable[NodePath]) -> None:
        """Take over what the fold changed: new rows are inserted, others repainted."""
        paths = [p for p in dict.fromkeys(changed) if p in self._nodes]
        for path in sorted(paths, key=len):
            self._note_columns(self._nodes[path])
            if path not in self._items:
                self._insert_beside(self._nodes[path])
        touched: dict[TreeRow[Node] | None, list[int]] = {}
        seen: set[TreeRow[Node]] = set()
        for path in paths:
            # Tokens and states of the nodes above are sums of those below.
            item = self._items.get(path)
            while item is not None and item not in seen:
                seen.add(item)
                item.value = self._nodes[item.value.path]
                touched.setdefault(item.parent, []).append(item.row)
                item = item.parent
        for above, rows in touched.items():
            siblings = self.below(above)
            first, last = siblings[min(rows)], siblings[max(rows)]
            self.dataChanged.emit(self.index_at(first), self.index_at(last, len(self.titles) - 1))

    @property
    def n_hidden(self) -> int:
        """Rows that are left out below nodes with very many."""
        if self._most_rows is None:
            return 0
        return sum(
            max(0, len(item.value.children) - len(item.children or ()) - self._unmade(item))
            for item in self._items.values()
        )

    def show_all(self) -> None:
        """Leave out no rows any more."""
        self._most_rows = None
        for item in [item for item in self._items.values() if item.children]:
            self._grow(item)

    def end(self) -> None:
        """The run is over: times stand still."""
        self._is_live = False

    def tick(self) -> None:
        """Repaint the times of what still runs, and how far it has come."""
        if not self._is_live:
            return
        for item in self._items.values():
            if item.value.state is NodeState.RUNNING:
                first = self.index_at(item, RunColumn.STATE)
                self.dataChanged.emit(
                    first, self.index_at(item, RunColumn.TIME), [Role.DisplayRole]
                )

    def index_of(self, path: NodePath) -> QModelIndex:
        """The row of a node; invalid when there is none."""
        return self.index_at(self._item(path))

    def path_of(self, index: Index) -> NodePath | None:
        """The node of a row."""
        node = self.value_of(index)
        return None if node is None else node.path

    def has_column(self, shown: ShownField) -> bool:
        """Whether any node of the run has a value for a column that its kind declares."""
        return shown in self._columns_here

    def hasChildren(self, parent: Index = ROOT) -> bool:
        row = self.row_of(parent)
        if row is None:
            return bool(self._tops)
        # Asked for every row in view: rows below are not made for it.
        return (row.children is None or bool(row.children)) and parent.column() == 0

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        # Asked seven times for each cell that is drawn, mostly for fonts and colours.
        if role not in _ANSWERED or not index.isValid():
            return None
        item = self._ids[index.internalId()]
        node, column = item.value, index.column()
        if role == Role.DisplayRole:
            return self._cells.text(node, column)
        if role == Role.TextAlignmentRole:
            return RIGHT if column != RunColumn.TITLE else None
        if role == PATH_ROLE:
            return node.path
        if role == DIM_ROLE:
            return column != RunColumn.TITLE or self._is_given_up(item)
        if column == RunColumn.TITLE:
            if role == Role.DecorationRole:
                look = ended_look(node) or node_look(node.kind, node.state)
                return make_icon(look.icon, look.token)
            if role == CAUSE_ROLE:
                return link_words(node, self._nodes)
        if role == Role.ToolTipRole:
            of_time = _TIME_SAYS if column == RunColumn.TIME else ""
            lines = (title_of(node), state_words(node), tries_words(node), node.cause_text, of_time)
            return plain_tooltip("\n".join(line for line in lines if line))
        if role == Role.AccessibleTextRole:
            return f"{title_of(node)}, {state_words(node)}"
        return None

    @staticmethod
    def _is_given_up(item: TreeRow[Node]) -> bool:
        above: TreeRow[Node] | None = item
        while above is not None:
            if above.value.state in _GIVEN_UP:
                return True
            above = above.parent
        return False

    def _item(self, path: NodePath) -> TreeRow[Node] | None:
        """The row of a node; it and those above it are made when they are not there yet."""
        item = self._items.get(path)
        node = self._nodes.get(path)
        if item is None and node is not None and node.parent is not None:
            above = self._item(node.parent)
            if above is not None:
                self.below(above)
                if path not in self._items:
                    self._grow(above)
                item = self._items.get(path)
        return item

    def _note_columns(self, node: Node) -> None:
        self.has_cost |= bool(node.cost)
        if self.told:
            for shown in node_kind(node.kind).shown:
                if shown.is_column and node.data.get(shown.key) is not None:
                    self._columns_here.add(shown)

    def _unmade(self, item: TreeRow[Node]) -> int:
        """Rows that will be made when somebody asks."""
        return self._most_rows or 0 if item.children is None else 0

    def below(self, row: TreeRow[Node] | None) -> list[TreeRow[Node]]:
        if row is not None and row.children is None:
            row.children = []
            for path in row.value.children[: self._most_rows]:
                self._make(self._nodes[path], row)
        return super().below(row)

    def _make(self, node: Node, above: TreeRow[Node] | None) -> None:
        row = self._items[node.path] = self.add(node, above)
        row.children = None if node.children else []

    def _insert_beside(self, node: Node) -> None:
        """Insert a node with all its new siblings; the fold adds them at the end.

        Below a row whose children nobody has asked for there is nothing to insert.
        """
        if node.parent is None:
            self.beginInsertRows(ROOT, len(self._tops), len(self._tops))
            self._make(node, None)
            self.endInsertRows()
            return
        above = self._items.get(node.parent)
        if above is None or above.children is None:
            return
        above.value = self._nodes[node.parent]
        self._grow(above)

    def _grow(self, item: TreeRow[Node]) -> None:
        """Insert the rows below an item that are not there yet."""
        rows, order = self.below(item), item.value.children
        if len(rows) == len(order):
            return
        self.beginInsertRows(self.index_at(item), len(rows), len(order) - 1)
        for path in order[len(rows) :]:
            self._make(self._nodes[path], item)
        self.endInsertRows()
