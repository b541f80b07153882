"""What stands in the columns of a run tree."""

from collections.abc import Callable, Sequence
from enum import IntEnum

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState, Shown
from toolplanner_core.runs.telling.run_tree_words import state_words, title_of
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.wording import cost_words
from toolplanner_core.strategies.declared import node_kind
from toolplanner_core.words.wording import count, duration, one_line


class RunColumn(IntEnum):
    """Columns of every tree; those that node kinds declare (`Shown.is_column`) follow."""

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
        told: Sequence[Shown],
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
            return count(node.tokens) if node.tokens else ""
        if column == RunColumn.COST:
            return "" if node.cost == 0 else cost_words(node.cost)
        shown = self._told[column - len(RunColumn)]
        is_own = shown in node_kind(node.kind).shown
        return one_line(shown.said(node.data), 60) if is_own else ""

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
