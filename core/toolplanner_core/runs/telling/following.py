"""Where the view of a growing run goes by itself: with what is done now, but not to and fro between
branches that are at work at the same time. Used by the run tree panel."""

from collections.abc import Iterable, Mapping

from toolplanner_core.domain.ids import ROOT, NodePath, up_from
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.tree.node import Node


def row_to_follow(
    nodes: Mapping[NodePath, Node], changed: Iterable[NodePath], followed: NodePath
) -> NodePath | None:
    """The innermost of the running nodes that have just changed, None = stay.

    Args:
        followed: the node that the view went to last. As long as it, or what is around it, runs,
            the view stays within it: one agent of many is seen to its end.
    """
    near = next((at for at in up_from(followed) if _runs(nodes, at)), ROOT)
    within = [
        path
        for path in changed
        if path
        and _runs(nodes, path)
        and not nodes[path].is_leaf
        and (not near or path == near or path.startswith(f"{near}/"))
    ]
    return max(within, key=lambda path: path.count("/"), default=None)


def _runs(nodes: Mapping[NodePath, Node], path: NodePath) -> bool:
    return path in nodes and nodes[path].state is NodeState.RUNNING
