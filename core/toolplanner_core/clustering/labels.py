"""What goes into a clustering and what comes out: vectors, and a group's number for each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""(n, dim) float32, rows of length 1 (a row of zeros stands for a text without any known word)."""

Labels = NDArray[np.int32]
"""(n,) int32: 0, 1, 2 ... without gaps, -1 for a point that belongs to no group."""


def number_by_size(labels: NDArray[np.integer[Any]]) -> Labels:
    """The same groups, numbered 0, 1, 2 ... from the largest to the smallest; empty ones vanish.

    Args:
        labels: (n,) any integers, negative for no group.

    Returns:
        (n,) int32. Equally large groups keep the order of their first points.
    """
    numbered = np.full(len(labels), -1, dtype=np.int32)
    grouped = labels >= 0
    if not grouped.any():
        return numbered
    _, first, inverse, sizes = np.unique(
        labels[grouped], return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    numbered[grouped] = rank[inverse]
    return numbered
