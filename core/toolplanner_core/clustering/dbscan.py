"""DBSCAN: groups of any size wherever points lie densely; says what belongs nowhere.

Source: Ester et al. 1996, with cosine distance; Tool-Planner (arXiv 2406.03807) section 3.1 uses
eps 0.02 and min_pts 1. With min_pts 1 every point is dense, so the groups are the connected
components of "closer than eps". All distances are computed, in blocks, and never kept: memory does
not grow with the number of close pairs.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.clustering import ClusteringPlugin
from toolplanner_core.clustering.groups import Labels, Vectors, number_by_size
from toolplanner_core.jobs.progress import Report, silent
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PublishedSettings

_BLOCK_CELLS = 16_000_000
"""Similarities held at once: 64 MB of float32."""

_MOST_EPS = 0.5
"""Farther away nothing is alike."""

_ROUNDING = 1e-6
"""Equal vectors come out of a float32 product up to this far from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DbscanOptions:
    """Options of `dbscan`."""

    eps: float | None = option(
        None,
        "Greatest cosine distance of neighbours.",
        title="Distance",
        minimum=0,
        maximum=1,
        none_means="so far that half of the APIs have a neighbour",
    )
    min_points: int = option(
        1,
        "So many APIs within the distance, itself counted, make a place dense; an API elsewhere"
        " belongs to the nearest dense one within the distance, or to nothing.",
        minimum=1,
    )


def group(
    vectors: Vectors,
    n_given: int,  # noqa: ARG001 - it finds as many as there are
    *,
    options: DbscanOptions,
    seed: int,  # noqa: ARG001 - nothing here is random
    report: Report,
) -> Labels:
    """Group what is connected through dense points; the rest is -1."""
    points, which, copies = np.unique(vectors, axis=0, return_inverse=True, return_counts=True)
    eps = options.eps
    if eps is None:
        eps = propose_eps(points, options.min_points, report=report)
    least = 1 - eps - _ROUNDING
    if options.min_points == 1:
        labels = _connect(points, least, report)
    else:
        is_dense = _count_near(points, copies, least, report) >= options.min_points
        labels = np.full(len(points), -1, dtype=np.int32)
        labels[is_dense] = _connect(points[is_dense], least, report)
        labels[~is_dense] = _adopt(points[~is_dense], points[is_dense], labels[is_dense], least)
    return number_by_size(labels[which.ravel()])


def propose_eps(vectors: Vectors, min_points: int, *, report: Report = silent) -> float:
    """A distance at which half of the distinct points are dense, `_MOST_EPS` at most.

    That is the median distance to the neighbour that makes a point dense (Source: Ester et al.
    1996, section 4.2, who look for a bend in these distances. With one point in a group the bend
    is no help: a chain of neighbours then joins a third of the demo's APIs).
    """
    points = np.unique(vectors, axis=0)
    nth = max(min_points - 1, 1)
    if len(points) <= nth:
        return _MOST_EPS
    distances = np.empty(len(points), dtype=np.float32)
    for rows in _blocks(len(points), len(points)):
        report("Measuring distances", rows.start, len(points), "points")
        similarity = points[rows] @ points.T
        own = np.arange(len(similarity))
        similarity[own, own + rows.start] = np.inf
        distances[rows] = 1 - np.partition(similarity, -1 - nth, axis=1)[:, -1 - nth]
    return float(np.clip(np.median(distances), 0, _MOST_EPS))


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    height = max(64, _BLOCK_CELLS // max(1, n_columns))
    return (slice(begin, begin + height) for begin in range(0, n_rows, height))


def _count_near(
    points: Vectors, copies: NDArray[np.int64], least: float, report: Report
) -> NDArray[np.int64]:
    near = np.empty(len(points), dtype=np.int64)
    for rows in _blocks(len(points), len(points)):
        report("Counting neighbours", rows.start, len(points), "points")
        near[rows] = (points[rows] @ points.T >= least) @ copies
    # A row of zeros is similar to nothing, but it is still near itself and its copies.
    return np.maximum(near, copies)


def _connect(points: Vectors, least: float, report: Report) -> NDArray[np.int32]:
    """Connected components of "similarity at least `least`"; (n,) int32."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(points)
    labels = np.arange(n, dtype=np.int32)
    for rows in _blocks(n, n):
        report("Connecting neighbours", rows.start, n, "points")
        # Only pairs with a later point: the similarity is the same both ways.
        later = points[rows.start :]
        row, column = np.nonzero(points[rows] @ later.T >= least)
        # One number for each pair: of pairs themselves many would be sorted for minutes.
        one, other = labels[row + rows.start].astype(np.int64), labels[column + rows.start]
        pairs = np.unique(one * n + other)
        links = coo_array((np.ones(len(pairs), dtype=np.int8), (pairs // n, pairs % n)), (n, n))
        labels = connected_components(links, directed=False)[1].astype(np.int32)[labels]
    return labels


def _adopt(
    points: Vectors, dense: Vectors, dense_labels: NDArray[np.int32], least: float
) -> NDArray[np.int32]:
    """The group of the most similar dense point, -1 if none is near enough."""
    labels = np.full(len(points), -1, dtype=np.int32)
    if not len(dense):
        return labels
    for rows in _blocks(len(points), len(dense)):
        similarity = points[rows] @ dense.T
        best = similarity.argmax(axis=1)
        is_near = similarity[np.arange(len(best)), best] >= least
        labels[rows] = np.where(is_near, dense_labels[best], -1)
    return labels


PLUGIN = ClusteringPlugin(
    id="dbscan",
    title="DBSCAN",
    description="Toolkits wherever APIs are nearly the same; an API like no other stays alone.",
    options=DbscanOptions,
    group=group,
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="eps",
                says="0.02, best of table 8",
                value=0.02,
                why="taken from the distances of your own vectors: 0.02 leaves nearly all alone",
            ),
            PaperSetting(option="min_points", says="1", value=1),
        ),
        differences=(
            "eps fits the paper's SimCSE vectors; with other embedders it leaves most APIs alone.",
        ),
    ),
)
