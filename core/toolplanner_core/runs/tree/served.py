"""Which calls of a run served it: they worked, and what was done with them ended well.

A call whose result was rejected, or that stands on a way which a search left, brought a reply and
served nothing. Demonstrations, the graph of tools, training and the evidence of an answer stand on
the calls that served.
"""

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.declared import node_kind

_LEFT = (NodeState.PRUNED, NodeState.ABANDONED, NodeState.FELL_BACK, NodeState.CANCELLED)


def served_calls(tree: RunTree) -> list[Node]:
    """The calls that served, in the order of the tree."""
    return [node for _, node in tree.walk() if node.is_call and _served(tree, node)]


def _served(tree: RunTree, call: Node) -> bool:
    if call.state is not NodeState.OK:
        return False
    below, parent = call, call.parent
    while parent is not None:
        node = tree.nodes[parent]
        if node.is_run:
            break
        # A plan fails for the steps that are left, and a search goes on below what failed.
        goes_on = node_kind(node.kind).is_route or node.kind == below.kind
        if node.state in _LEFT or (node.state is NodeState.FAILED and not goes_on):
            return False
        below, parent = node, node.parent
    return True
