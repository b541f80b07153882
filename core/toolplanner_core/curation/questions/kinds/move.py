"""Misfits: APIs whose neighbours, and the nearer centroid, are in another toolkit."""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.misfits import find_misfits
from toolplanner_core.curation.questions.kinds.candidate import (
    Candidate,
    CandidateKind,
    Signal,
    is_agreed,
)
from toolplanner_core.curation.questions.kinds.evidence import Evidence, rechecked_points
from toolplanner_core.curation.questions.kinds.group_shares import row_cosines, shares
from toolplanner_core.curation.questions.kinds.signals import percent, ramp

_SHARE = 0.34
"""Share of the neighbours in one other toolkit from which a point is looked at."""


def find_moves(evidence: Evidence, groups: NDArray[np.int64] | None) -> list[Candidate]:
    """Misfits; with `groups`, those that the last edit may have changed."""
    labels, count = evidence.labels, len(evidence.toolkits)
    is_free = (labels >= 0) & ~evidence.is_pinned
    if count:
        is_free &= ~np.array([one.is_pinned for one in evidence.toolkits])[labels]
    if groups is not None:
        is_free &= rechecked_points(evidence, groups)
    points = np.flatnonzero(is_free)
    misfits = find_misfits(
        evidence.vectors, labels, evidence.neighbours, evidence.cohesion, points=points
    )
    kept = (misfits.share >= _SHARE) & (misfits.share > misfits.own_share) & (misfits.margin > 0)
    rows = np.flatnonzero(kept)
    points, other, own = points[rows], misfits.other[rows], labels[points[rows]]
    if not len(points):
        return []
    documents = evidence.documents
    involved = np.union1d(own, other).astype(np.int64)
    parameters = shares(documents.parameters, labels, involved, count)
    each = documents.parameters[points]
    there = row_cosines(each, parameters[other], documents.weights)
    here = row_cosines(each, parameters[own], documents.weights)
    found: list[Candidate] = []
    for i, row in enumerate(rows.tolist()):
        silhouette = float(evidence.cohesion.silhouette[points[i]])
        signals = {
            "neighbours": Signal(
                float(misfits.share[row]),
                f"Neighbours: {percent(misfits.share[row])} are there,"
                f" {percent(misfits.own_share[row])} here",
            ),
            "centroids": Signal(
                ramp(misfits.margin[row], low=-0.05, high=0.15),
                f"Centroids: the other one is nearer by {misfits.margin[row]:.2f}",
            ),
            "silhouette": Signal(
                ramp(-silhouette, low=-0.1, high=0.3), f"Silhouette: {silhouette:.2f} where it is"
            ),
        }
        if here[i] >= 0 or there[i] >= 0:
            signals["parameters"] = Signal(
                ramp(max(there[i], 0) - max(here[i], 0), low=-0.5, high=0.5),
                f"Parameters: like {percent(max(there[i], 0))} of theirs,"
                f" {percent(max(here[i], 0))} of those here",
            )
        if is_agreed(signals):
            found.append(_candidate(evidence, int(points[i]), int(other[i]), signals))
    return found


def _candidate(evidence: Evidence, point: int, other: int, signals: dict[str, Signal]) -> Candidate:
    own, target = evidence.toolkits[evidence.labels[point]], evidence.toolkits[other]
    rowid = int(evidence.rowids[point])
    return Candidate(
        kind=CandidateKind.MOVE,
        about=(rowid, target.id),
        title=f"Move “{evidence.documents.titles[point]}” from “{own.name}” to “{target.name}”?",
        toolkits=(own.id, target.id),
        apis=(rowid,),
        signals=signals,
        gain=1.0,
    )
