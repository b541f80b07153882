"""How good a clustering is: sizes and silhouette in the original space, also against the number of
toolkits, for the chart beside the choice of k.

The sweep runs in a worker process, one k after the other, and hands out each point of the curve as
soon as it is known.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.ceiling import QueryRanking, share_held
from toolplanner_core.clustering.groups import (
    Labels,
    Vectors,
    group_sums,
    number_by_size,
)
from toolplanner_core.clustering.kmeans import (
    APIS_PER_TOOLKIT,
    KMeansOptions,
    find_parts,
    group,
)
from toolplanner_core.clustering.linkage import join_parts
from toolplanner_core.jobs.progress import Report, silent

SAMPLE = 5_000
"""Points whose silhouette is averaged; each one is exact, against all points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Figures of one clustering.

    Attributes:
        groups: number of groups.
        noise: points in no group.
        mean_size: mean number of points in a group, 0 without groups.
        singletons: groups of one point.
        silhouette: mean over a seeded sample, -1 to 1; None with fewer than two groups.
    """

    groups: int
    noise: int
    mean_size: float
    singletons: int
    silhouette: float | None


def measure(vectors: Vectors, labels: Labels, *, seed: int, report: Report) -> Quality:
    """The figures of a clustering.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        labels: (n,) int32, 0 ... without gaps, -1 for none.
        seed: chooses the sample.
        report: told the stage.
    """
    sizes = np.bincount(labels[labels >= 0])
    report("Measuring quality", 0, len(labels))
    return Quality(
        groups=len(sizes),
        noise=int((labels < 0).sum()),
        mean_size=float(sizes.mean()) if len(sizes) else 0.0,
        singletons=int((sizes == 1).sum()),
        silhouette=_silhouette(vectors, labels, sizes, seed) if len(sizes) > 1 else None,
    )


def mean_silhouette(vectors: Vectors, labels: Labels, *, seed: int) -> float:
    """The mean silhouette of a seeded sample, -1 to 1; 0 with fewer than two groups.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        labels: (n,) int32, 0 ... without gaps, -1 for none.
        seed: chooses the sample.
    """
    sizes = np.bincount(labels[labels >= 0])
    return _silhouette(vectors, labels, sizes, seed) if len(sizes) > 1 else 0.0


def centroids(vectors: Vectors, labels: Labels) -> NDArray[np.float32]:
    """(groups, dim) float32: the mean vector of each group, not of length 1."""
    sizes = np.bincount(labels[labels >= 0])
    return (group_sums(vectors, labels, len(sizes)) / sizes[:, None]).astype(np.float32)


def _silhouette(
    vectors: Vectors, labels: Labels, sizes: NDArray[np.integer[Any]], seed: int
) -> float:
    """Mean silhouette by cosine distance (Rousseeuw 1987).

    With rows of length 1 the mean distance to a group is one minus the product with its mean
    vector, so each point's silhouette is exact without any pair of points.
    """
    means = centroids(vectors, labels)
    grouped = np.flatnonzero(labels >= 0)
    if len(grouped) > SAMPLE:
        grouped = np.random.default_rng(seed).choice(grouped, SAMPLE, replace=False)
    total = 0.0
    for begin in range(0, len(grouped), 1_000):
        part = grouped[begin : begin + 1_000]
        own, rows = labels[part], np.arange(len(part))
        distance = 1 - vectors[part] @ means.T
        size = sizes[own]
        # The point itself, at distance 0, is in its group's mean; without it the mean is larger.
        inside = np.maximum(distance[rows, own], 0) * size / np.maximum(size - 1, 1)
        distance[rows, own] = np.inf
        outside = np.maximum(distance.min(axis=1), 0)
        greater = np.maximum(np.maximum(inside, outside), 1e-12)
        total += float(np.where(size > 1, (outside - inside) / greater, 0).sum())
    return total / len(grouped)


MEAN_SIZES = (40, 25, 16, 12, APIS_PER_TOOLKIT, 7, 5, 4)
"""Mean sizes that are tried, from few toolkits to many; the paper's 9 is among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint(Quality):
    """One number of toolkits and what it gives.

    Attributes:
        k: toolkits asked for; there are fewer groups if fewer APIs differ.
        is_papers: whether this is the 9 APIs per toolkit of Tool-Planner.
        ceiling: share of the queries whose APIs a shortlist holds, see `ceiling.py`; None without.
    """

    k: int
    is_papers: bool
    ceiling: float | None = None


def sweep_k(
    vectors: Vectors,
    *,
    ks: Sequence[int] | None = None,
    seed: int,
    report: Report,
    emit: Callable[[SweepPoint], None] | None = None,
    is_plain: bool = False,
    queries: Sequence[QueryRanking] = (),
) -> list[SweepPoint]:
    """Cluster by k-means for several k, its groups parted and joined unless it is plain.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        ks: numbers of toolkits, each at least 1; None takes those of `MEAN_SIZES`.
        seed: same vectors and seed, same curve.
        report: told which k is worked on.
        emit: called with each point as soon as it is there (`run_in_worker(on_piece=...)`).
        is_plain: groups stay as k-means++ finds them, as in the paper.
        queries: for the ceiling.

    Returns:
        One point for each k, in growing order.
    """
    n = len(vectors)
    papers = max(1, round(n / APIS_PER_TOOLKIT))
    wanted = sorted({max(1, round(n / size)) for size in MEAN_SIZES} if ks is None else set(ks))
    report("Trying numbers of toolkits", 0, len(wanted), "numbers")
    found = None if is_plain else find_parts(vectors, seed, report=silent)
    curve: list[SweepPoint] = []
    for done, k in enumerate(wanted):
        report("Trying numbers of toolkits", done, len(wanted), "numbers")
        if found is None:
            options = KMeansOptions(k=k, is_plain=True)
            labels = group(vectors, 0, options=options, seed=seed, report=silent)
        else:
            parts, which = found
            labels = number_by_size(join_parts(parts, k, report=silent)[which])
        quality = measure(vectors, labels, seed=seed, report=silent)
        point = SweepPoint(
            **asdict(quality), k=k, is_papers=k == papers, ceiling=share_held(labels, queries)
        )
        curve.append(point)
        if emit is not None:
            emit(point)
    report("Trying numbers of toolkits", len(wanted), len(wanted), "numbers")
    return curve
