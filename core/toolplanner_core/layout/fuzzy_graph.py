"""The graph that UMAP lays out: how strongly each API is joined to its neighbours.

Source: McInnes, Healy, Melville 2018, arXiv 1802.03426, sections 3.1 and 4.1, with the settings of
umap-learn, whose graph this is to six digits (`tests/core/layout/test_fuzzy_graph.py`). All rows at
once with numpy: umap-learn needs a compiler at run time, which is a third of an installed program
and takes longer than the whole layout of a small catalogue.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.layout.layout import Neighbourhood

_CLOSE_ENOUGH = 1e-5
_MOST_HALVINGS = 64
_LEAST_SHARE = 1e-3
"""Source: umap-learn, SMOOTH_K_TOLERANCE, `n_iter`, MIN_K_DIST_SCALE."""

_UNKNOWN_DISTANCE = 1.0
"""How far an API without a toolkit is from all toolkits. Source: default of umap-learn."""


def fuzzy_graph(neighbours: Neighbourhood, k: int) -> Any:
    """Strengths of the bonds between neighbours.

    Args:
        neighbours: exact ones, itself first.
        k: how many of them count, itself counted.

    Returns:
        (n, n) symmetric sparse array of float32, above 0 and at most 1.
    """
    from scipy.sparse import csr_array

    indices, distances = neighbours.indices[:, :k], neighbours.distances[:, :k]
    n = len(indices)
    width, nearest = _widths(distances.astype(np.float64))
    beyond = np.maximum(distances - nearest[:, None], 0)
    strengths = np.exp(-beyond / np.maximum(width, np.finfo(np.float64).tiny)[:, None])
    strengths[indices == np.arange(n)[:, None]] = 0
    begins = np.arange(0, n * k + 1, k)
    graph = csr_array((strengths.ravel().astype(np.float32), indices.ravel(), begins), shape=(n, n))
    graph.eliminate_zeros()
    return _united(graph)


def drawn_by_labels(graph: Any, labels: NDArray[np.int32], weight: float) -> Any:
    """The same graph with weaker bonds between APIs of different toolkits.

    Source: umap-learn, `UMAP.fit` with a categorical target.

    Args:
        labels: (n,) toolkit of each, -1 for none.
        weight: of the toolkits, below 1.
    """
    from scipy.sparse import csr_array, diags_array

    pairs = graph.tocoo()
    one, other = labels[pairs.row], labels[pairs.col]
    apart = np.where(one != other, np.exp(-2.5 / (1 - weight)), 1.0)
    apart[(one < 0) | (other < 0)] = np.exp(-_UNKNOWN_DISTANCE)
    weaker: Any = csr_array((pairs.data * apart, (pairs.row, pairs.col)), shape=graph.shape)
    # Each keeps one bond of full strength, as in the graph of the neighbours alone.
    strongest = weaker.max(axis=1).toarray().ravel()
    return _united(diags_array(1 / np.where(strongest > 0, strongest, 1)) @ weaker)


def _widths(distances: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n,) each: how fast bonds of a point fade, so that all of its bonds add up to log2(k); and
    the distance of its nearest neighbour that is no copy."""
    far = np.where(distances > 0, distances, np.inf).min(axis=1)
    nearest = np.where(np.isfinite(far), far, 0)
    beyond = np.maximum(distances[:, 1:] - nearest[:, None], 0)
    target = np.log2(distances.shape[1])
    low, high = np.zeros(len(distances)), np.full(len(distances), np.inf)
    width = np.ones(len(distances))
    for _ in range(_MOST_HALVINGS):
        total = np.exp(-beyond / width[:, None]).sum(axis=1)
        is_open = np.abs(total - target) >= _CLOSE_ENOUGH
        if not is_open.any():
            break
        high = np.where(is_open & (total > target), width, high)
        low = np.where(is_open & (total <= target), width, low)
        next_width = np.where(np.isinf(high), width * 2, (low + high) / 2)
        width = np.where(is_open, next_width, width)
    least = np.where(nearest > 0, distances.mean(axis=1), distances.mean())
    return np.maximum(width, _LEAST_SHARE * least), nearest


def _united(graph: Any) -> Any:
    """A bond holds if either side holds it: the union of fuzzy sets."""
    turned = graph.T.tocsr()
    return (graph + turned - graph.multiply(turned)).tocsr()
