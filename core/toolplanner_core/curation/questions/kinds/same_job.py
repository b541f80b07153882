"""Whether two toolkits do the same job, or only share a subject: details and reviews of a product
are about one thing and stand in for nobody.

Told by what the names of their APIs say (`operations`): their words, whether they read or change
something, and words that most names of the one say and hardly any of the other. A pair is sure
(`sure`) only where names, vectors, documentation and parameters say so together.

Measured at 45,284 APIs, by reading the first 20 groups that are asked about: 13 are right in all
of their toolkits, 6 in some, 1 in none.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.cohesion import Cohesion
from toolplanner_core.curation.questions.kinds.documents import Documents, name_stems
from toolplanner_core.curation.questions.kinds.group_shares import row_cosines, shares
from toolplanner_core.words.stems import stem

SURE = 0.7
"""A pair from here on does the same job for sure."""

_NAMES = (0.2, 0.95)
_VECTORS = (0.4, 0.6)
_PARAMETERS = (-0.3, 0.5)
"""Values that speak against the same job, and for it: the cosine of names, the mean cosine of two
APIs, the share of parameters in common."""
_WEIGHTS = (1.0, 1.0, 0.7, 0.5)
"""Of operations, vectors, words and parameters in their geometric mean: one that speaks against
it is not outvoted."""
_UNKNOWN = 0.3
"""What counts as the share of parameters where none can be said."""
_CONTRAST = (0.25, 0.8, 0.8)
_NAMED = (0.1, 0.5, 0.5)
"""From which difference of shares on a word tells two toolkits apart, from which on it does so
altogether, and how much that takes away: where each has such a word, and where one is named by it.
"""
_AGREED = (0.3, 0.9, 0.6)
"""The same for how likely an API of each do the same to what they are about: read or change it."""
DIFFERENT = 0.25
"""Pairs whose operations are less alike, with no parameter in common, only share a subject."""
_SHARED = 0.1
"""From this share of parameters on some are in common."""
_TURNED = "reverse", "inverse", "decode", "encode", "decrypt", "encrypt", "compress", "decompress"
_DIRECTIONS = frozenset(map(stem, _TURNED))
"""Words that turn round what a toolkit does."""
_MIXED = ("Mixed", "Test and sample", "Unnamed")
"""How toolkits are called that do no one job."""


class SameJob(NamedTuple):
    """How far pairs of toolkits do the same job.

    Attributes:
        operations: (m,) float32, 0 to 1, what the names of their APIs say of it.
        sure: (m,) float32, 0 to 1, all evidence together.
    """

    operations: NDArray[np.float32]
    sure: NDArray[np.float32]


def do_differ(operations: float, parameters: float) -> bool:
    """Whether two toolkits only share a subject.

    Args:
        parameters: share of them in common; below 0 where nothing can be said.
    """
    return operations < DIFFERENT and 0 <= parameters < _SHARED


def measure_same_job(
    documents: Documents,
    cohesion: Cohesion,
    labels: NDArray[np.int32],
    names: list[str],
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
    *,
    words: NDArray[np.float32],
    parameters: NDArray[np.float32],
    apart: NDArray[np.float32],
) -> SameJob:
    """Judge pairs of toolkits.

    Args:
        labels: (n,) int32 positions of toolkits, -1 for none.
        names: of the toolkits.
        pairs: positions of both toolkits of each pair, (m,) each.
        words, parameters, apart: (m,) as in `AlikePairs`.
    """
    first, second = pairs
    if not len(first):
        return SameJob(np.zeros(0, np.float32), np.zeros(0, np.float32))
    count, involved = len(names), np.union1d(first, second)
    said = shares(documents.name_words, labels, involved, count)
    done = shares(documents.changes, labels, involved, count)
    one, other = said[first], said[second]
    same = row_cosines(one, other, documents.name_word_weights)
    contrast, named = _contrasts(documents, (one - other).tocsr(), names, pairs)
    agreed = np.asarray(done[first].multiply(done[second]).sum(axis=1)).ravel()
    against = (1 - _lost(1 - agreed, 1 - _AGREED[1], 1 - _AGREED[0], _AGREED[2])) * (
        (1 - _lost(contrast, *_CONTRAST)) * (1 - _lost(named, *_NAMED))
    )
    sums, sizes = cohesion.sums, cohesion.sizes
    across = np.einsum("ij,ij->i", sums[first], sums[second]) / (sizes[first] * sizes[second])
    called = np.where(parameters < 0, _UNKNOWN, parameters)
    parts = (
        _scaled(same, *_NAMES),
        _scaled(across, *_VECTORS),
        words,
        _scaled(called, *_PARAMETERS),
    )
    mean = np.prod(
        [part**weight for part, weight in zip(parts, _WEIGHTS, strict=True)], axis=0
    ) ** (1 / sum(_WEIGHTS))
    is_mixed = np.array([name.startswith(_MIXED) for name in names], dtype=np.bool_)
    no_job = np.where(is_mixed[first] | is_mixed[second], 0.7, 1.0)
    stems = {place: name_stems(names[place]).keys() for place in involved.tolist()}
    shared = np.array(
        [
            len(stems[a] & stems[b]) / max(1, min(len(stems[a]), len(stems[b])))
            for a, b in zip(first.tolist(), second.tolist(), strict=True)
        ]
    )
    called_alike = np.where(shared >= 0.5, 1.0, 0.6 + 0.8 * shared)
    sure = mean * against * no_job * called_alike * _scaled(apart, 0, 0.5)
    return SameJob((np.maximum(same, 0) * against).astype(np.float32), sure.astype(np.float32))


def _contrasts(
    documents: Documents,
    differences: Any,
    names: list[str],
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(m,) each: how much both toolkits have a word of their own, and how much the one has a word
    that it is named by and the other is not.

    Args:
        differences: (m, words) csr, share of the names of the first toolkit that have a word, less
            that of the second.
    """
    most = differences.max(axis=1).toarray().ravel()
    least = -differences.min(axis=1).toarray().ravel()
    both = np.maximum(np.minimum(most, least), 0)
    columns = {word: column for column, word in enumerate(documents.name_vocabulary)}
    named = np.zeros(len(both))
    for row, (a, b) in enumerate(zip(*(each.tolist() for each in pairs), strict=True)):
        begin, end = differences.indptr[row : row + 2]
        held = dict(
            zip(
                differences.indices[begin:end].tolist(),
                differences.data[begin:end].tolist(),
                strict=True,
            )
        )
        left, right = name_stems(names[a]).keys(), name_stems(names[b]).keys()
        own = [held.get(columns.get(word, -1), 0.0) for word in left - right]
        others = [-held.get(columns.get(word, -1), 0.0) for word in right - left]
        is_turned = not _DIRECTIONS.isdisjoint(left ^ right)
        named[row] = 1.0 if is_turned else max([0.0, *own, *others])
    return both, named


def _lost(values: NDArray[Any], low: float, high: float, most: float) -> NDArray[np.float64]:
    return most * _scaled(values, low, high)


def _scaled(values: NDArray[Any], low: float, high: float) -> NDArray[np.float64]:
    return np.clip((values - low) / (high - low), 0, 1)
