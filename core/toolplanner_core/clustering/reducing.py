"""Fewer dimensions and no copies: what clusterings do to vectors before they search for groups."""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.labels import Vectors

_MANY = 30_000
"""Above this number of APIs fewer dimensions are kept (design/map.md, "Clustering")."""


def reduce(vectors: Vectors, seed: int, *, dimensions: int | None = None) -> Vectors:
    """(n, dimensions) float32: the principal components, or the vectors if they have no more.

    Args:
        vectors: (n, dim) float32.
        seed: handed to scikit-learn.
        dimensions: None takes 100, and 64 for more than 30,000 vectors.
    """
    from sklearn.decomposition import PCA

    n, dim = vectors.shape
    wanted = dimensions or (64 if n > _MANY else 100)
    if min(n, dim) <= wanted:
        return np.ascontiguousarray(vectors)
    # The covariance matrix is small (dim x dim): exact, and faster than a randomised SVD.
    pca = PCA(wanted, svd_solver="covariance_eigh", random_state=seed)
    return np.ascontiguousarray(pca.fit_transform(vectors), dtype=np.float32)


def distinct(points: Vectors) -> tuple[Vectors, NDArray[np.int64], NDArray[np.float32]]:
    """Each distinct row once; for every row its number among them; and how often each occurs."""
    # Rounding joins copies that a blocked matrix product left a last bit apart.
    rounded = np.round(points, 6) + 0.0
    rows = rounded.view(np.dtype((np.void, rounded.dtype.itemsize * rounded.shape[1]))).ravel()
    _, first, which, counts = np.unique(
        rows, return_index=True, return_inverse=True, return_counts=True
    )
    # In the order of first appearance, so that the result does not hang on byte order.
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return points[first[order]], rank[which], counts[order].astype(np.float32)
