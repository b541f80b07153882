"""Sums of the vectors of each group, the one matrix product behind centroids, cohesion, margins.

With rows of length 1 everything about a group that review needs follows from the sum of its
members: its centroid, its cohesion (length of the sum / size), and each of them for a merged group
by adding two sums. Called all over this package and by `curation/review/`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.clustering import Vectors


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
