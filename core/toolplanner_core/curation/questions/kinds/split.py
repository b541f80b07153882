"""A toolkit that may be two.

Each toolkit is cut once, across the direction in which its members differ most, where both sides
hold together best; then it is asked whether the sides are apart: by silhouette, by the gain in
cohesion, by neighbours that stay on their side, by parameters.

Source: principal direction divisive partitioning, Boley 1998.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import unit
from toolplanner_core.curation.questions.kinds.candidate import (
    Candidate,
    CandidateKind,
    Signal,
    is_agreed,
)
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.kinds.group_shares import row_cosines, shares
from toolplanner_core.curation.questions.kinds.signals import (
    asked_groups,
    percent,
    ramp,
)
from toolplanner_core.words.formatting import counted

_FEWEST = 5
"""A toolkit with fewer APIs is not worth splitting."""

_PROMISING = 0.1
"""Mean silhouette below which the two sides are one heap."""


_STACK_CELLS = 4_000_000
"""Numbers held at once: 16 MB of float32."""

_ROUNDS = 30
"""Of the power iteration; ties between directions are no reason to split."""

_ROUNDING = 1e-5
"""Members that differ by less are equal."""


class _Cut(NamedTuple):
    group: int
    small: NDArray[np.int64]
    large: NDArray[np.int64]
    silhouette: float
    before: float
    after: float


def find_splits(evidence: Evidence, groups: NDArray[np.int64] | None) -> list[Candidate]:
    """Toolkits that fall in two; with `groups`, only these are looked at."""
    asked = asked_groups(evidence, groups)
    asked = asked[evidence.cohesion.sizes[asked] >= _FEWEST]
    asked = asked[[not evidence.toolkits[group].is_pinned for group in asked.tolist()]]
    cuts = [cut for cut in _cuts(evidence, asked) if cut.silhouette >= _PROMISING]
    if not cuts:
        return []
    side = np.full(len(evidence.labels), -1, dtype=np.int32)
    for number, cut in enumerate(cuts):
        side[cut.small], side[cut.large] = 2 * number, 2 * number + 1
    documents, n_sides = evidence.documents, 2 * len(cuts)
    parameters = shares(documents.parameters, side, np.arange(n_sides), n_sides)
    overlap = row_cosines(parameters[0::2], parameters[1::2], documents.weights)
    found: list[Candidate] = []
    for number, cut in enumerate(cuts):
        signals = _signals(cut, _staying(evidence, side, cut), float(overlap[number]))
        if is_agreed(signals):
            found.append(_candidate(evidence, cut, signals))
    return found


def _cuts(evidence: Evidence, groups: NDArray[np.int64]) -> Iterator[_Cut]:
    """The best cut of each group; a group whose members are all equal has none.

    Groups of one size are cut together: a hundred calls on stacks of matrices instead of thousands
    on small ones.
    """
    order = np.argsort(evidence.labels, kind="stable")
    begins = np.searchsorted(evidence.labels[order], groups)
    sizes = evidence.cohesion.sizes[groups]
    for size in np.unique(sizes).tolist():
        same = np.flatnonzero(sizes == size)
        at_once = max(1, _STACK_CELLS // (size * max(size, evidence.vectors.shape[1])))
        for begin in range(0, len(same), at_once):
            some = same[begin : begin + at_once]
            members = order[begins[some, None] + np.arange(size)]
            yield from _cut_stack(evidence.vectors[members], members, groups[some])


def _cut_stack(
    vectors: NDArray[np.float32], members: NDArray[np.int64], groups: NDArray[np.int64]
) -> Iterator[_Cut]:
    """Cut g groups of m members.

    Args:
        vectors: (g, m, dim) float32.
        members: (g, m) positions.
        groups: (g,) positions of the toolkits.
    """
    m = vectors.shape[1]
    moved = vectors - vectors.mean(axis=1, keepdims=True)
    place = _main_direction(moved)
    order = np.argsort(place, axis=1, kind="stable")
    ordered = np.take_along_axis(vectors, order[:, :, None], axis=1)
    low = np.cumsum(ordered, axis=1)
    whole = low[:, -1:]
    n_low = np.arange(1, m)
    low_length = np.linalg.norm(low[:, :-1], axis=2)
    high_length = np.linalg.norm(whole - low[:, :-1], axis=2)
    score = low_length**2 / n_low + high_length**2 / (m - n_low)
    # At least two on each side: a single stray is a question of moving it, not of splitting.
    cut = 1 + score[:, 1 : m - 2].argmax(axis=1)
    rows = np.arange(len(groups))
    low_sum = low[rows, cut][:, None]
    silhouette = _silhouettes(ordered, cut + 1, low_sum, whole - low_sum)
    before = np.linalg.norm(whole[:, 0], axis=1) / m
    after = (low_length[rows, cut] + high_length[rows, cut]) / m
    for i in np.flatnonzero(np.abs(moved).max(axis=(1, 2)) > _ROUNDING).tolist():
        sides = np.split(np.take(members[i], order[i]), [int(cut[i]) + 1])
        small, large = sorted(sides, key=len)
        yield _Cut(
            group=int(groups[i]),
            small=np.sort(small),
            large=np.sort(large),
            silhouette=float(silhouette[i]),
            before=float(before[i]),
            after=float(after[i]),
        )


def _main_direction(moved: NDArray[np.float32]) -> NDArray[np.float32]:
    """(g, m) place of each member along the direction in which its group differs most.

    By power iteration from the member farthest out: a cut needs no more digits, and decomposing the
    matrix of a group of 400 takes longer than all the rest.
    """
    farthest = (moved * moved).sum(axis=2).argmax(axis=1)
    axis = moved[np.arange(len(moved)), farthest][:, :, None]
    turned = moved.transpose(0, 2, 1)
    for _ in range(_ROUNDS):
        axis = turned @ (moved @ axis)
        axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-12)
    return (moved @ axis)[:, :, 0]


def _silhouettes(
    ordered: NDArray[np.float32],
    n_low: NDArray[np.int64],
    low_sum: NDArray[np.float32],
    high_sum: NDArray[np.float32],
) -> NDArray[np.float64]:
    """(g,) mean silhouettes of cuts after the first `n_low` of (g, m, dim) ordered members."""
    m = ordered.shape[1]
    is_low = np.arange(m) < n_low[:, None]
    to_low = (ordered * low_sum).sum(axis=2)
    to_high = (ordered * high_sum).sum(axis=2)
    itself = (ordered * ordered).sum(axis=2)
    n_own = np.where(is_low, n_low[:, None], m - n_low[:, None])
    own = np.where(is_low, to_low, to_high) - itself
    inside = np.maximum(1 - own / np.maximum(n_own - 1, 1), 0)
    outside = np.maximum(1 - np.where(is_low, to_high, to_low) / (m - n_own), 0)
    greater = np.maximum(np.maximum(inside, outside), 1e-9)
    return ((outside - inside) / greater).mean(axis=1)


def _staying(evidence: Evidence, side: NDArray[np.int32], cut: _Cut) -> float:
    """How much more of the neighbours inside the toolkit are on the own side than by chance: 0 for
    chance, 1 for all."""
    members = np.concatenate((cut.small, cut.large))
    near = evidence.neighbours[members, 1:]
    inside = evidence.labels[near] == cut.group
    if not inside.any():
        return 0.0
    staying = float((side[near] == side[members][:, None])[inside].mean())
    n, n_small = len(members), len(cut.small)
    chance = (n_small / n) ** 2 + (1 - n_small / n) ** 2
    return max(0.0, (staying - chance) / max(1 - chance, 1e-9))


def _signals(cut: _Cut, staying: float, overlap: float) -> dict[str, Signal]:
    signals = {
        "silhouette": Signal(
            ramp(cut.silhouette, low=_PROMISING, high=0.5),
            f"Two sides: silhouette {cut.silhouette:.2f}",
        ),
        "cohesion": Signal(
            ramp((cut.after - cut.before) / max(1 - cut.before, 1e-9), low=0.15, high=0.6),
            f"Fit: {cut.before:.2f} now, {cut.after:.2f} as two",
        ),
        "neighbours": Signal(
            staying, f"Neighbours: they keep to their side {percent(staying)} beyond chance"
        ),
    }
    if overlap >= 0:
        signals["parameters"] = Signal(
            1 - min(overlap, 1.0), f"Parameters: {percent(overlap)} in common between the sides"
        )
    return signals


def _candidate(evidence: Evidence, cut: _Cut, signals: dict[str, Signal]) -> Candidate:
    toolkit = evidence.toolkits[cut.group]
    central = cut.small[_most_central(evidence.vectors[cut.small])]
    return Candidate(
        kind=CandidateKind.SPLIT,
        about=(toolkit.id,),
        title=f"Split {counted(len(cut.small), 'API')} such as"
        f" “{evidence.documents.titles[central]}” off “{toolkit.name}”?",
        toolkits=(toolkit.id,),
        apis=evidence.rowids_of(cut.small),
        signals=signals,
        gain=float(np.log2(1 + len(cut.small))),
    )


def _most_central(vectors: NDArray[np.float32]) -> int:
    return int((vectors @ unit(vectors.sum(axis=0))).argmax())
