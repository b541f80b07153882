"""Which calls of a run served it: they worked, and what was done with them ended well.

A call whose result was rejected, or that stands on a way which a search left, brought a reply and
served nothing. Demonstrations, the graph of tools, training and the evidence of an answer stand on
the calls that served.
"""

from collections.abc import Iterable
from typing import NamedTuple

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import INJECTED
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface.strategy import node_kind

_LEFT = (NodeState.PRUNED, NodeState.ABANDONED, NodeState.FELL_BACK, NodeState.CANCELLED)


class NodeOutcome(NamedTuple):
    """A node around a call; `has_failed_call` right below it."""

    kind: str
    state: NodeState
    has_failed_call: bool


def is_rejected(around: Iterable[NodeOutcome]) -> bool:
    """Whether the result of a call was not taken: what it was called for failed, and not for
    another call. The nodes around come from the inside out."""
    for node in around:
        if node.state in (NodeState.FAILED, NodeState.FELL_BACK) and not node.has_failed_call:
            return True
        if not node_kind(node.kind).is_try:
            break
    return False


def is_left(around: Iterable[NodeOutcome]) -> bool:
    """Whether a call stands on a way that was left."""
    return any(node.state in _LEFT for node in around)


def served_calls(tree: RunTree) -> list[Node]:
    """The calls that served, in the order of the tree."""
    return [node for _, node in tree.walk() if node.is_call and _served(tree, node)]


def _served(tree: RunTree, call: Node) -> bool:
    around = _around(tree, call)
    is_real = call.state is NodeState.OK and call.data.get("origin") != INJECTED
    return is_real and not is_rejected(around) and not is_left(around)


def _around(tree: RunTree, call: Node) -> list[NodeOutcome]:
    found: list[NodeOutcome] = []
    node = call
    while node.parent is not None and not (node := tree.nodes[node.parent]).is_run:
        below = (tree.nodes[path] for path in node.children)
        failed = any(each.is_call and each.state is NodeState.FAILED for each in below)
        found.append(NodeOutcome(node.kind, node.state, failed))
    return found
