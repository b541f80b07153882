"""Agglomerative: join the two most alike groups again and again, until k toolkits are left.

Gives no group of one by chance of a start, as k-means can, and the same result for every seed. Only
near neighbours are joined, so that it takes seconds instead of the memory of all pairs.

Source: Ward 1963 on the graph of nearest neighbours (scikit-learn, "AgglomerativeClustering with
connectivity"). 16,000 APIs: 4 s after the neighbours.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.clustering import ClusteringPlugin
from toolplanner_core.clustering.groups import (
    Labels,
    Vectors,
    distinct,
    group_sums,
    number_by_size,
    reduce,
    unit,
)
from toolplanner_core.clustering.kmeans import GroupCount
from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.jobs.progress import Report

_NEIGHBOURS = 12
"""Itself counted; more change little and cost more (16,000 real APIs: 6 parts without a link)."""


def group(
    vectors: Vectors,
    n_given: int,
    *,
    options: GroupCount,
    seed: int,
    report: Report,
) -> Labels:
    """Group into k toolkits, given ones counted; fewer if there are fewer distinct vectors."""
    from sklearn.cluster import AgglomerativeClustering

    k = options.of(len(vectors), n_given)
    report("Reducing dimensions", 0, len(vectors))
    points, which, _ = distinct(reduce(vectors, seed))
    if k >= len(points):
        return number_by_size(which)
    graph = _connected_graph(points, report)
    report("Joining toolkits", 0, len(points) - k, "steps")
    model = AgglomerativeClustering(n_clusters=k, linkage="ward", connectivity=graph)
    return number_by_size(model.fit_predict(points)[which])


def _connected_graph(points: Vectors, report: Report) -> Any:
    """(n, n) csr matrix of who may be joined with whom; every point reaches every other."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(points)
    near = nearest_neighbours(unit(points), _NEIGHBOURS, report=report).indices[:, 1:]
    begins, ends = np.repeat(np.arange(n), near.shape[1]), near.ravel()
    graph = csr_matrix((np.ones(len(begins), dtype=np.int8), (begins, ends)), shape=(n, n))
    count, part = connected_components(graph, directed=False)
    if count > 1:
        bridges = _bridges(points, part, count)
        begins, ends = np.append(begins, bridges[:, 0]), np.append(ends, bridges[:, 1])
        graph = csr_matrix((np.ones(len(begins), dtype=np.int8), (begins, ends)), shape=(n, n))
    return graph.maximum(graph.T)


def _bridges(points: Vectors, part: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """(count - 1, 2) positions: the cheapest links that make one of all parts, by their means."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    sizes = np.bincount(part).astype(np.float32)
    means = (group_sums(points, part, count) / sizes[:, None]).astype(np.float32)
    square = (means * means).sum(axis=1)
    # A distance of 0 would be read as "no edge".
    distance = np.maximum(square[:, None] + square - 2 * means @ means.T, 1e-6)
    tree = minimum_spanning_tree(distance).tocoo()
    bridges = [
        (_nearest_of(points, part, a, means[b]), _nearest_of(points, part, b, means[a]))
        for a, b in zip(tree.row.tolist(), tree.col.tolist(), strict=True)
    ]
    return np.array(bridges, dtype=np.int64)


def _nearest_of(
    points: Vectors, part: NDArray[np.int32], number: int, target: NDArray[np.float32]
) -> int:
    members = np.flatnonzero(part == number)
    return int(members[((points[members] - target) ** 2).sum(axis=1).argmin()])


PLUGIN = ClusteringPlugin(
    id="agglomerative",
    title="Agglomerative",
    description="Joins what is most alike until so many toolkits are left; no chance involved.",
    options=GroupCount,
    group=group,
    # 45,284 APIs: 0.6 GB, its tree and the neighbours it joins.
    bytes_per_api=12_000,
)
