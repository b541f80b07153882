"""Several toolkits that may do the same job, asked about in one step: one stays, others join it.

Each toolkit is offered to the larger ones that it is most alike (`kinds/alike.py`); those offered
to one toolkit make a question, from which a person leaves out what does not belong. A toolkit that
is pinned, or whose name a person gave, may be joined and never ends.

One answer does what as many single merges would, so that its gain is the sum of theirs. An API of
another tool counts most: only such a one can stand in when a tool fails.

Measured: of 49 groups marked by hand at 45,284 APIs (`tests/data/marked_merge_groups.json`) 36
are among the first 300 questions.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from toolplanner_core.curation.questions.kinds.alike import AlikePairs
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.kinds.documents import name_stems
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.kinds.signals import percent, ramp
from toolplanner_core.domain.ids import ToolkitId

_SECOND_CHOICE = 0.8
"""A toolkit is offered to others, too, that are so alike, as a share of the one most alike."""

_BAND = 0.6
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
    stays, joins = _directions(evidence, pairs)
    likeness = pairs.likeness
    offered: dict[int, float] = {}
    chosen: defaultdict[int, list[int]] = defaultdict(list)
    for pair in np.lexsort((pairs.second, pairs.first, -likeness)).tolist():
        joining = int(joins[pair])
        if joining < 0:
            continue
        best = offered.setdefault(joining, float(likeness[pair]))
        target = chosen[int(stays[pair])]
        is_alike = not target or likeness[pair] >= _BAND * likeness[target[0]]
        if likeness[pair] >= _SECOND_CHOICE * best and is_alike and len(target) < _MOST - 1:
            target.append(pair)
    order = np.argsort(evidence.labels, kind="stable")
    begins = np.searchsorted(evidence.labels[order], np.arange(len(evidence.toolkits) + 1))
    found: list[Candidate] = []
    asked = _widest({target: [int(joins[p]) for p in own] for target, own in chosen.items()})
    for target, members in chosen.items():
        if target in asked:
            places = [int(joins[pair]) for pair in members]
            points = [order[begins[place] : begins[place + 1]] for place in places]
            rowids = evidence.rowids_of(np.concatenate(points))
            found.append(_candidate(evidence, target, places, members, rowids))
    return found


def _widest(groups: Mapping[int, Sequence[int]]) -> set[int]:
    """The toolkits that stay in groups with members which are no part of another group.

    Args:
        groups: by the position of the toolkit that stays.
    """
    within: defaultdict[int, set[int]] = defaultdict(set)
    for target, members in groups.items():
        for one in (target, *members):
            within[one].add(target)
    return {
        target
        for target, members in groups.items()
        if members
        and set.intersection(within[target], *(within[one] for one in members)) == {target}
    }


def _directions(evidence: Evidence, pairs: AlikePairs) -> tuple[np.ndarray, np.ndarray]:
    """(m,) positions of the toolkit that stays in each pair and of the one that joins it; -1 where
    none may end."""
    sizes = evidence.cohesion.sizes
    is_held = np.array([toolkit.is_held for toolkit in evidence.toolkits], dtype=np.bool_)
    one, other = pairs.first, pairs.second
    is_first = np.where(is_held[one] == is_held[other], sizes[one] >= sizes[other], is_held[one])
    joins = np.where(is_first, other, one)
    return np.where(is_first, one, other), np.where(is_held[joins], -1, joins)


def _candidate(
    evidence: Evidence, target: int, places: list[int], members: list[int], rowids: tuple[int, ...]
) -> Candidate:
    sizes, toolkits = evidence.cohesion.sizes, evidence.toolkits
    name, names = toolkits[target].name, [toolkits[place].name for place in places]
    others = f"“{names[0]}”" if len(names) == 1 else f"“{names[0]}” and {len(names) - 1} more"
    ids = (evidence.id_of(target), *(evidence.id_of(place) for place in places))
    counts = _SAME_TOOL + (1 - _SAME_TOOL) * evidence.alike.apart[members]
    return Candidate(
        kind=CandidateKind.GROUP,
        about=tuple(sorted(ids)),
        title=f"Merge {others} into “{name}”?",
        toolkits=ids,
        apis=rowids,
        signals=_signals(evidence, target, places, members),
        gain=float((np.log2(1 + sizes[places]) * counts).sum()),
    )


def _signals(
    evidence: Evidence, target: int, places: list[int], members: list[int]
) -> dict[str, Signal]:
    """Each the mean over the toolkits that would join."""
    pairs = evidence.alike.only(np.array(members))
    cosines = ", ".join(f"{each:.2f}" for each in pairs.centroids)
    signals = {
        "meaning": Signal(float(pairs.meaning.mean()), f"Meaning: cosine of centroids {cosines}"),
        "words": Signal(
            float(pairs.words.mean()),
            f"Words: their documentation is alike by {percent(pairs.words.mean())}",
        ),
        "names": Signal(float(pairs.names.mean()), _said(evidence, target, places)),
    }
    told = pairs.parameters[pairs.parameters >= 0]
    if len(told):
        signals["parameters"] = Signal(
            float(told.mean()), f"Parameters: {percent(told.mean())} in common"
        )
    if runs := _stepped_in(evidence, target, places):
        signals["runs"] = Signal(
            ramp(runs, low=0, high=2), f"Runs: one stepped in for another {runs} times"
        )
    return signals


def _said(evidence: Evidence, target: int, places: list[int]) -> str:
    own = name_stems(evidence.toolkits[target].name)
    all_stems = [name_stems(evidence.toolkits[place].name) for place in places]
    both = [word for stem, word in own.items() if all(stem in each for each in all_stems)]
    if both:
        return f"Names: all say “{', '.join(both[:3])}”"
    some = sum(not own.keys().isdisjoint(each) for each in all_stems)
    if not some:
        return "Names: they share no word"
    return f"Names: {some} of {len(places)} share a word with it"


def _stepped_in(evidence: Evidence, target: int, places: list[int]) -> int:
    """How often runs took one of those that would join for the target, or the other way round."""
    kept, others = evidence.id_of(target), [evidence.id_of(place) for place in places]
    runs = evidence.runs

    def replaced(one: ToolkitId, by: ToolkitId) -> int:
        return runs[one].replanned_to.get(by, 0) if one in runs else 0

    return sum(replaced(kept, other) + replaced(other, kept) for other in others)
