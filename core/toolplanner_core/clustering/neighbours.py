"""Nearest neighbours by cosine, computed once and shared by the layout, the review of misfits and
the placing of new APIs.

Up to 40,000 they are exact: the product of all with all. Above, that costs too much, and they are
found by NN-descent (`neighbour_descent.py`), their distances computed as exactly. CPU seconds for
16 neighbours in 256 dimensions, two cores:

    APIs                 16,000   20,000   30,000   45,284
    all with all            4.2      6.7     15.1     34.3
    NN-descent                                         9.6, of these 2.2 for loading; recall 0.981

The first time on a machine 47 are spent on compiling. So two searches cost the same by both from
44,000 on, three from 37,000 on.

A catalogue that has grown is not computed again: the distances between new points and all others
say both who is near the new ones and which old point has a nearer neighbour than before.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Vectors, blocks
from toolplanner_core.clustering.neighbour_descent import neighbour_candidates
from toolplanner_core.jobs.progress import Report

EXACT_UP_TO = 40_000
"""Above this number of points neighbours are found by NN-descent."""

NEIGHBOURS = 16
"""Stored for every API, itself counted: enough for layouts with up to 15 and for misfit scores."""


class NearestNeighbours(NamedTuple):
    """For each point the nearest ones, itself first, then by growing distance.

    Attributes:
        indices: (n, k) int32, positions.
        distances: (n, k) float32, cosine distance, 0 to 2.
    """

    indices: NDArray[np.int32]
    distances: NDArray[np.float32]


def nearest_neighbours(vectors: Vectors, k: int, *, report: Report) -> NearestNeighbours:
    """The k nearest points of every point; above `EXACT_UP_TO` 98 of 100 of them are found.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        k: at least 1; fewer come back if there are fewer points.
        report: told how many points or rounds are done.
    """
    k = min(k, len(vectors))
    if len(vectors) > max(EXACT_UP_TO, k):
        candidates = neighbour_candidates(vectors, k - 1, report=report)
        return _nearest_candidates(vectors, candidates, k, report=report)
    nothing = NearestNeighbours(np.empty((0, k), np.int32), np.empty((0, k), np.float32))
    return extend_neighbours(nothing, vectors[:0], vectors, report=report)


def _nearest_candidates(
    vectors: Vectors, candidates: NDArray[np.int32], k: int, *, report: Report
) -> NearestNeighbours:
    """The k nearest among some of every point; among all where those are fewer than k.

    Args:
        candidates: (n, at least k - 1) positions, -1 for none.
    """
    n, width = len(vectors), candidates.shape[1]
    indices, distances = np.empty((n, k), np.int32), np.empty((n, k), np.float32)
    for part in blocks(n, width * vectors.shape[1], stage="Measuring neighbours", report=report):
        rows = np.arange(part.start, part.stop, dtype=np.int32)
        # By position, so that ties come out the same however they were found.
        near = np.sort(np.column_stack((rows, candidates[part])), axis=1)
        distance = 1 - np.einsum("id,ikd->ik", vectors[part], vectors[near], optimize=True)
        distance[near == rows[:, None]] = -1
        distance[near < 0] = np.inf
        nearest = nearest_of_rows(distance, k)
        indices[part] = np.take_along_axis(near, nearest.indices, axis=1)
        distances[part] = nearest.distances
    lacking = np.flatnonzero(np.isinf(distances[:, -1]))
    for part in blocks(len(lacking), n, stage="Finding neighbours", report=report):
        rows = lacking[part]
        distance = 1 - vectors[rows] @ vectors.T
        distance[np.arange(len(rows)), rows] = -1
        indices[rows], distances[rows] = nearest_of_rows(distance, k)
    distances[:, 0] = 0
    return NearestNeighbours(indices, np.clip(distances, 0, 2))


def nearest_of_rows(distance: NDArray[np.float32], k: int) -> NearestNeighbours:
    """The k least of each row of distances; by distance, then by position: ties come out the same
    on every machine."""
    near = np.argpartition(distance, k - 1, axis=1)[:, :k]
    order = np.lexsort((near, np.take_along_axis(distance, near, axis=1)), axis=1)
    near = np.take_along_axis(near, order, axis=1).astype(np.int32)
    return NearestNeighbours(near, np.take_along_axis(distance, near, axis=1))


def extend_neighbours(
    known: NearestNeighbours, frozen: Vectors, new: Vectors, *, report: Report
) -> NearestNeighbours:
    """Neighbours of the old points followed by the new ones; as exact as the known ones are.

    Args:
        known: of the old points, with k columns.
        frozen: (n, dim) float32, n >= k or none: the old points.
        new: (m, dim) float32, rows of length 1.
    """
    n, m, k = len(frozen), len(new), known.indices.shape[1]
    everything = np.concatenate((frozen, new))
    indices = np.concatenate((known.indices, np.empty((m, k), dtype=np.int32)))
    distances = np.concatenate((known.distances, np.empty((m, k), dtype=np.float32)))
    for part in blocks(m, n + m, stage="Finding neighbours", report=report):
        rows = np.arange(n + part.start, n + part.stop)
        distance = 1 - new[part] @ everything.T
        # Itself comes first even among exact copies and for a row of zeros.
        distance[np.arange(len(rows)), rows] = -1
        indices[rows], distances[rows] = nearest_of_rows(distance, k)
        let_in(indices, distances, distance[:, :n], rows)
    distances[n:, 0] = 0
    return NearestNeighbours(indices, np.clip(distances, 0, 2))


def let_in(
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
    distance: NDArray[np.float32],
    new: NDArray[np.int64],
) -> None:
    """Put new points into the lists of the old ones they are nearer to than the last one there.

    Args:
        indices, distances: the lists, changed in place.
        distance: (new, n) float32, of these new points to the old ones.
        new: their positions.
    """
    k = indices.shape[1]
    touched = np.flatnonzero((distance < distances[: distance.shape[1], -1]).any(axis=0))
    if not len(touched):
        return
    all_distances = np.concatenate((distances[touched], distance[:, touched].T), axis=1)
    everyone = np.broadcast_to(new.astype(np.int32), (len(touched), len(new)))
    all_indices = np.concatenate((indices[touched], everyone), axis=1)
    all_distances[:, 0] = -1
    order = np.lexsort((all_indices, all_distances), axis=1)[:, :k]
    indices[touched] = np.take_along_axis(all_indices, order, axis=1)
    distances[touched] = np.take_along_axis(all_distances, order, axis=1)
    distances[touched, 0] = 0
