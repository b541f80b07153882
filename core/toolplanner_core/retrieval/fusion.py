"""Make one score of two signals that are measured on different scales.

Source: design/strategies.md section 0 (z-scores added, BM25 weighted 0.6), measured anew in
tests/benchmarks/test_search_recall.py.
"""

import numpy as np
from numpy.typing import NDArray

BM25_WEIGHT = 0.6
"""Share of BM25; the rest is the vectors'."""
CLAUSE_WEIGHT = 1.0
"""What the best clause's vector adds to the whole query's.

Recall@5 / @10 / @50 with MiniLM on the queries of the benchmark: without clauses 0.543 / 0.643 /
0.796, with them 0.556 / 0.656 / 0.802; clauses in both signals (weight 0.25) 0.553 / 0.650 / 0.803,
at several times the cost, since each clause is a full-text query of its own.
"""
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
    """One score of both signals.

    Args:
        bm25: (n,) z-scores of the whole query.
        vector: (1 + clauses, n) z-scores, the whole query first; None when there are no vectors.
    """
    if vector is None:
        return bm25
    both = vector[0]
    if len(vector) > 1:
        both = both + CLAUSE_WEIGHT * vector[1:].max(axis=0)
    return (BM25_WEIGHT * bm25 + (1 - BM25_WEIGHT) * both).astype(np.float32, copy=False)
