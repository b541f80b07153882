"""Two toolkits that may be one.

Judged by centroids (does it hold together as well as the two did?), by neighbours (do they run into
one another?), by parameters, by names and by runs (did the one step in for the other?).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import blocks, products_of_pairs, unit
from toolplanner_core.clustering.misfits import neighbour_mixing
from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.curation.questions.kinds.alike import AlikePairs
from toolplanner_core.curation.questions.kinds.candidate import (
    Candidate,
    CandidateKind,
    Signal,
    is_agreed,
)
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.kinds.group_shares import row_cosines, shares
from toolplanner_core.curation.questions.kinds.same_job import do_differ
from toolplanner_core.curation.questions.kinds.signals import (
    asked_groups,
    name_likeness,
    percent,
    ramp,
)
from toolplanner_core.jobs.progress import silent

_MIXED = 0.12
"""Pairs of which at least this share of neighbour relations cross are looked at ..."""

_ALIKE = 0.85
"""... and pairs whose centroids have at least this cosine."""

_LEAST_ACROSS = 0.85
"""The APIs of two toolkits are on average at least so alike, as a share of how alike those within
each are: below it a merge makes it worse, and is asked only if runs took the one for the other. At
45,284 APIs every looked-at merge below it lowered the silhouette."""

_COMPARED = 600_000_000
"""Cosines of two centroids that are worth computing, 5 s; where there are more, in a catalogue of
more than some 220,000 APIs, the nearest ones of each are found without comparing all with all."""

_NEAR = 32
"""Centroids that are found near each then."""

_UNLIKE = 0.6
"""Centroids with a smaller cosine speak against it."""


def find_merges(evidence: Evidence, groups: NDArray[np.int64] | None) -> list[Candidate]:
    """Pairs of toolkits; with `groups`, those with at least one of them."""
    asked = asked_groups(evidence, groups)
    if not len(asked):
        return []
    count = len(evidence.toolkits)
    mixing = neighbour_mixing(
        evidence.labels, evidence.neighbours, count, touched=None if groups is None else asked
    )
    first, second = _pairs(evidence, asked, mixing)
    if not len(first):
        return []
    mixed = np.asarray(mixing[first, second]).ravel()
    sums, sizes = evidence.cohesion.sums, evidence.cohesion.sizes
    lengths = np.linalg.norm(sums, axis=1)
    n_pairs, inside = sizes * (sizes - 1) / 2, (lengths**2 - sizes) / 2
    product = products_of_pairs(sums, first, sums, second)
    cosine = product / np.maximum(lengths[first] * lengths[second], 1e-9)
    n = sizes[first] + sizes[second]
    together = np.sqrt(lengths[first] ** 2 + lengths[second] ** 2 + 2 * product) / n
    apart = (lengths[first] + lengths[second]) / n
    involved = np.union1d(first, second)
    # Mean cosines of pairs: unlike the fit they do not grow where a toolkit is small.
    pairs = n_pairs[first] + n_pairs[second]
    within = (inside[first] + inside[second]) / np.maximum(pairs, 1)
    across = product / (sizes[first] * sizes[second])
    documents = evidence.documents
    parameters = shares(documents.parameters, evidence.labels, involved, count)
    overlap = row_cosines(parameters[first], parameters[second], documents.weights)
    different = _different(evidence.alike)
    found: list[Candidate] = []
    for i, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        signals = {
            "centroids": Signal(
                ramp(cosine[i], low=_UNLIKE, high=1.0),
                f"Centroids: cosine {cosine[i]:.2f}; fit together {together[i]:.2f},"
                f" mean fit of the two {apart[i]:.2f}",
            ),
            "neighbours": Signal(
                ramp(mixed[i], low=0, high=0.5),
                f"Neighbours: {percent(mixed[i])} of the neighbour relations of the"
                " smaller one cross to the other",
            ),
        }
        if overlap[i] >= 0:
            signals["parameters"] = Signal(
                float(min(overlap[i], 1)), f"Parameters: {percent(overlap[i])} in common"
            )
        names = name_likeness(evidence.toolkits[a].name, evidence.toolkits[b].name)
        if names is not None:
            signals["names"] = names
        runs = _stepped_in(evidence, a, b)
        if runs:
            signals["runs"] = Signal(
                ramp(runs, low=0, high=2), f"Runs: the one stepped in for the other {runs} times"
            )
        is_worse = across[i] < _LEAST_ACROSS * within[i] or (a, b) in different
        if is_agreed(signals) and (runs or not is_worse):
            found.append(_candidate(evidence, a, b, signals))
    return found


def _different(alike: AlikePairs) -> set[tuple[int, int]]:
    """Pairs of positions, the smaller first, that only share a subject."""
    pairs = zip(alike.first.tolist(), alike.second.tolist(), strict=True)
    figures = zip(alike.operations.tolist(), alike.parameters.tolist(), strict=True)
    return {pair for pair, each in zip(pairs, figures, strict=True) if do_differ(*each)}


def _candidate(evidence: Evidence, a: int, b: int, signals: dict[str, Signal]) -> Candidate:
    sizes = evidence.cohesion.sizes
    is_held = [evidence.toolkits[one].is_held for one in (a, b)]
    is_first = sizes[a] >= sizes[b] if is_held[0] == is_held[1] else is_held[0]
    large, small = (a, b) if is_first else (b, a)
    ids = (evidence.id_of(large), evidence.id_of(small))
    names = [evidence.toolkits[one].name for one in (small, large)]
    return Candidate(
        kind=CandidateKind.MERGE,
        about=tuple(sorted(ids)),
        title=f"Merge “{names[0]}” into “{names[1]}”?",
        toolkits=ids,
        apis=evidence.rowids_of(np.flatnonzero(evidence.labels == small)),
        signals=signals,
        gain=float(np.log2(1 + sizes[small])),
    )


def _pairs(
    evidence: Evidence, asked: NDArray[np.int64], mixing: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of both toolkits of each pair that is looked at, the smaller position first."""
    sums, n = evidence.cohesion.sums, len(evidence.toolkits)
    mixed = mixing.tocoo()
    strong = mixed.data >= _MIXED
    strongly_mixed = np.stack((mixed.row[strong], mixed.col[strong]))
    ends = np.concatenate((_near_centres(unit(sums), asked), strongly_mixed), axis=1)
    low, high = ends.min(axis=0), ends.max(axis=0)
    is_free = np.array([not one.is_pinned for one in evidence.toolkits], dtype=np.bool_)
    is_pair = (low != high) & is_free[low] & is_free[high]
    code = np.unique(low[is_pair].astype(np.int64) * n + high[is_pair])
    return code // n, code % n


def _near_centres(centres: NDArray[np.float32], asked: NDArray[np.int64]) -> NDArray[np.int64]:
    """(2, pairs): an asked toolkit and one whose centroid is about as good as its own.

    Args:
        centres: (toolkits, dim) float32, rows of length 1; of zeros for an empty toolkit.
        asked: (m,) positions.
    """
    if len(asked) * len(centres) > _COMPARED:
        near = nearest_neighbours(centres, _NEAR + 1, report=silent)
        row, column = np.nonzero(near.distances[asked] <= 1 - _ALIKE)
        return np.stack((asked[row], near.indices[asked[row], column].astype(np.int64)))
    found: list[NDArray[np.int64]] = []
    for rows in blocks(len(asked), len(centres), stage="", report=silent):
        row, column = np.nonzero(centres[asked[rows]] @ centres.T >= _ALIKE)
        found.append(np.stack((asked[rows][row], column)))
    return np.concatenate(found, axis=1)


def _stepped_in(evidence: Evidence, a: int, b: int) -> int:
    ids = (evidence.id_of(a), evidence.id_of(b))
    pairs = (ids, ids[::-1])
    runs = evidence.runs
    return sum(runs[one].replanned_to.get(other, 0) for one, other in pairs if one in runs)
