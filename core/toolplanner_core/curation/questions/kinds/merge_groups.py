"""Several toolkits that may do the same job, asked about in one step: one stays, others join it.

Each toolkit is offered to the larger ones that it is most alike (`kinds/alike.py`); those offered
to one toolkit make a question, from which a person leaves out what does not belong. A toolkit that
is pinned, or whose name a person gave, may be joined and never ends.

One answer does what as many single merges would, so that its gain is the sum of theirs. An API of
another tool counts most: only such a one can stand in when a tool fails.

Toolkits that do the same job for sure (`kinds/same_job.py`) are asked about apart from those that
may, and before all else.

Measured: of 49 groups marked by hand at 45,284 APIs (`tests/data/marked_merge_groups.json`) 36
are among the first 300 questions.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.questions.kinds.alike import AlikePairs
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.kinds.documents import name_stems
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.kinds.same_job import SURE, do_differ
from toolplanner_core.curation.questions.kinds.signals import percent, ramp
from toolplanner_core.domain.ids import ToolkitId

_SECOND_CHOICE = 0.8
"""A toolkit is offered to others, too, that are so alike, as a share of the one most alike."""

_BAND = 0.7
"""What joins is at least so alike, as a share of what is most alike in the group."""

_MOST = 4
"""Toolkits of a group: more are not looked at with care."""

_SAME_TOOL = 0.1
"""What an API counts that is of the same tool as those it would join."""


def find_groups(evidence: Evidence, _groups: object) -> list[Candidate]:
    """All groups, found anew after each edit: some milliseconds at 45,000 APIs."""
    pairs = evidence.alike
    if not len(pairs.first):
        return []
    stays, joins = (ends.tolist() for ends in _directions(evidence, pairs))
    likeness = pairs.likeness
    values: list[float] = likeness.tolist()
    operations: list[float] = pairs.operations.tolist()
    parameters: list[float] = pairs.parameters.tolist()
    offered: dict[int, float] = {}
    chosen: defaultdict[int, list[int]] = defaultdict(list)
    for pair in np.lexsort((pairs.second, pairs.first, -likeness)).tolist():
        joining, value = joins[pair], values[pair]
        if joining < 0 or do_differ(operations[pair], parameters[pair]):
            continue
        best = offered.setdefault(joining, value)
        target = chosen[stays[pair]]
        is_alike = not target or value >= _BAND * values[target[0]]
        if value >= _SECOND_CHOICE * best and is_alike and len(target) < _MOST - 1:
            target.append(pair)
    figures = [*map(_Figures, *(getattr(pairs, name).tolist() for name in _Figures._fields))]
    order = np.argsort(evidence.labels, kind="stable")
    begins = np.searchsorted(evidence.labels[order], np.arange(len(evidence.toolkits) + 1)).tolist()
    rowids = evidence.rowids[order].tolist()
    groups = [
        _Group(target, members, [joins[pair] for pair in members], is_sure)
        for target, own in chosen.items()
        for is_sure, members in _by_sureness(own, figures).items()
    ]
    found: list[Candidate] = []
    for group in _widest(groups):
        apis = [rowids[begins[place] : begins[place + 1]] for place in group.joining]
        alike = [figures[pair] for pair in group.pairs]
        found.append(_candidate(evidence, group, alike, apis))
    return found


class _Group(NamedTuple):
    """A toolkit that stays, positions of those that would join it, and the pairs that say so."""

    stays: int
    pairs: Sequence[int]
    joining: Sequence[int]
    is_sure: bool

    @property
    def toolkits(self) -> frozenset[int]:
        return frozenset((self.stays, *self.joining))


def _by_sureness(pairs: Sequence[int], figures: Sequence["_Figures"]) -> dict[bool, list[int]]:
    """The pairs of one toolkit that do the same job for sure, and the others: they are asked about
    apart, so that a yes to the first needs no choice."""
    found: dict[bool, list[int]] = {}
    for pair in pairs:
        found.setdefault(figures[pair].sure >= SURE, []).append(pair)
    return found


def _widest(groups: Sequence[_Group]) -> list[_Group]:
    """The groups that are no part of another one, a sure one only of another sure one."""
    within: defaultdict[int, set[int]] = defaultdict(set)
    for number, group in enumerate(groups):
        for one in group.toolkits:
            within[one].add(number)

    def is_part(number: int, group: _Group) -> bool:
        size = len(group.toolkits)
        wider = set.intersection(*(within[one] for one in group.toolkits)) - {number}
        return any(
            (groups[other].is_sure or not group.is_sure)
            and (len(groups[other].toolkits), -other) > (size, -number)
            for other in wider
        )

    return [group for number, group in enumerate(groups) if not is_part(number, group)]


def _directions(
    evidence: Evidence, pairs: AlikePairs
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(m,) positions of the toolkit that stays in each pair and of the one that joins it; -1 where
    none may end."""
    sizes = evidence.cohesion.sizes
    is_held = np.array([toolkit.is_held for toolkit in evidence.toolkits], dtype=np.bool_)
    one, other = pairs.first, pairs.second
    is_first = np.where(is_held[one] == is_held[other], sizes[one] >= sizes[other], is_held[one])
    joins = np.where(is_first, other, one)
    return np.where(is_first, one, other), np.where(is_held[joins], -1, joins)


