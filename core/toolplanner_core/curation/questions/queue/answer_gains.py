"""Which merges of two and which splits are worth asking about: those after which the APIs lie
better than before, so that no card argues against itself.

Signals say that two toolkits are alike; most pairs that are alike are two good toolkits beside one
another. Of 678 such pairs of the ToolBench catalogue a merge lowers the silhouette of 494. They are
not asked, unless runs took the one for the other or the smaller one is made of copies of the other.
Of 817 splits it lowers that of 111.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import unit
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.kinds.evidence import Evidence

_MEASURED = (CandidateKind.MERGE, CandidateKind.SPLIT)
_BLOCK = 1000
_COPIED = 0.5
"""Share of the smaller toolkit that the other has, too, from which a merge is asked anyway."""


class AnswerGains:
    """Remembers what each answer would do to the silhouette as of when its question came up."""

    def __init__(self) -> None:
        self._gains: dict[str, tuple[Candidate, float]] = {}

    def follow(self, evidence: Evidence, candidates: Iterable[Candidate]) -> None:
        """Measure those that are new or whose evidence changed; a second for the first 1,500."""
        asked = {one.key: one for one in candidates if one.kind in _MEASURED}
        known = {key: of for key, of in self._gains.items() if asked.get(key) == of[0]}
        new = [one for key, one in asked.items() if key not in known]
        merges = [one for one in new if one.kind is CandidateKind.MERGE]
        splits = [one for one in new if one.kind is CandidateKind.SPLIT]
        gains = silhouette_gains(evidence, merges)
        self._gains = known | {
            one.key: (one, 1.0 if _is_asked_anyway(evidence, one) else gain)
            for one, gain in zip(merges, gains, strict=True)
        }
        places = {one.id: place for place, one in enumerate(evidence.toolkits)}
        for one in splits:
            place = places[one.toolkits[0]]
            self._gains[one.key] = (one, silhouette_gain_of_split(evidence, one, place))

    def is_worth(self, candidate: Candidate) -> bool:
        """Whether it is asked; what is not measured is."""
        found = self._gains.get(candidate.key)
        return found is None or found[1] > 0


def silhouette_gains(evidence: Evidence, merges: Sequence[Candidate]) -> list[float]:
    """By how much each merge would raise the mean silhouette of the APIs of its toolkits.

    What `effect_of_answer` says of it, for many at once: a point whose most similar other
    toolkit is not the partner keeps it.
    """
    if not merges:
        return []
    places = {one.id: place for place, one in enumerate(evidence.toolkits)}
    pairs = np.array([[places[toolkit] for toolkit in one.toolkits[:2]] for one in merges])
    order = np.argsort(evidence.labels, kind="stable")
    begins = np.searchsorted(evidence.labels[order], pairs)
    ends = np.searchsorted(evidence.labels[order], pairs + 1)
    inside = [
        np.concatenate((order[begin[0] : end[0]], order[begin[1] : end[1]]))
        for begin, end in zip(begins, ends, strict=True)
    ]
    points = np.concatenate(inside)
    of_pair = np.repeat(np.arange(len(pairs)), [len(own) for own in inside])
    after = _silhouettes_after(evidence, points, pairs[of_pair])
    change = after - evidence.cohesion.silhouette[points]
    return (np.bincount(of_pair, change) / np.bincount(of_pair)).tolist()


def silhouette_gain_of_split(evidence: Evidence, split: Candidate, place: int) -> float:
    """By how much a split would raise the mean silhouette of the APIs of its toolkit.

    Args:
        place: position of the toolkit.
    """
    cohesion, vectors = evidence.cohesion, evidence.vectors
    points = np.flatnonzero(evidence.labels == place)
    part = np.isin(evidence.rowids[points], split.apis).astype(np.int64)
    sizes = np.bincount(part, minlength=2)
    if not sizes.all():
        return 0.0
    own = vectors[points]
    sums = np.stack([own[part == one].sum(axis=0) for one in (0, 1)])
    rows, towards = np.arange(len(points)), own @ sums.T
    within = np.maximum(1 - (towards[rows, part] - 1) / np.maximum(sizes[part] - 1, 1), 0)
    twin = 1 - towards[rows, 1 - part] / sizes[1 - part]
    other = cohesion.other[points]
    beyond = 1 - np.einsum("ij,ij->i", own, cohesion.sums[other]) / np.maximum(
        cohesion.sizes[other], 1
    )
    is_beyond = (other >= 0) & (
        cohesion.other_cosine[points] >= (own @ unit(sums).T)[rows, 1 - part]
    )
    away = np.maximum(np.where(is_beyond, beyond, twin), 0)
    greatest = np.maximum(np.maximum(within, away), 1e-12)
    after = np.where(sizes[part] > 1, (away - within) / greatest, 0)
    return float(after.mean() - cohesion.silhouette[points].mean())


def _silhouettes_after(
    evidence: Evidence, points: NDArray[np.int64], pairs: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(m,) of each point if the two toolkits beside it were one."""
    cohesion, vectors = evidence.cohesion, evidence.vectors
    sums, sizes = cohesion.sums, cohesion.sizes
    other = cohesion.other[points].astype(np.int64)
    again = np.flatnonzero((other[:, None] == pairs).any(axis=1))
    centres = unit(sums)
    for begin in range(0, len(again), _BLOCK):
        rows = again[begin : begin + _BLOCK]
        cosine = vectors[points[rows]] @ centres.T
        cosine[:, sizes == 0] = -2
        np.put_along_axis(cosine, pairs[rows], -2, axis=1)
        best = cosine.argmax(axis=1)
        other[rows] = np.where(cosine[np.arange(len(rows)), best] > -2, best, -1)
    own = vectors[points]
    n = sizes[pairs].sum(axis=1)
    towards = np.einsum("ij,ij->i", own, sums[pairs[:, 0]] + sums[pairs[:, 1]]) - 1
    within = np.maximum(1 - towards / np.maximum(n - 1, 1), 0)
    away = np.maximum(1 - np.einsum("ij,ij->i", own, sums[other]) / np.maximum(sizes[other], 1), 0)
    greatest = np.maximum(np.maximum(within, away), 1e-12)
    return np.where(other >= 0, (away - within) / greatest, 0)


def _is_asked_anyway(evidence: Evidence, merge: Candidate) -> bool:
    if "runs" in merge.signals:
        return True
    kept, gone = (evidence.place_of(toolkit) for toolkit in merge.toolkits)
    sets = [evidence.labels[one] for one in evidence.copies]
    copied = sum(int((one == gone).sum()) for one in sets if kept in one)
    return copied >= _COPIED * int(evidence.cohesion.sizes[gone])
