"""Which node of one run is which node of another: pairs of children, parent by parent.

Paths come first: where all paths that both sides have hold the same thing (kind and toolkit, API or
question), children are paired by path alone, so the order in which parallel branches happened does
not matter. Else a common subsequence by kind and content is found, so that one inserted attempt
shifts those after it instead of changing them all; what is left between two anchors is paired by
kind and position.
"""

from bisect import bisect
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import QUESTION
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.declared import node_kind

_MAX_CELLS = 4_000_000
"""Size up to which a table for the common subsequence is made; above, position alone decides."""


class Pair(NamedTuple):
    """The same place in two runs; one side is None where only the other run has it."""

    left: NodePath | None
    right: NodePath | None


def identity(node: Node) -> tuple[str, str]:
    """What a node is about, apart from where it stands and how it went."""
    names = node_kind(node.kind).identity
    if not names:
        return node.kind, ""
    found = next((str(node.data[name]) for name in names if node.data.get(name)), "")
    if not found and node.is_question:
        return node.kind, segment(node.path).partition(".")[0]
    return node.kind, found or node.title


def segment(path: NodePath) -> str:
    """Last part of a path."""
    return path.rpartition("/")[2]


def align_children(
    left: Mapping[NodePath, Node],
    right: Mapping[NodePath, Node],
    left_children: Sequence[NodePath],
    right_children: Sequence[NodePath],
) -> list[Pair]:
    """Pair the children of two nodes that are a pair; the order of each side is kept.

    What only one side has stands where that side has it.
    """
    left_ids = [(segment(path), identity(left[path])) for path in left_children]
    right_ids = [(segment(path), identity(right[path])) for path in right_children]
    if left_ids <= right_ids:
        paired = _pairs(left_ids, right_ids)
    else:
        # Of several equally good ways the same one is found whichever run is on the left.
        paired = [(one, other) for other, one in _pairs(right_ids, left_ids)]
    return [
        Pair(
            None if one is None else left_children[one],
            None if other is None else right_children[other],
        )
        for one, other in _in_order(paired, len(left_children), len(right_children))
    ]


_Ids = Sequence[tuple[str, tuple[str, str]]]


def _pairs(left: _Ids, right: _Ids) -> list[tuple[int, int]]:
    by_segment = dict(right)
    if all(by_segment.get(name, what) == what for name, what in left):
        position = {name: index for index, (name, _) in enumerate(right)}
        anchors = [
            (index, position[name]) for index, (name, _) in enumerate(left) if name in position
        ]
    else:
        anchors = _common(left, right)
    return _with_gaps(left, right, anchors)


def _common(left: _Ids, right: _Ids) -> list[tuple[int, int]]:
    """The common subsequence with the most content, then the most equal paths."""
    if len(left) * len(right) > _MAX_CELLS:
        return [
            (index, index)
            for index, (one, other) in enumerate(zip(left, right, strict=False))
            if one[1] == other[1]
        ]
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            score = max(best[i + 1][j], best[i][j + 1])
            if left[i][1] == right[j][1]:
                score = max(score, best[i + 1][j + 1] + _worth(left[i][0] == right[j][0]))
            best[i][j] = score
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        is_same = left[i][1] == right[j][1]
        worth = _worth(left[i][0] == right[j][0])
        if is_same and best[i][j] == best[i + 1][j + 1] + worth:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _worth(is_same_place: bool) -> int:
    # A million equal places are worth less than one more pair with equal content.
    return 1_000_001 if is_same_place else 1_000_000


def _with_gaps(
    left: _Ids, right: _Ids, anchors: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The anchors, and pairs of one kind out of what stands between them on both sides."""
    left_bounds = sorted(one for one, _ in anchors)
    right_bounds = sorted(other for _, other in anchors)
    gaps: defaultdict[int, list[int]] = defaultdict(list)
    for other in sorted(set(range(len(right))) - set(right_bounds)):
        gaps[bisect(right_bounds, other)].append(other)
    pairs = list(anchors)
    for one in sorted(set(range(len(left))) - set(left_bounds)):
        kind = left[one][1][0]
        if kind == QUESTION.id:
            continue  # two different questions at one place are two, not one that changed
        gap = gaps[bisect(left_bounds, one)]
        alike = [other for other in gap if right[other][1][0] == kind]
        if alike:
            other = next((j for j in alike if right[j][0] == left[one][0]), alike[0])
            # Whatever stood before the partner in this gap cannot cross it any more.
            gap[:] = [j for j in gap if j > other]
            pairs.append((one, other))
    return pairs


def _in_order(
    pairs: Sequence[tuple[int, int]], lefts: int, rights: int
) -> list[tuple[int | None, int | None]]:
    """All positions of both sides, each once, in the order of the left and then of the right."""
    partner = dict(pairs)
    taken = set(partner.values())
    lonely = [j for j in range(rights) if j not in taken]
    out: list[tuple[int | None, int | None]] = []
    for one in range(lefts):
        other = partner.get(one)
        while other is not None and lonely and lonely[0] < other:
            out.append((None, lonely.pop(0)))
        out.append((one, other))
    out.extend((None, j) for j in lonely)
    return out
