"""Which toolkits lie beside each other on the map: the graph that the colours are chosen for.

Two toolkits are neighbours when their centres share an edge of the Delaunay triangulation; on a
planar graph every toolkit can differ from all of its neighbours. Members scatter, so pairs of
touching points of two toolkits are counted as well, as a wish. Called by colours.py, in a worker:
scipy is imported inside.
"""

from __future__ import annotations

import numpy as np

NEAREST_POINTS = 5
SMALL = 12
MOST_TOUCHING = 100_000
"""Of more points these many are looked at: touching is a wish, and a sample says the same."""


def centres(xy: np.ndarray, labels: np.ndarray, n_labels: int) -> np.ndarray:
    """The middle of each toolkit: the median of its points in each direction.

    Which outliers do not pull away.

    Args:
        xy: `(n, 2)` float.
        labels: `(n,) int`, -1 for none.
        n_labels: number of toolkits.

    Returns:
        `(n_labels, 2) float64`; nan for a toolkit without points.
    """
    result = np.full((n_labels, 2), np.nan)
    used = np.flatnonzero(labels >= 0)
    if len(used) == 0:
        return result
    own = labels[used]
    count = np.bincount(own, minlength=n_labels)
    start = np.cumsum(count) - count
    present = np.flatnonzero(count)
    low = start[present] + (count[present] - 1) // 2
    high = start[present] + count[present] // 2
    for axis in range(2):
        values = np.asarray(xy[used, axis], np.float64)
        values = values[np.lexsort((values, own))]
        result[present, axis] = (values[low] + values[high]) / 2
    return result


def neighbour_pairs(middles: np.ndarray) -> np.ndarray:
    """Pairs of toolkits that lie beside each other.

    Args:
        middles: `(k, 2)` float, nan for what is not on the map.

    Returns:
        `(m, 2) int64`, each pair once, the smaller number first, rising.
    """
    present = np.flatnonzero(np.isfinite(middles).all(axis=1))
    if len(present) <= SMALL:
        first, second = np.triu_indices(len(present), 1)
        return np.column_stack([present[first], present[second]])
    from scipy.spatial import Delaunay

    places = middles[present] - middles[present].mean(axis=0)
    places = places / max(float(np.abs(places).max()), 1e-12)
    # QJ moves points by a hair, so that equal and collinear centres have neighbours too.
    corners = Delaunay(places, qhull_options="QJ Pp").simplices.astype(np.int64)
    sides = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    return np.unique(np.sort(present[sides], axis=1), axis=0)


def touching_pairs(xy: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of toolkits whose points are among each other's nearest, and how often.

    Args:
        xy: `(n, 2)` float.
        labels: `(n,) int`, -1 for none.

    Returns:
        `(m, 2) int64` pairs, the smaller number first, rising, and `(m,) int64` counts.
    """
    used = np.flatnonzero(labels >= 0)
    if len(used) > MOST_TOUCHING:
        used = used[:: -(-len(used) // MOST_TOUCHING)]
    if len(used) < 2:
        return np.zeros((0, 2), np.int64), np.zeros(0, np.int64)
    from scipy.spatial import KDTree

    points = np.asarray(xy[used], np.float64)
    k = min(NEAREST_POINTS + 1, len(used))
    _distance, near = KDTree(points).query(points, k=k)
    own = labels[used].astype(np.int64)
    pairs = np.column_stack([np.repeat(own, k), own[near.ravel()]])
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    return np.unique(pairs, axis=0, return_counts=True)
