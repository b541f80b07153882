"""Exact nearest neighbours of a catalogue that has grown, without computing all of them again.

The distances between new points and all others say both who is near the new ones and which old
point has a nearer neighbour than before: 100 new among 45,000 take a fraction of a second instead
of 20.
"""

import numpy as np

from toolplanner_core.clustering.labels import Vectors
from toolplanner_core.clustering.neighbours import NearestNeighbours, nearest_of_rows
from toolplanner_core.jobs.progress import Report

_BLOCK_CELLS = 8_000_000


def extend_neighbours(
    known: NearestNeighbours, frozen: Vectors, new: Vectors, *, report: Report
) -> NearestNeighbours:
    """Neighbours of the old points followed by the new ones; equal to `nearest_neighbours` of both.

    Args:
        known: of the old points, with k columns.
        frozen: (n, dim) float32, n >= k: the old points.
        new: (m, dim) float32, rows of length 1.
    """
    n, m, k = len(frozen), len(new), known.indices.shape[1]
    everything = np.concatenate((frozen, new))
    indices = np.concatenate((known.indices, np.empty((m, k), dtype=np.int32)))
    distances = np.concatenate((known.distances, np.empty((m, k), dtype=np.float32)))
    height = max(16, _BLOCK_CELLS // (n + m))
    for begin in range(0, m, height):
        report("Finding neighbours of new APIs", begin, m)
        rows = np.arange(begin, min(m, begin + height))
        distance = 1 - new[rows] @ everything.T
        distance[np.arange(len(rows)), n + rows] = -1
        indices[n + rows], distances[n + rows] = nearest_of_rows(distance, k)
        _let_in(indices, distances, distance[:, :n], n + rows)
    distances[n:, 0] = 0
    report("Finding neighbours of new APIs", m, m)
    return NearestNeighbours(indices, np.clip(distances, 0, 2))


def _let_in(
    indices: np.ndarray, distances: np.ndarray, distance: np.ndarray, new: np.ndarray
) -> None:
    """Put new points into the lists of the old ones they are nearer to than the last one there.

    Args:
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
