"""Two runs as one aligned tree: what is the same, what changed, what only one of them has, and
where they first went different ways.

Runs of different strategies can be compared too: what stands elsewhere in the other run is named.
Callers: `runs diff`, the Compare view. All blocks (SQLite).
"""

import dataclasses
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.runs.diff_align import Pair, align_children, identity
from toolplanner_core.runs.diff_facts import (
    Change,
    RunSide,
    find_changes,
    is_prompt_same,
    load_side,
)
from toolplanner_core.runs.diff_words import say_change, say_only
from toolplanner_core.runs.node import Node
from toolplanner_core.runs.reading import get_summary
from toolplanner_core.runs.spec import RunSummary
from toolplanner_core.runs.tree import ROOT, RunTree
from toolplanner_core.workspace import Workspace

_TOTALS = (
    "status", "model_calls", "api_calls", "failed_calls", "fallbacks", "replans", "tokens",
    "seconds",
)  # fmt: skip


class Relation(StrEnum):
    """How a place compares."""

    SAME = "same"
    CHANGED = "changed"
    ONLY_LEFT = "only_left"
    ONLY_RIGHT = "only_right"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffNode:
    """One place of the aligned tree.

    Attributes:
        left, right: the node's path in each run, None where it has none.
        parent: position of the parent in `RunDiff.nodes`, None for the run itself.
        relation: of the node itself; `differs_below` says whether anything under it differs.
        changes: what differs, in the order in which it comes about.
        is_prompt_same: for questions: whether they were put in the same words. A question that got
            the same reply is the same, whatever its prompt.
        elsewhere: for a call that only one run has: where the other run calls that API.
    """

    left: NodePath | None
    right: NodePath | None
    depth: int
    parent: int | None
    kind: NodeKind
    title: str
    relation: Relation
    changes: tuple[Change, ...] = ()
    differs_below: bool = False
    is_prompt_same: bool | None = None
    elsewhere: NodePath | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where two runs first went different ways, in the time order of the left one.

    Attributes:
        node: position in `RunDiff.nodes`.
        path: in the left run, or in the right one where only that has it.
        sentence: for people.
    """

    node: int
    path: NodePath
    sentence: str


class TotalPair(NamedTuple):
    """One total of both runs."""

    name: str
    left: Any
    right: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDiff:
    """The comparison of two runs.

    Attributes:
        nodes: depth first; the run itself comes first.
        first: None when the runs went the same way.
        counts: nodes by relation.
    """

    left: RunSummary
    right: RunSummary
    nodes: tuple[DiffNode, ...]
    first: Divergence | None
    totals: tuple[TotalPair, ...]
    counts: dict[Relation, int]


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
        first=_first_divergence(nodes, ours.tree, theirs.tree, left, right),
        totals=tuple(
            TotalPair(name, getattr(summaries[0], name), getattr(summaries[1], name))
            for name in _TOTALS
        ),
        counts={relation: counts[relation] for relation in Relation},
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
        if a is not None and b is None and a.kind is NodeKind.CALL:
            return self._right.get(identity(a))
        if b is not None and a is None and b.kind is NodeKind.CALL:
            return self._left.get(identity(b))
        return None


def _calls(tree: RunTree, paired: set[NodePath | None]) -> dict[tuple[str, str], NodePath]:
    found: defaultdict[tuple[str, str], list[NodePath]] = defaultdict(list)
    for node in tree.nodes.values():
        if node.kind is NodeKind.CALL:
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


def _first_divergence(
    nodes: Sequence[DiffNode], left: RunTree, right: RunTree, left_run: RunId, right_run: RunId
) -> Divergence | None:
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
    return Divergence(node=index, path=path, sentence=sentence)


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
