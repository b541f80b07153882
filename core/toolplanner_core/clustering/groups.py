"""Points and their groups as arrays: labels, sums of vectors by group, fewer dimensions, no copies.

With rows of length 1 everything about a group that review needs follows from the sum of its
members: its centroid, its cohesion (length of the sum / size), and each of them for a merged group
by adding two sums.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Report, silent

_BLOCK_CELLS = 8_000_000

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


def blocks(n: int, width: int, *, stage: str, report: Report) -> Iterator[slice]:
    """Slices of n rows, so short that a float32 matrix of them with this width takes 32 MB.

    Args:
        stage: what is reported as each slice begins, and at the end.
    """
    height = max(16, _BLOCK_CELLS // max(1, width))
    for begin in range(0, n, height):
        report(stage, begin, n)
        yield slice(begin, min(n, begin + height))
    report(stage, n, n)


def products_of_pairs(
    left: NDArray[np.float32],
    left_rows: NDArray[np.integer[Any]],
    right: NDArray[np.float32],
    right_rows: NDArray[np.integer[Any]],
) -> NDArray[np.float32]:
    """(m,) float32: the dot product of a row of one matrix with a row of another, pair by pair.

    The rows of all pairs are never copied at once: of a million APIs they are many GB.

    Args:
        left, right: (n, dim) and (k, dim) float32.
        left_rows, right_rows: (m,) integers, the rows of each pair.
    """
    found = np.empty(len(left_rows), dtype=np.float32)
    for part in blocks(len(left_rows), left.shape[1], stage="", report=silent):
        found[part] = np.einsum("ij,ij->i", left[left_rows[part]], right[right_rows[part]])
    return found
