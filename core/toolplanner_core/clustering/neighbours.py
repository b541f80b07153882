"""Exact nearest neighbours by cosine, computed once and shared by the layout, the review of misfits
and the placing of new APIs.

Approximate search is not worth it here: NNDescent needs 25 s of compilation in every process, the
exact answer for 16,000 APIs needs 3 s (design/map.md, "Layout").
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.labels import Vectors
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
