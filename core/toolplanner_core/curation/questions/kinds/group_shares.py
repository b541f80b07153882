"""Rows of APIs gathered by toolkit, and the cosines of such rows: what pairs are compared by."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_in(groups: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """(count + 1,) bool, indexed by a label; the last one stands for -1 and is False."""
    found = np.zeros(count + 1, dtype=np.bool_)
    found[groups] = True
    return found


def shares(matrix: Any, labels: NDArray[np.int32], groups: NDArray[np.int64], count: int) -> Any:
    """(count, columns) csr: the share of a group's members that have each column.

    Args:
        matrix: (n, columns) csr of ones.
        labels: (n,) int32 below `count`, -1 for none.
        groups: only these rows are filled.
    """
    from scipy.sparse import csr_array

    points = np.flatnonzero(is_in(groups, count)[labels])
    own = labels[points]
    sizes = np.bincount(own, minlength=count)
    ones = (1 / sizes[own]).astype(np.float32)
    members = csr_array((ones, (own, np.arange(len(points)))), shape=(count, len(points)))
    return members @ matrix[points]


def row_cosines(
    left: Any, right: Any, weights: NDArray[np.float32] | None = None
) -> NDArray[np.float64]:
    """(m,) cosine of each row of one csr matrix with the same row of the other.

    Returns:
        -1 where a row is empty: nothing can be said.
    """
    scaled = left if weights is None else left.multiply(weights[None, :] ** 2).tocsr()
    squared = None if weights is None else weights[None, :] ** 2
    lengths: list[NDArray[np.float64]] = []
    for side in (left, right):
        square = side.multiply(side)
        square = square if squared is None else square.multiply(squared)
        lengths.append(np.sqrt(np.asarray(square.sum(axis=1), dtype=np.float64).ravel()))
    product = np.asarray(scaled.multiply(right).sum(axis=1), dtype=np.float64).ravel()
    is_there = (lengths[0] > 0) & (lengths[1] > 0)
    length = np.where(is_there, lengths[0] * lengths[1], 1)
    return np.where(is_there, product / length, -1)
