"""Two runs as one aligned tree: what is the same, what changed, what only one of them has, and
where they first went different ways.

Paths come first: where all paths that both sides have hold the same thing (kind and toolkit, API or
question), children are paired by path alone, so the order in which parallel branches happened does
not matter. Else a common subsequence by kind and content is found, so that one inserted attempt
shifts those after it instead of changing them all; what is left between two anchors is paired by
kind and position.

Every difference gets the moment at which it shows, counted in events of the left run: what was done
differently when it began, what came out differently when it ended, and what only the right run has
between the two events that both have around it. It is said in one sentence.

Runs of different strategies can be compared too: what stands elsewhere in the other run is named.
All blocks (SQLite). Shown by `side_by_side.py` and the Compare view.
"""

import dataclasses
import json
from bisect import bisect, bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import ROOT, NodePath, RunId
from toolplanner_core.domain.nodes import CALL, QUESTION, NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.compare.differences import (
    Change,
    RunSide,
    find_changes,
    is_prompt_same,
    load_side,
)
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.log.stored_runs import get_summary
from toolplanner_core.runs.presentation.states import status_look
from toolplanner_core.runs.tree.formatting import cost_words
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.words.formatting import duration
from toolplanner_core.workspace import Workspace


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
    kind: str
    title: str
    relation: Relation
    changes: tuple[Change, ...] = ()
    differs_below: bool = False
    is_prompt_same: bool | None = None
    elsewhere: NodePath | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDifference:
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
    first: FirstDifference | None
    totals: tuple[TotalPair, ...]
    counts: dict[Relation, int]


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


_LONGEST = 100


def say_only(node: Node, has: RunId, lacks: RunId, elsewhere: NodePath | None) -> str:
    """One sentence on a node that one run has and the other has not."""
    kind = node_kind(node.kind).word
    there = f"; run {lacks} calls it at {elsewhere}" if elsewhere else ""
    return f"Run {has} has the {kind} “{_one_line(node.title)}”, run {lacks} has not{there}."


def say_change(kind: str, title: str, changes: Sequence[Change], left: RunId, right: RunId) -> str:
    """One sentence on a node that both runs have, by its most telling change."""
    change = changes[0]
    one, other = pair_words(change.left, change.right)
    name = f"“{_one_line(title)}”"
    match change.what:
        case "state":
            errors = next((c for c in changes if c.what == "error"), None)
            one = f"{one} ({value_words(errors.left)})" if errors and errors.left else one
            other = f"{other} ({value_words(errors.right)})" if errors and errors.right else other
            return f"{name}: {one} in run {left}, {other} in run {right}."
        case "reply":
            return f"The model answered {name} with {one} in run {left} and {other} in run {right}."
        case "result":
            return f"{name} gave {one} in run {left} and {other} in run {right}."
        case "candidates":
            return f"{name} could choose: in run {left} {one}; in run {right} {other}."
        case "steps":
            return f"{name} has other steps in run {right} than in run {left}: {_steps(change)}."
        case "title" if node_kind(kind).is_try:
            return f"Run {left} tried {one}, run {right} tried {other}."
        case "title" if kind == CALL.id:
            return f"Run {left} called {one}, run {right} called {other}."
        case _:
            what = change.what.replace("_", " ")
            return f"{name}, {what}: {one} in run {left}, {other} in run {right}."


def pair_words(left: Any, right: Any, *, longest: int = _LONGEST) -> tuple[str, str]:
    """Two values on one line each; of long ones the part around the first difference."""
    one, other = value_words(left), value_words(right)
    if len(one) > longest or len(other) > longest:
        pairs = enumerate(zip(one, other, strict=False))
        shorter = min(len(one), len(other))
        same = next((index for index, (a, b) in pairs if a != b), shorter)
        begin = max(0, same - longest // 3)
        one, other = _window(one, begin, longest), _window(other, begin, longest)
    return one, other


def value_words(value: Any) -> str:
    """A value on one line."""
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    flat = " ".join(text.split())
    return (flat.replace("_", " ") if flat.isidentifier() else flat) or "nothing"


def total_words(diff: RunDiff, pair: TotalPair) -> tuple[str, str]:
    """A total of both runs for people: how they ended in the words of lists, costs as money."""
    sides = ((diff.left, pair.left), (diff.right, pair.right))
    match pair.name:
        case "status":
            left, right = (status_look(Status(v), run.strategy).word for run, v in sides)
        case "cost":
            left, right = (cost_words(value) for _, value in sides)
        case "seconds":
            left, right = (duration(value) for _, value in sides)
        case _:
            left, right = (f"{v:,}" if isinstance(v, int) else str(v or "") for _, v in sides)
    return left, right


def _window(text: str, begin: int, longest: int) -> str:
    head = "…" if begin else ""
    part = text[begin : begin + longest]
    return f"{head}{part}{'…' if begin + longest < len(text) else ''}"


def _steps(change: Change) -> str:
    def goals(steps: Sequence[Mapping[str, Any]]) -> str:
        return ", ".join(str(step["toolkit"] or step["goal"]) for step in steps) or "none"

    return _one_line(f"{goals(change.left)} against {goals(change.right)}")


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"


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


__all__ = ["Change", "DiffNode", "FirstDifference", "Relation", "RunDiff", "TotalPair", "diff_runs"]

_TOTALS = (
    "status", "model_calls", "api_calls", "failed_calls", "tokens", "estimated_tokens", "cost",
    "seconds",
)  # fmt: skip


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
    """Both totals by name, first the models where they differ; what the strategies count by names
    of their own comes last."""
    names = dict.fromkeys([*left.counts, *right.counts])
    roles = [role for role in Role if left.models.get(role) != right.models.get(role)]
    return (
        *(
            TotalPair(f"{role}_model", left.models.get(role), right.models.get(role))
            for role in roles
        ),
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
