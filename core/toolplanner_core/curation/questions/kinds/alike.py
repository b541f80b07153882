"""Which pairs of toolkits may do the same job, and how much each kind of evidence says so.

Looked at are only pairs whose APIs are neighbours of one another, so that the cost grows with the
catalogue and not with the square of its toolkits: about 17,000 pairs at 45,284 APIs, a second.
Each figure is of the two toolkits alone: after an edit only pairs of what it touched are measured
again. Kept are pairs that are alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.cohesion import Cohesion
from toolplanner_core.clustering.misfits import neighbour_mixing
from toolplanner_core.curation.questions.kinds.documents import Documents, name_stems
from toolplanner_core.curation.questions.kinds.group_shares import row_cosines, shares
from toolplanner_core.curation.questions.kinds.same_job import measure_same_job

_TOUCHING = 0.02
"""Least share of the neighbour relations of the smaller toolkit that cross to the other."""

LEAST_LIKENESS = 0.4
"""Least mean of the three figures of a pair that is kept."""

_MEANING = (0.3, 1.0)
_WORDS = (0.1, 0.8)
"""Cosines of centroids and of words that say nothing, and that say all."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlikePairs:
    """Pairs of toolkits, the smaller position first; in no order.

    Attributes:
        first, second: (m,) int64 positions.
        centroids: (m,) float32, cosine of the centroids.
        meaning, words, names: (m,) float32, 0 (nothing in common) to 1: centroids, words of the
            documentation, words of the names.
        parameters: (m,) float32, 0 to 1; -1 where nothing can be said.
        apart: (m,) float32, how seldom an API of the one is of the same tool as an API of the
            other: such can stand in for one another when a tool fails.
        operations, sure: (m,) float32, 0 to 1: of `SameJob`.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    centroids: NDArray[np.float32]
    meaning: NDArray[np.float32]
    words: NDArray[np.float32]
    names: NDArray[np.float32]
    parameters: NDArray[np.float32]
    apart: NDArray[np.float32]
    operations: NDArray[np.float32]
    sure: NDArray[np.float32]

    @property
    def likeness(self) -> NDArray[np.float32]:
        """(m,) float32, mean of meaning, words and names."""
        return ((self.meaning + self.words + self.names) / 3).astype(np.float32)

    def only(self, chosen: NDArray[Any]) -> "AlikePairs":
        """Some of them."""
        return AlikePairs(**{one.name: getattr(self, one.name)[chosen] for one in fields(self)})

    def without(self, toolkits: NDArray[np.int64]) -> "AlikePairs":
        """Those that are not about any of these toolkits."""
        return self.only(~(np.isin(self.first, toolkits) | np.isin(self.second, toolkits)))

    def with_others(self, others: "AlikePairs") -> "AlikePairs":
        """These, then others."""
        return AlikePairs(
            **{
                one.name: np.concatenate((getattr(self, one.name), getattr(others, one.name)))
                for one in fields(self)
            }
        )


def measure_alike(
    documents: Documents,
    cohesion: Cohesion,
    labels: NDArray[np.int32],
    neighbours: NDArray[np.int32],
    names: Sequence[str],
    *,
    touched: NDArray[np.int64] | None = None,
) -> AlikePairs:
    """All alike pairs, or those of some toolkits.

    Args:
        labels: (n,) int32 positions of toolkits, -1 for none.
        neighbours: (n, k) int32 positions, each point itself first.
        names: of the toolkits.
        touched: positions of toolkits; None measures all.
    """
    count, sums, sizes = len(names), cohesion.sums, cohesion.sizes
    mixing = neighbour_mixing(labels, neighbours, count, touched=touched).tocoo()
    is_near = (mixing.data >= _TOUCHING) & (mixing.row < mixing.col)
    first, second = mixing.row[is_near].astype(np.int64), mixing.col[is_near].astype(np.int64)
    lengths = np.linalg.norm(sums, axis=1)
    product = np.einsum("ij,ij->i", sums[first], sums[second])
    cosine = product / np.maximum(lengths[first] * lengths[second], 1e-9)
    # Names give a third at most: a pair that is nowhere alike needs no further look.
    is_alike = (cosine > _MEANING[0]) & (sizes[first] > 0) & (sizes[second] > 0)
    first, second, cosine = first[is_alike], second[is_alike], cosine[is_alike]
    involved = np.union1d(first, second)
    worded, parametered, tools = (
        shares(matrix, labels, involved, count)
        for matrix in (documents.words, documents.parameters, documents.tools)
    )
    said = row_cosines(worded[first], worded[second], documents.word_weights)
    called = row_cosines(parametered[first], parametered[second], documents.weights)
    same_tool = np.asarray(tools[first].multiply(tools[second]).sum(axis=1)).ravel()
    words, parameters = _scaled(said, *_WORDS), np.minimum(called, 1).astype(np.float32)
    apart = np.maximum(1 - same_tool, 0).astype(np.float32)
    job = measure_same_job(
        documents, cohesion, labels, list(names), (first, second),
        words=words, parameters=parameters, apart=apart,
    )  # fmt: skip
    found = AlikePairs(
        first=first,
        second=second,
        centroids=cosine.astype(np.float32),
        meaning=_scaled(cosine, *_MEANING),
        words=words,
        names=_shared_names(names, first, second),
        parameters=parameters,
        apart=apart,
        operations=job.operations,
        sure=job.sure,
    )
    return found.only(found.likeness >= LEAST_LIKENESS)


def _shared_names(
    names: Sequence[str], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float32]:
    """(m,) share of the words of the shorter name of each pair that the other has, too."""
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    stems = [(name_stems(names[a]).keys(), name_stems(names[b]).keys()) for a, b in pairs]
    shared = [len(a & b) / max(1, min(len(a), len(b))) for a, b in stems]
    return np.array(shared, dtype=np.float32)


def _scaled(values: NDArray[Any], low: float, high: float) -> NDArray[np.float32]:
    return np.clip((values - low) / (high - low), 0, 1).astype(np.float32)
