"""Which toolkit a new API belongs to, and how sure that is.

Two opinions are weighed: the toolkits of its nearest neighbours, and how much nearer it is to the
best toolkit's centroid than to the next one's. How sure they are together is learned from the APIs
that have a toolkit already, each judged as if it were new (leave one out), so that a confidence of
0.8 is right in about eight of ten cases *on this catalogue, with this embedder*. Below a threshold
the API has "no home yet".

Source: calibration by logistic regression, Platt 1999.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Labels, Vectors, blocks, group_sums, unit
from toolplanner_core.jobs.progress import Report

NO_HOME = 0.5
"""Below this confidence an API gets no toolkit: it would be wrong more often than right."""

LEAST_EVIDENCE = 0.05
"""A cosine to the best centroid below this is none: its nearest neighbours are so by chance."""

_SAMPLE = 4_000
"""Points from which the confidence is learned."""

_FEWEST = 20
"""With fewer points, or with no wrong or no right answer among them, nothing can be learned."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assigned:
    """Toolkits for new points.

    Attributes:
        labels: (m,) int32, -1 where the confidence is below the threshold.
        best: (m,) int32, the most likely group, whatever the confidence; -1 if there is no group.
        confidence: (m,) float32, 0 to 1: share of such answers that are right, 0 without
            any evidence.
    """

    labels: Labels
    best: Labels
    confidence: NDArray[np.float32]


class _Opinions(NamedTuple):
    """The most likely group of each point, -1 if there is none, and (m, 4) figures: the share of
    its neighbours' weight in it, its cosine to the centroid, that less the cosine to the next best
    centroid, and the first two together."""

    best: Labels
    features: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Grouped:
    """Points with groups, and the sums and sizes of these."""

    vectors: Vectors
    labels: Labels
    sums: NDArray[np.float32]
    sizes: NDArray[np.int64]


def assign(
    vectors: Vectors,
    known: Vectors,
    labels: Labels,
    *,
    neighbours: NDArray[np.int32],
    known_neighbours: NDArray[np.int32],
    is_unknown: NDArray[np.bool_] | None = None,
    report: Report,
) -> Assigned:
    """Find a group for each new point.

    Args:
        vectors: (m, dim) float32, rows of length 1: the new points.
        known: (n, dim) float32: the points with groups.
        labels: (n,) int32, their groups, -1 for none.
        neighbours: (m, k) int32, positions among the known points, of `layout/placing.py`.
        known_neighbours: (n, k') int32, neighbours of the known points, themselves first.
        is_unknown: (m,) bool, new points whose vectors say nothing: of texts without known words.
        report: told how many points are done.
    """
    count = int(labels.max(initial=-1)) + 1
    if not count:
        nothing = np.zeros(len(vectors), dtype=np.float32)
        none = np.full(len(vectors), -1, dtype=np.int32)
        return Assigned(labels=none, best=none, confidence=nothing)
    sums, sizes = group_sums(known, labels, count), np.bincount(labels[labels >= 0])
    grouped = _Grouped(vectors=known, labels=labels, sums=sums, sizes=sizes)
    found = _opinions(grouped, vectors, neighbours, report=report)
    sample = np.flatnonzero(labels >= 0)
    # A point that is alone cannot be found again without itself; a new API is never its match.
    sample = sample[sizes[labels[sample]] > 1]
    if len(sample) > _SAMPLE:
        sample = np.random.default_rng(0).choice(sample, _SAMPLE, replace=False)
    near = known_neighbours[sample, 1 : neighbours.shape[1] + 1]
    judged = _opinions(grouped, known[sample], near, own=labels[sample], report=report)
    confidence = _learn(judged.features, judged.best == labels[sample], found.features)
    confidence[(found.best < 0) | (found.features[:, 1] < LEAST_EVIDENCE)] = 0
    if is_unknown is not None:
        confidence[is_unknown] = 0
    return Assigned(
        labels=np.where(confidence >= NO_HOME, found.best, -1).astype(np.int32),
        best=found.best,
        confidence=confidence,
    )


def _opinions(
    grouped: _Grouped,
    vectors: Vectors,
    neighbours: NDArray[np.int32],
    *,
    own: Labels | None = None,
    report: Report,
) -> _Opinions:
    """The best group of each point by votes and centroids together.

    Args:
        neighbours: positions among the grouped points.
        own: the groups that the points are in; their centroids are then taken without the point.
    """
    m, sums = len(vectors), grouped.sums
    centres = unit(sums)
    best = np.full(m, -1, dtype=np.int32)
    features = np.zeros((m, 4), dtype=np.float32)
    for rows in blocks(m, len(sums), stage="Finding toolkits", report=report):
        at = np.arange(rows.stop - rows.start)
        near = vectors[rows] @ centres.T
        near[:, grouped.sizes == 0] = -1
        if own is not None:
            rest = sums[own[rows]] - vectors[rows]
            near[at, own[rows]] = np.einsum("ij,ij->i", unit(rest), vectors[rows])
        votes = _votes(grouped, vectors[rows], neighbours[rows])
        best[rows] = chosen = (near + votes).argmax(axis=1)
        vote, cosine = votes[at, chosen], near[at, chosen]
        near[at, chosen] = -1
        margin = np.maximum(cosine - near.max(axis=1), -0.5)
        features[rows] = np.stack((vote, cosine, margin, vote * cosine), axis=1)
    return _Opinions(best, features)


def _votes(
    grouped: _Grouped, vectors: Vectors, neighbours: NDArray[np.int32]
) -> NDArray[np.float32]:
    """(m, count) float32: share of the neighbours' weight in each group, nearer ones weigh more."""
    closeness = np.einsum("ij,ikj->ik", vectors, grouped.vectors[neighbours])
    weight = np.exp(10 * (closeness - closeness.max(axis=1, keepdims=True, initial=-1)))
    groups = grouped.labels[neighbours]
    total = np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)
    votes = np.zeros((len(vectors), len(grouped.sums)), dtype=np.float32)
    rows = np.broadcast_to(np.arange(len(vectors))[:, None], groups.shape)
    has_group = groups >= 0
    np.add.at(votes, (rows[has_group], groups[has_group]), (weight / total)[has_group])
    return votes


def _learn(
    judged: NDArray[np.float32], is_right: NDArray[np.bool_], asked: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(m,) float32: how often answers with such figures are right."""
    if len(judged) < _FEWEST or is_right.all() or not is_right.any():
        # Nothing to learn from: the neighbours' vote, tempered by the cosine, is an honest guess.
        return np.clip(asked[:, 0] * np.clip(asked[:, 1], 0, 1), 0, 1).astype(np.float32)
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=10.0, max_iter=500).fit(judged, is_right)
    return model.predict_proba(asked)[:, 1].astype(np.float32)
