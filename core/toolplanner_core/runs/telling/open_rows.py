"""Which rows of the run tree stand open by themselves: what says how the run went.

Runs, plans and steps are open; questions and calls stay folded away, except below a step that
failed. Steps that went well fold by choice. Each row is decided once, and again when its step ends,
so that what a person opens or folds stays as it is. Used by the run tree panel.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolplanner_core.domain.ids import NodePath, parent_of, up_from
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.telling.states import NODE_LOOKS
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.declared import node_kind

MOST_OPEN = 200
"""Steps that are opened by themselves: with more, each new row would cost the view some of its
frame, and nobody reads them at once."""

_FINE = (NodeState.OK, NodeState.KEPT)
_BROKEN = (NodeState.FAILED, NodeState.IN_DOUBT)


class RowChanges(NamedTuple):
    """Rows to open and to fold, those above before those below."""

    opened: list[NodePath]
    folded: list[NodePath]


class OpenRows:
    """Decides for one run after the other.

    Attributes:
        folds_finished: whether steps that went well are folded.
    """

    def __init__(self, *, folds_finished: bool = False) -> None:
        self.folds_finished = folds_finished
        self._decided: dict[NodePath, NodeState] = {}
        self._n_open = 0

    def begin(self) -> None:
        """Another run is shown, all of it folded."""
        self._decided = {}
        self._n_open = 0

    def decide(self, paths: Iterable[NodePath], nodes: Mapping[NodePath, Node]) -> RowChanges:
        """What to open and fold now that these nodes have changed."""
        changes = RowChanges([], [])
        for path in paths:
            node = nodes.get(path)
            if node is None or node.is_leaf or node_kind(node.kind).is_try:
                continue
            before = self._decided.get(path)
            if before is node.state:
                continue
            self._decided[path] = node.state
            if node_kind(node.kind).on_map:
                self._decide_step(node, nodes, changes, is_new=before is None)
            elif before is None:
                changes.opened.append(path)
        return changes

    def refold(self, nodes: Mapping[NodePath, Node]) -> RowChanges:
        """What to open and fold after `folds_finished` was changed."""
        steps = [n for n in nodes.values() if node_kind(n.kind).on_map and n.state in _FINE]
        if self.folds_finished:
            return RowChanges([], [step.path for step in steps])
        return RowChanges([step.path for step in steps[:MOST_OPEN]], [])

    def _decide_step(
        self, step: Node, nodes: Mapping[NodePath, Node], changes: RowChanges, *, is_new: bool
    ) -> None:
        if step.state in _FINE and self.folds_finished:
            if not is_new:
                changes.folded.append(step.path)
        elif step.state in _BROKEN:
            self._open(step.path, changes)
            for path in step.children:
                if nodes[path].state in _BROKEN:
                    self._open(path, changes)
        elif is_new:
            self._open(step.path, changes)

    def _open(self, path: NodePath, changes: RowChanges) -> None:
        if self._n_open < MOST_OPEN:
            self._n_open += 1
            changes.opened.append(path)


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
