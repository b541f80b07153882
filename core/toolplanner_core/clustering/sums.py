"""Sums of the vectors of each group, the one matrix product behind centroids, cohesion, margins.

With rows of length 1 everything about a group that review needs follows from the sum of its
members: its centroid, its cohesion (length of the sum / size), and each of them for a merged group
by adding two sums.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.labels import Vectors


def group_sums(
    vectors: Vectors, labels: NDArray[np.integer[Any]], count: int
) -> NDArray[np.float32]:
    """(count, dim) float32: the sum of the vectors of each group; zeros for an empty one.

    Args:
        vectors: (n, dim) float32.
        labels: (n,) integers below `count`; points with a negative one are left out.
        count: number of groups.
    """
    from scipy.sparse import csr_array

    grouped = np.flatnonzero(labels >= 0)
    members = csr_array(
        (np.ones(len(grouped), dtype=np.float32), (labels[grouped], grouped)),
        shape=(count, len(labels)),
    )
    return np.asarray(members @ vectors, dtype=np.float32)


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows scaled to length 1; rows of zeros stay zeros."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.maximum(length, 1e-9)).astype(np.float32, copy=False)


def mean_cosines(sums: NDArray[np.float32], sizes: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
    """(groups,) float32, cohesion: the mean cosine of the members to their centroid, 0 to 1.

    Which is the length of the mean vector; 0 for an empty group.

    Args:
        sums: (groups, dim) float32.
        sizes: (groups,) integers.
    """
    return (np.linalg.norm(sums, axis=1) / np.maximum(sizes, 1)).astype(np.float32)


def nearest_groups(
    sums: NDArray[np.float32],
    sizes: NDArray[np.integer[Any]],
    vector: NDArray[np.float32],
    *,
    most: int,
    without: int = -1,
) -> list[tuple[int, float]]:
    """The groups whose centroids are most like a vector, with their cosines, the best first.

    Args:
        sums: (groups, dim) float32.
        sizes: (groups,) integers; empty groups are left out.
        vector: (dim,) of any length.
        without: a group that is left out, too.
    """
    cosines = sums @ unit(vector) / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)
    is_left_out = sizes == 0
    if without >= 0:
        is_left_out[without] = True
    cosines[is_left_out] = -2
    best = np.argsort(-cosines, kind="stable")[:most]
    return [(i, float(cosines[i])) for i in best.tolist() if not is_left_out[i]]
