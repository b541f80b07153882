"""Nearest neighbours after some texts changed, some APIs came and some went: only what that touches
is computed again.

A person who accepts one description of 45,000 would else wait minutes for the same lists.
"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Vectors, blocks
from toolplanner_core.clustering.neighbours import (
    EXACT_UP_TO,
    NearestNeighbours,
    let_in,
    nearest_neighbours,
    nearest_of_rows,
)
from toolplanner_core.jobs.progress import Report

_SAME = 1e-4
"""Distances that differ by less are the same: sums of float32 in another order."""
_MOST = 0.3
"""Of a larger share of points to be looked at again, all are."""
_STAGE = "Finding neighbours"


def renew_neighbours(
    before: NearestNeighbours, places: NDArray[np.int64], vectors: Vectors, *, report: Report
) -> NearestNeighbours:
    """As `nearest_neighbours` of these vectors: exact if those before were, or few are left.

    What changed is found by the distances: those of a point with another vector are not what they
    were.

    Args:
        before: what was known, with k columns.
        places: (n,) where each point stood then, -1 for a new one.
        vectors: (n, dim) float32, rows of length 1.
        report: told how many points are done.
    """
    n, k = len(vectors), before.indices.shape[1]
    kept = np.flatnonzero(places >= 0)
    now = np.full(len(before.indices), -1, np.int32)
    now[places[kept]] = kept
    indices = np.full((n, k), -1, np.int32)
    distances = np.zeros((n, k), np.float32)
    indices[kept] = now[before.indices[places[kept]]]
    distances[kept] = before.distances[places[kept]]
    is_stale = _stale(indices, distances, vectors, report=report)
    is_doubtful = is_stale | (indices < 0).any(axis=1) | is_stale[indices].any(axis=1)
    doubtful = np.flatnonzero(is_doubtful)
    # Comparing some with all must not cost more than what `nearest_neighbours` compares at most.
    if len(doubtful) > min(_MOST * n, EXACT_UP_TO**2 / n):
        return nearest_neighbours(vectors, k, report=report)
    for part in blocks(len(doubtful), n, stage=_STAGE, report=report):
        rows = doubtful[part]
        distance = 1 - vectors[rows] @ vectors.T
        # Itself comes first even among exact copies and for a row of zeros.
        distance[np.arange(len(rows)), rows] = -1
        indices[rows], distances[rows] = nearest_of_rows(distance, k)
        distances[rows, 0] = 0
        fresh = is_stale[rows]
        distance[:, is_doubtful] = np.inf  # they know already
        let_in(indices, distances, distance[fresh], rows[fresh])
    return NearestNeighbours(indices, np.clip(distances, 0, 2))


def _stale(
    indices: NDArray[np.int32], distances: NDArray[np.float32], vectors: Vectors, *, report: Report
) -> NDArray[np.bool_]:
    """(n,) bool: new points, and those whose own vector is another one."""
    n, k = indices.shape
    is_stale = indices[:, 0] < 0
    is_off = np.zeros((n, k), np.bool_)
    for part in blocks(n, k * vectors.shape[1], stage="Looking for changed texts", report=report):
        near = indices[part]
        found = 1 - np.einsum("id,ikd->ik", vectors[part], vectors[near])
        is_off[part] = (np.abs(found - distances[part]) > _SAME) & (near >= 0)
    is_off[:, 0] = False
    known = np.maximum((indices[:, 1:] >= 0).sum(axis=1), 1)
    is_stale |= is_off.sum(axis=1) > known / 2
    # What is off between two that seem the same: one of them is not, so both are looked at.
    is_stale |= (is_off & ~is_stale[indices]).any(axis=1)
    return is_stale
