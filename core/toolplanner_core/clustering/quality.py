"""How good a clustering is: sizes and silhouette in the original space."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.labels import Labels, Vectors
from toolplanner_core.clustering.sums import group_sums
from toolplanner_core.jobs.progress import Report

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
