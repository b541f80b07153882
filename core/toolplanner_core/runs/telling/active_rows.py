"""Which nodes of a run are marked in its tree: the innermost ones that run, and those held."""

from collections.abc import Iterable, Mapping

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.node_paths import parent_of, up_from
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.telling.states import NODE_LOOKS
from toolplanner_core.runs.tree.node import Node

_ACTIVE = (NodeState.RUNNING, NodeState.PAUSED)


def active_rows(
    nodes: Mapping[NodePath, Node], before: Iterable[NodePath], changed: Iterable[NodePath]
) -> dict[NodePath, str]:
    """The marked nodes with their colour tokens; costs what changed, not the size of the run.

    Args:
        before: those that were marked.
        changed: nodes that have changed since.
    """
    # What ends makes the one around it the innermost again.
    candidates = {*before, *(place for path in changed for place in up_from(path))}
    found = {p for p in candidates if p in nodes and nodes[p].state in _ACTIVE}
    above = {parent_of(path) for path in found}
    return {
        path: NODE_LOOKS[nodes[path].state].token
        for path in found
        if path and (nodes[path].state is NodeState.PAUSED or path not in above)
    }
