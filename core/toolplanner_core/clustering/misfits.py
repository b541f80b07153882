"""Points that may belong to another group, and groups that run into one another, by neighbours.

A second opinion beside centroids (`clustering/cohesion.py`): the groups of each point's nearest
neighbours.

A new vendor brings a subject that no toolkit covers; its APIs are like one another and like nothing
else: they are proposed as groups.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.cohesion import Cohesion
from toolplanner_core.clustering.groups import Labels, Vectors, products_of_pairs, unit


class Misfits(NamedTuple):
    """How far each point belongs elsewhere; arrays over `points`.

    Attributes:
        other: (m,) int32, the other group that most of its neighbours are in; -1 if none.
        share: (m,) float32, share of its neighbours in that group, 0 to 1.
        own_share: (m,) float32, share of its neighbours in its own group.
        margin: (m,) float32, cosine to that group's centroid less the cosine to the centroid of the
            rest of its own; above 0 it is nearer to the other one.
    """

    other: NDArray[np.int32]
    share: NDArray[np.float32]
    own_share: NDArray[np.float32]
    margin: NDArray[np.float32]


def find_misfits(
    vectors: Vectors,
    labels: Labels,
    neighbours: NDArray[np.int32],
    cohesion: Cohesion,
    *,
    points: NDArray[np.int64] | None = None,
) -> Misfits:
    """Compare each point's group with those of its neighbours.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        labels: (n,) int32, -1 for none.
        neighbours: (n, k) int32 positions, the point itself first.
        cohesion: of the same vectors and labels.
        points: positions to look at; None looks at all.
    """
    points = np.arange(len(labels)) if points is None else points
    own = labels[points]
    around = labels[neighbours[points, 1:]]
    k = max(1, around.shape[1])
    in_own = (around == own[:, None]) & (around >= 0)
    # How many neighbours share each neighbour's group; k is small, so all pairs are compared.
    counts = (around[:, :, None] == around[:, None, :]).sum(axis=2)
    counts[in_own | (around < 0)] = 0
    if around.shape[1]:
        best = counts.argmax(axis=1)
        rows = np.arange(len(points))
        most = counts[rows, best]
        other = np.where(most > 0, around[rows, best], -1).astype(np.int32)
    else:
        most, other = np.zeros(len(points), np.int64), np.full(len(points), -1, np.int32)
    share = (most / k).astype(np.float32)
    margin = np.full(len(points), -1, dtype=np.float32)
    has_other = np.flatnonzero(other >= 0)
    there = points[has_other]
    cosines = products_of_pairs(vectors, there, unit(cohesion.sums), other[has_other])
    margin[has_other] = cosines - cohesion.own[there]
    own_share = (in_own.sum(axis=1) / k).astype(np.float32)
    return Misfits(other, share, own_share, margin)


def neighbour_mixing(
    labels: Labels,
    neighbours: NDArray[np.int32],
    count: int,
    *,
    touched: NDArray[np.int64] | None = None,
) -> Any:
    """How strongly the neighbourhoods of two groups overlap, for all pairs that touch.

    Args:
        labels: (n,) int32 below `count`, -1 for none.
        neighbours: (n, k) int32 positions, the point itself first.
        count: number of groups.
        touched: count only pairs with one of these groups; None counts all.

    Returns:
        (count, count) scipy csr_array, symmetric, float32, without diagonal: neighbour relations
        from one to the other in either direction, as a share of all that start in the smaller one;
        at most 1.
    """
    from scipy.sparse import csr_array

    k = neighbours.shape[1]
    begins = np.repeat(labels, k - 1)
    ends = labels[neighbours[:, 1:].ravel()]
    is_kept = (begins != ends) & (begins >= 0) & (ends >= 0)
    if touched is not None:
        is_touched = np.zeros(count + 1, dtype=np.bool_)
        is_touched[touched] = True
        is_kept &= is_touched[begins] | is_touched[ends]
    begins, ends = begins[is_kept], ends[is_kept]
    ones = np.ones(len(begins), dtype=np.float32)
    directed = csr_array((ones, (begins, ends)), shape=(count, count))
    directed.sum_duplicates()
    both = (directed + directed.T).tocoo()
    sizes = np.bincount(labels[labels >= 0], minlength=count)
    starting = np.minimum(sizes[both.row], sizes[both.col]) * max(1, k - 1)
    shares = np.minimum(both.data / np.maximum(2 * starting, 1), 1).astype(np.float32)
    return csr_array((shares, (both.row, both.col)), shape=(count, count))


LEAST_SIZE = 3
"""Fewer do not make a toolkit worth a look."""

_AT_ONCE = 4_000
"""So many are compared all with all (64 MB); more are taken in parts, in catalogue order."""


def propose_groups(
    vectors: Vectors, *, least_cosine: float, least_size: int = LEAST_SIZE
) -> list[NDArray[np.int64]]:
    """Groups in which the members are, on average, this much alike.

    Args:
        vectors: (m, dim) float32, rows of length 1: the points without a group.
        least_cosine: least mean cosine of any two parts that are joined; the typical cosine inside
            existing toolkits is a good choice.
        least_size: smaller groups are not proposed.

    Returns:
        Positions of each group's members, the largest group first. Rows of zeros are in none.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    known = np.flatnonzero(np.linalg.norm(vectors, axis=1) > 0)
    groups: list[NDArray[np.int64]] = []
    for begin in range(0, len(known), _AT_ONCE):
        part = known[begin : begin + _AT_ONCE]
        if len(part) < least_size:
            continue
        distance = np.clip(1 - vectors[part] @ vectors[part].T, 0, 2)
        np.fill_diagonal(distance, 0)
        tree = linkage(squareform(distance, checks=False), method="average")
        label = fcluster(tree, 1 - least_cosine + 1e-6, criterion="distance")
        order = np.argsort(label, kind="stable")
        cuts = np.flatnonzero(np.diff(label[order])) + 1
        groups.extend(part[one] for one in np.split(order, cuts) if len(one) >= least_size)
    return sorted(groups, key=lambda group: (-len(group), int(group[0])))
