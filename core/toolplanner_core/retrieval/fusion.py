"""Make one score of two signals that are measured on different scales.

Called by `hybrid.py`.

Source: design/strategies.md section 0 (z-scores added, BM25 weighted 0.6), measured anew in
tests/benchmarks/test_search_recall.py.
"""

import numpy as np
from numpy.typing import NDArray

BM25_WEIGHT = 0.6
"""Share of BM25; the rest is the vectors'."""
CLAUSE_WEIGHT = 0.25
"""What the best clause adds to the whole query's score."""
_SMALLEST = 1e-6


def z_scores(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,) values as distances from their mean in standard deviations; zeros if all are equal."""
    if not len(values):
        return values
    deviation = float(values.std())
    if deviation < _SMALLEST:
        return np.zeros_like(values)
    return ((values - values.mean()) / deviation).astype(np.float32)


def fuse(bm25: NDArray[np.float32], vector: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """One score from z-scores of the same shape; `vector` None when there are no vectors."""
    if vector is None:
        return bm25
    return (BM25_WEIGHT * bm25 + (1 - BM25_WEIGHT) * vector).astype(np.float32, copy=False)


def with_clauses(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scores of a query from those of its parts.

    Args:
        scores: (1 + clauses, n), the whole query first.
    """
    if len(scores) == 1:
        return scores[0]
    return (scores[0] + CLAUSE_WEIGHT * scores[1:].max(axis=0)).astype(np.float32, copy=False)
