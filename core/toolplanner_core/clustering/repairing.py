"""Part pairs that must not share a group, after a clustering has put them into one.

Few pairs are forbidden (a person says "not here" a hundred times, not a million), so they are
parted one after the other.
"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Vectors, group_sums, unit


def part_forbidden_pairs(
    points: Vectors,
    weights: NDArray[np.int64],
    labels: NDArray[np.int32],
    *,
    pairs: NDArray[np.int32],
    is_given: NDArray[np.bool_],
    first_new: int,
    least: float,
) -> None:
    """Move one of each forbidden pair, in place, until no group holds one.

    The one that is less like its group moves, never a given one; it goes to the most similar group
    that holds nothing it is parted from, or founds a group if none is similar enough.

    Args:
        points: (n, dim) float32, rows of length 1: components of points.
        weights: (n,) number of points in each component.
        labels: (n,) int32, changed in place.
        pairs: (m, 2) int32 positions of components.
        is_given: (n,) whether the group of a component is given.
        first_new: groups with a smaller label are given: they take in nobody, and no group that is
            founded gets one.
        least: cosine to a group's centroid below which a group is founded instead.
    """
    clashing = pairs[(labels[pairs[:, 0]] >= 0) & (labels[pairs[:, 0]] == labels[pairs[:, 1]])]
    if not len(clashing):
        return
    foes: dict[int, set[int]] = {}
    for a, b in pairs.tolist():
        foes.setdefault(a, set()).add(b)
        foes.setdefault(b, set()).add(a)
    # One row for each group that can be founded: at most one by each clash.
    count = max(int(labels.max()) + 1, first_new)
    sums = np.zeros((count + len(clashing), points.shape[1]), dtype=np.float32)
    sums[:count] = group_sums(points * weights[:, None].astype(np.float32), labels, count)
    for a, b in clashing.tolist():
        if labels[a] != labels[b]:
            continue
        centre = unit(sums[labels[a]])
        stays_b = is_given[b] or (not is_given[a] and points[a] @ centre < points[b] @ centre)
        mover = a if stays_b else b
        closed = {int(labels[foe]) for foe in foes[mover]}
        target = _next_best(points[mover], sums[:count], closed, first_new, least)
        if target is None:
            target, count = count, count + 1
        vector = points[mover] * np.float32(weights[mover])
        sums[labels[mover]] -= vector
        sums[target] += vector
        labels[mover] = target


def _next_best(
    point: NDArray[np.float32],
    sums: NDArray[np.float32],
    closed: set[int],
    first_new: int,
    least: float,
) -> int | None:
    cosine = unit(sums) @ point
    cosine[:first_new] = -1
    cosine[[group for group in closed if group >= 0]] = -1
    best = int(cosine.argmax()) if len(cosine) else 0
    return best if len(cosine) and cosine[best] >= max(least, 1e-6) else None
