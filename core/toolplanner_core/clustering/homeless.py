"""Groups among APIs that have no home: what may become a new toolkit.

A new vendor brings a subject that no toolkit covers; its APIs are like one another and like nothing
else.
"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Vectors

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
