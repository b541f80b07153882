"""Figures that several kinds of candidates share, and scales for signals."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.questions.kinds.candidate import Signal
from toolplanner_core.curation.questions.kinds.documents import name_stems
from toolplanner_core.curation.questions.kinds.evidence import Evidence, is_in


def ramp(value: float, *, low: float, high: float) -> float:
    """0 up to `low`, 1 from `high`, straight between."""
    return min(1.0, max(0.0, (float(value) - low) / (high - low)))


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


def asked_groups(evidence: Evidence, groups: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The groups that have members, of those asked for (None: all), ascending."""
    filled = np.flatnonzero(evidence.cohesion.sizes > 0)
    return filled if groups is None else np.intersect1d(filled, groups)


def name_likeness(first: str, second: str) -> Signal | None:
    """How many words two names share; None if one of them has none that means something."""
    left, right = name_stems(first), name_stems(second)
    if not left or not right:
        return None
    both = sorted(left[one] for one in left.keys() & right.keys())
    said = f"both say “{', '.join(both[:3])}”" if both else "they share no word"
    return Signal(len(both) / min(len(left), len(right)), f"Names: {said}")


def percent(value: float) -> str:
    """A share for people, such as "34 %"."""
    return f"{100 * float(value):.0f} %"
