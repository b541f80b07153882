"""Two runs as one aligned tree: what is the same, what changed, what only one of them has, and
where they first went different ways.

Runs of different strategies can be compared too: what stands elsewhere in the other run is named.
All blocks (SQLite).
"""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolplanner_core.domain.ids import ROOT, NodePath, RunId
from toolplanner_core.runs.compare.align import Pair, align_children, identity
from toolplanner_core.runs.compare.first import first_divergence
from toolplanner_core.runs.compare.model import (
    DiffNode,
    FirstDifference,
    Relation,
    RunDiff,
    TotalPair,
)
from toolplanner_core.runs.compare.node_facts import (
    Change,
    RunSide,
    find_changes,
    is_prompt_same,
    load_side,
)
from toolplanner_core.runs.reading import get_summary
from toolplanner_core.runs.spec import RunSummary
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.workspace import Workspace

__all__ = ["Change", "DiffNode", "FirstDifference", "Relation", "RunDiff", "TotalPair", "diff_runs"]

_TOTALS = ("status", "model_calls", "api_calls", "failed_calls", "tokens", "cost", "seconds")


def diff_runs(workspace: Workspace, left: RunId, right: RunId) -> RunDiff:
    """Compare two runs of a workspace.

    Raises:
        NotFound: no such run.
    """
    summaries = get_summary(workspace, left), get_summary(workspace, right)
    ours, theirs = load_side(workspace, left), load_side(workspace, right)
    nodes = _compare(workspace, ours, theirs)
    counts = Counter(node.relation for node in nodes)
    return RunDiff(
        left=summaries[0],
        right=summaries[1],
        nodes=tuple(nodes),
        first=first_divergence(nodes, ours.tree, theirs.tree, left, right),
        totals=_totals(*summaries),
        counts={relation: counts[relation] for relation in Relation},
    )


def _totals(left: RunSummary, right: RunSummary) -> tuple[TotalPair, ...]:
    """Both totals by name; what the strategies count by names of their own comes last."""
    names = dict.fromkeys([*left.counts, *right.counts])
    return (
        *(TotalPair(name, getattr(left, name), getattr(right, name)) for name in _TOTALS),
        *(TotalPair(name, left.counts.get(name, 0), right.counts.get(name, 0)) for name in names),
    )


class _Place(NamedTuple):
    pair: Pair
    depth: int
    parent: int | None


def _compare(workspace: Workspace, ours: RunSide, theirs: RunSide) -> list[DiffNode]:
    places = list(_aligned(ours.tree, theirs.tree))
    elsewhere = _Elsewhere(ours.tree, theirs.tree, [place.pair for place in places])
    nodes: list[DiffNode] = []
    for place in places:
        a = None if place.pair.left is None else ours.tree.nodes[place.pair.left]
        b = None if place.pair.right is None else theirs.tree.nodes[place.pair.right]
        changes: list[Change] = []
        prompt: bool | None = None
        if a is not None and b is not None:
            changes = find_changes(workspace, ours, theirs, a, b)
            prompt = is_prompt_same(ours, theirs, a, b)
            relation = Relation.CHANGED if changes else Relation.SAME
        else:
            relation = Relation.ONLY_RIGHT if a is None else Relation.ONLY_LEFT
        shown = a or b
        assert shown is not None
        nodes.append(
            DiffNode(
                left=place.pair.left,
                right=place.pair.right,
                depth=place.depth,
                parent=place.parent,
                kind=shown.kind,
                title=shown.title,
                relation=relation,
                changes=tuple(changes),
                is_prompt_same=prompt,
                elsewhere=elsewhere.of(a, b),
            )
        )
    return _with_differs_below(nodes)


def _aligned(left: RunTree, right: RunTree) -> Iterator[_Place]:
    """All places, depth first, without recursion: a tree can be very deep."""
    if ROOT not in left.nodes and ROOT not in right.nodes:
        return
    pair = Pair(ROOT if ROOT in left.nodes else None, ROOT if ROOT in right.nodes else None)
    stack = [_Place(pair, 0, None)]
    position = 0
    while stack:
        place = stack.pop()
        yield place
        a, b = place.pair
        children = align_children(
            left.nodes,
            right.nodes,
            () if a is None else left.nodes[a].children,
            () if b is None else right.nodes[b].children,
        )
        stack.extend(_Place(child, place.depth + 1, position) for child in reversed(children))
        position += 1


class _Elsewhere:
    """Calls that stand in another place of the other run: the first of the same API there that has
    no partner itself, else the first of all."""

    def __init__(self, left: RunTree, right: RunTree, pairs: Sequence[Pair]) -> None:
        paired_left = {pair.left for pair in pairs if pair.right is not None}
        paired_right = {pair.right for pair in pairs if pair.left is not None}
        self._left = _calls(left, paired_left)
        self._right = _calls(right, paired_right)

    def of(self, a: Node | None, b: Node | None) -> NodePath | None:
        """Where the other run has the call that only one side has here."""
        if a is not None and b is None and a.is_call:
            return self._right.get(identity(a))
        if b is not None and a is None and b.is_call:
            return self._left.get(identity(b))
        return None


def _calls(tree: RunTree, paired: set[NodePath | None]) -> dict[tuple[str, str], NodePath]:
    found: defaultdict[tuple[str, str], list[NodePath]] = defaultdict(list)
    for node in tree.nodes.values():
        if node.is_call:
            found[identity(node)].append(node.path)
    return {key: min(paths, key=lambda path: path in paired) for key, paths in found.items()}


def _with_differs_below(nodes: list[DiffNode]) -> list[DiffNode]:
    differing = set[int]()
    for index in range(len(nodes) - 1, 0, -1):
        node = nodes[index]
        is_different = node.relation is not Relation.SAME or index in differing
        if is_different and node.parent is not None:
            differing.add(node.parent)
    return [
        dataclasses.replace(node, differs_below=True) if index in differing else node
        for index, node in enumerate(nodes)
    ]