class _Figures(NamedTuple):
    """How much a toolkit is like the one that it would join, as in `AlikePairs`."""

    centroids: float
    meaning: float
    words: float
    names: float
    parameters: float
    apart: float
    operations: float
    sure: float


def _candidate(
    evidence: Evidence,
    group: _Group,
    alike: Sequence[_Figures],
    apis: Sequence[Sequence[int]],
) -> Candidate:
    """The question about the toolkit that stays and those that would join it.

    Args:
        alike, apis: of each toolkit that would join.
    """
    toolkits, target, places = evidence.toolkits, group.stays, group.joining
    name, names = toolkits[target].name, [toolkits[place].name for place in places]
    others = f"“{names[0]}”" if len(names) == 1 else f"“{names[0]}” and {len(names) - 1} more"
    ids = (evidence.id_of(target), *(evidence.id_of(place) for place in places))
    return Candidate(
        kind=CandidateKind.GROUP,
        about=tuple(sorted(ids)),
        title=f"Merge {others} into “{name}”?",
        toolkits=ids,
        apis=tuple(chain.from_iterable(apis)),
        signals=_signals(evidence, target, places, alike),
        gain=sum(
            log2(1 + len(own)) * (_SAME_TOOL + (1 - _SAME_TOOL) * one.apart)
            for own, one in zip(apis, alike, strict=True)
        ),
        confidence=_mean([one.sure for one in alike]) if group.is_sure else None,
    )


def _signals(
    evidence: Evidence, target: int, places: Sequence[int], alike: Sequence[_Figures]
) -> dict[str, Signal]:
    """Each the mean over the toolkits that would join."""
    cosines = ", ".join(f"{one.centroids:.2f}" for one in alike)
    words = _mean([one.words for one in alike])
    signals = {
        "meaning": Signal(
            _mean([one.meaning for one in alike]), f"Meaning: cosine of centroids {cosines}"
        ),
        "words": Signal(words, f"Words: their documentation is alike by {percent(words)}"),
        "names": Signal(_mean([one.names for one in alike]), _said(evidence, target, places)),
    }
    operations = _mean([one.operations for one in alike])
    signals["operation"] = Signal(
        operations, f"Operation: the names of their APIs say the same by {percent(operations)}"
    )
    if told := [one.parameters for one in alike if one.parameters >= 0]:
        signals["parameters"] = Signal(_mean(told), f"Parameters: {percent(_mean(told))} in common")
    if runs := _stepped_in(evidence, target, places):
        signals["runs"] = Signal(
            ramp(runs, low=0, high=2), f"Runs: one stepped in for another {runs} times"
        )
    return signals


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _said(evidence: Evidence, target: int, places: Sequence[int]) -> str:
    own = name_stems(evidence.toolkits[target].name)
    all_stems = [name_stems(evidence.toolkits[place].name) for place in places]
    both = [word for stem, word in own.items() if all(stem in each for each in all_stems)]
    if both:
        return f"Names: all say “{', '.join(both[:3])}”"
    some = sum(not own.keys().isdisjoint(each) for each in all_stems)
    if not some:
        return "Names: they share no word"
    return f"Names: {some} of {len(places)} share a word with it"


def _stepped_in(evidence: Evidence, target: int, places: Sequence[int]) -> int:
    """How often runs took one of those that would join for the target, or the other way round."""
    runs = evidence.runs
    if not runs:
        return 0
    kept, others = evidence.id_of(target), [evidence.id_of(place) for place in places]

    def replaced(one: ToolkitId, by: ToolkitId) -> int:
        return runs[one].replanned_to.get(by, 0) if one in runs else 0

    return sum(replaced(kept, other) + replaced(other, kept) for other in others)
