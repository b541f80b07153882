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


class RunTreeCells:
    """Texts of cells.

    Args:
        told: data of nodes that have a column.
        clock_ns: monotonic clock for nodes that still run.
        so_far: how far the call at a node has come while it goes on.
    """

    def __init__(
        self,
        told: Sequence[Shown],
        clock_ns: Callable[[], int],
        so_far: Callable[[NodePath], str],
    ) -> None:
        self._told, self._clock_ns, self._so_far = told, clock_ns, so_far
        self.began_ns: int | None = None
        """When the run began on the clock, None for a run that is over."""

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
            if self.began_ns is None or node.state is not NodeState.RUNNING:
                return ""
            took_ns = max(0, self._clock_ns() - self.began_ns - node.started_ns)
        return duration(took_ns / 1e9)
