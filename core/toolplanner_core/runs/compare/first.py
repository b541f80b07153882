"""Where two runs first went different ways.

Every difference gets the moment at which it shows, counted in events of the left run: what was done
differently when it began, what came out differently when it ended, and what only the right run has
between the two events that both have around it.
"""

from bisect import bisect_left
from collections.abc import Sequence

from toolplanner_core.domain.ids import ROOT, NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.compare.model import DiffNode, FirstDifference, Relation
from toolplanner_core.runs.compare.wording import say_change, say_only
from toolplanner_core.runs.tree.tree import RunTree


def first_divergence(
    nodes: Sequence[DiffNode], left: RunTree, right: RunTree, left_run: RunId, right_run: RunId
) -> FirstDifference | None:
    """The earliest difference; None when there is none."""
    clock = _LeftClock(nodes, left, right)
    found = [
        (clock.time_of(node), index)
        for index, node in enumerate(nodes)
        if node.relation is not Relation.SAME
    ]
    if not found:
        return None
    _, index = min(found)
    node = nodes[index]
    path = node.left if node.left is not None else node.right
    assert path is not None
    if node.relation is Relation.CHANGED:
        sentence = say_change(node.kind, node.title, node.changes, left_run, right_run)
    else:
        has, lacks = (left_run, right_run) if node.right is None else (right_run, left_run)
        shown = (left if node.right is None else right).nodes[path]
        sentence = say_only(shown, has, lacks, node.elsewhere)
    return FirstDifference(node=index, path=path, sentence=sentence)


class _LeftClock:
    """When a difference came about, counted in events of the left run."""

    def __init__(self, nodes: Sequence[DiffNode], left: RunTree, right: RunTree) -> None:
        self._left, self._right = left, right
        known: dict[int, int] = {}
        for node in nodes:
            if node.left is None or node.right is None:
                continue
            a, b = left.nodes[node.left], right.nodes[node.right]
            known[b.opened_seq] = a.opened_seq
            if a.closed_seq is not None and b.closed_seq is not None:
                known[b.closed_seq] = a.closed_seq
        self._right_seqs = sorted(known)
        self._left_seqs = [known[seq] for seq in self._right_seqs]
        # Parallel branches may have ended in another order: the latest so far is what counts.
        for index in range(1, len(self._left_seqs)):
            before = self._left_seqs[index - 1]
            self._left_seqs[index] = max(self._left_seqs[index], before)

    def time_of(self, node: DiffNode) -> float:
        """Seq of the left run at which a difference shows; halves lie between two events."""
        if node.left is None:
            assert node.right is not None
            index = bisect_left(self._right_seqs, _begin(self._right, node.right))
            return self._left_seqs[index - 1] + 0.5 if index else 0.5
        if node.relation is Relation.CHANGED and all(c.is_outcome for c in node.changes):
            end = self._left.nodes[node.left].closed_seq
            return float(end if end is not None else self._left.last_seq + 1)
        if node.left == ROOT:
            # How a run was set up is its head line, not where it turned; its end is.
            return float(self._left.last_seq + 2)
        return float(_begin(self._left, node.left))


def _begin(tree: RunTree, path: NodePath) -> int:
    """When a node came up; a step that only waited came up with its plan."""
    node = tree.nodes[path]
    if node.state in (NodeState.WAITING, NodeState.ABANDONED, NodeState.KEPT) and node.parent:
        return node.opened_seq or tree.nodes[node.parent].opened_seq
    return node.opened_seq
