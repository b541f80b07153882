"""Split one group: into k parts, into as many as suit it, or by likeness to a text.

Small and quick: 200 members take some milliseconds, on the calling thread.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Labels, Vectors, group_sums, number_by_size
from toolplanner_core.clustering.kmeans import move_centres
from toolplanner_core.clustering.quality import mean_silhouette
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import silent

MOST_PARTS = 8
"""How many parts `k="auto"` tries at most; more is a task for a clustering."""

_STARTS, _MOST_ROUNDS = 3, 20

Method = Literal["kmeans", "agglomerative"]


class LikenessSplit(NamedTuple):
    """A group parted by likeness to a text.

    Attributes:
        labels: (m,) int32, 0 for members that are like it, 1 for the others.
        threshold: least cosine of the members that are like it.
    """

    labels: Labels
    threshold: float


def split_group(
    vectors: Vectors, *, k: int | Literal["auto"] = "auto", method: Method = "kmeans", seed: int = 0
) -> Labels:
    """Part the members of a group.

    Args:
        vectors: (m, dim) float32, rows of length 1.
        k: number of parts, or "auto" for the number from 2 to 8 with the best mean silhouette.
        method: "kmeans" for parts of similar size, "agglomerative" for what lies apart, of any
            size.
        seed: same vectors and seed, same parts.

    Returns:
        (m,) int32, 0 for the largest part; fewer parts than k if fewer vectors differ.

    Raises:
        BadInput: k is below 1, or there is nothing to split.
    """
    if len(vectors) < 2:
        raise BadInput(f"Cannot split {len(vectors)} API", todo="Choose a toolkit of at least two")
    n_distinct = len(np.unique(np.round(vectors, 6), axis=0))
    if k == "auto":
        tried = [
            _split(vectors, parts, method, seed, starts=1)
            for parts in range(2, min(MOST_PARTS, n_distinct, len(vectors) - 1) + 1)
        ]
        if not tried:
            return _split(vectors, min(2, n_distinct), method, seed)
        best = max(tried, key=lambda labels: mean_silhouette(vectors, labels, seed=seed))
        k = int(best.max()) + 1
    if k < 1:
        raise BadInput(f"Cannot split into {k} parts", todo="Choose a number from 1 up")
    return _split(vectors, min(k, n_distinct), method, seed)


def _split(vectors: Vectors, k: int, method: Method, seed: int, *, starts: int = _STARTS) -> Labels:
    if k == 1:
        return np.zeros(len(vectors), dtype=np.int32)
    if method == "agglomerative":
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import pdist

        # Not linkage's own cosine, which divides by the length of a row of zeros.
        tree = linkage(pdist(vectors), method="average")
        return number_by_size(fcluster(tree, k, criterion="maxclust") - 1)
    return number_by_size(_best_of_starts(vectors, k, seed, starts))


def _best_of_starts(vectors: Vectors, k: int, seed: int, starts: int) -> NDArray[np.int32]:
    # scikit-learn's KMeans spends 10 ms on the set-up of each of its starts.
    from sklearn.cluster import kmeans_plusplus

    copies = np.ones(len(vectors), dtype=np.float32)
    best, most = np.zeros(len(vectors), dtype=np.int32), -np.inf
    for start in range(starts):
        centres, _ = kmeans_plusplus(vectors, k, random_state=seed + start)
        labels = move_centres(
            vectors, copies, np.asarray(centres, dtype=np.float32), _MOST_ROUNDS, silent
        )
        sums, sizes = group_sums(vectors, labels, k), np.bincount(labels, minlength=k)
        # The least sum of squared distances to the means, up to a constant.
        explained = float(((sums * sums).sum(axis=1) / np.maximum(sizes, 1)).sum())
        if explained > most + 1e-6:
            best, most = labels, explained
    return best


def split_by_likeness(
    vectors: Vectors, query: NDArray[np.float32], *, threshold: float | None = None
) -> LikenessSplit:
    """Part the members into those that are like a text and the others.

    Without a threshold it is put where the cosines part best (Otsu 1979: greatest variance between
    the two sides), in the middle of the gap; for few members this is mostly the largest gap.

    Args:
        vectors: (m, dim) float32, rows of length 1.
        query: (dim,) float32, of length 1: the embedded text.
        threshold: least cosine of "like it", -1 to 1.
    """
    cosine = vectors @ query
    if threshold is None:
        threshold = _best_threshold(cosine)
    return LikenessSplit(np.where(cosine >= threshold, 0, 1).astype(np.int32), threshold)


def _best_threshold(values: NDArray[np.float32]) -> float:
    ordered = np.sort(values.astype(np.float64))
    if len(ordered) < 2 or ordered[-1] - ordered[0] < 1e-6:
        return float(ordered[0]) if len(ordered) else 0.0
    below = np.arange(1, len(ordered))
    sums = np.cumsum(ordered)
    mean_below = sums[:-1] / below
    mean_above = (sums[-1] - sums[:-1]) / (len(ordered) - below)
    between = below * (len(ordered) - below) * (mean_above - mean_below) ** 2
    cut = int(between.argmax())
    return float((ordered[cut] + ordered[cut + 1]) / 2)
