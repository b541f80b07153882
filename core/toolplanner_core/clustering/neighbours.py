"""Exact nearest neighbours by cosine, computed once and shared by the layout, the review of misfits
and the placing of new APIs.

Approximate search is not worth it here: NNDescent needs 25 s of compilation in every process, the
exact answer for 16,000 APIs needs 3 s (design/map.md, "Layout"). A catalogue that has grown is not
computed again: the distances between new points and all others say both who is near the new ones
and which old point has a nearer neighbour than before.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Vectors
from toolplanner_core.jobs.progress import Report

NEIGHBOURS = 16
"""Stored for every API, itself counted: enough for layouts with up to 15 and for misfit scores."""

_BLOCK_CELLS = 8_000_000
"""Similarities held at once: 32 MB of float32."""


class NearestNeighbours(NamedTuple):
    """For each point the nearest ones, itself first, then by growing distance.

    Attributes:
        indices: (n, k) int32, positions.
        distances: (n, k) float32, cosine distance, 0 to 2.
    """

    indices: NDArray[np.int32]
    distances: NDArray[np.float32]


def nearest_neighbours(vectors: Vectors, k: int, *, report: Report) -> NearestNeighbours:
    """The k nearest points of every point.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        k: at least 1; fewer come back if there are fewer points.
        report: told how many points are done.
    """
    n = len(vectors)
    k = min(k, n)
    indices = np.empty((n, k), dtype=np.int32)
    distances = np.empty((n, k), dtype=np.float32)
    height = max(64, _BLOCK_CELLS // max(1, n))
    for begin in range(0, n, height):
        report("Finding neighbours", begin, n)
        end = min(n, begin + height)
        distance = 1 - vectors[begin:end] @ vectors.T
        rows = np.arange(end - begin)
        # Itself comes first even among exact copies and for a row of zeros.
        distance[rows, rows + begin] = -1
        indices[begin:end], distances[begin:end] = nearest_of_rows(distance, k)
    report("Finding neighbours", n, n)
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
