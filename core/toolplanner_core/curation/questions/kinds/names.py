"""A toolkit whose name does not fit: its words are not its members' words, or are another's."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.misfits import neighbour_mixing
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind, Signal
from toolplanner_core.curation.questions.kinds.documents import name_stems
from toolplanner_core.curation.questions.kinds.evidence import Evidence, rechecked_points
from toolplanner_core.curation.questions.kinds.group_shares import shares
from toolplanner_core.curation.questions.kinds.signals import asked_groups, percent, ramp
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.words.formatting import counted

_FITS = 0.4
"""A name whose words are, on average, in at least this share of the members fits."""
_AT_ONCE = 5_000
"""Toolkits in one table of the words of their names: of all at once it would grow by the square of
a catalogue, to 10 GB for a million APIs."""


def find_misnamed(evidence: Evidence, groups: NDArray[np.int64] | None) -> list[Candidate]:
    """Toolkits with a name that their members do not bear out and that no person gave; with
    `groups`, these and the toolkits around them."""
    if groups is not None:
        around = np.unique(evidence.labels[rechecked_points(evidence, groups)])
        groups = np.union1d(groups, around[around >= 0])
    asked = asked_groups(evidence, groups)
    asked = asked[evidence.cohesion.sizes[asked] > 1]
    is_free = [evidence.toolkits[i].name_author is not Author.PERSON for i in asked.tolist()]
    asked = asked[np.array(is_free, dtype=np.bool_)]
    if not len(asked):
        return []
    count = len(evidence.toolkits)
    mixing = neighbour_mixing(evidence.labels, evidence.neighbours, count, touched=asked)
    found: list[Candidate] = []
    for begin in range(0, len(asked), _AT_ONCE):
        found += _misnamed(evidence, asked[begin : begin + _AT_ONCE], mixing)
    return found


def _misnamed(evidence: Evidence, asked: NDArray[np.int64], mixing: Any) -> list[Candidate]:
    """Those of some toolkits, whose names and words are compared in one table."""
    columns = {group: _columns(evidence, group) for group in asked.tolist()}
    nearest = {group: _nearest(mixing, group) for group in asked.tolist()}
    involved = np.union1d(asked, [one for one in nearest.values() if one >= 0]).astype(np.int64)
    spoken = sorted({one for own, _ in columns.values() for one in own})
    position = {column: i for i, column in enumerate(spoken)}
    words = evidence.documents.words[:, spoken]
    table = shares(words, evidence.labels, involved, len(evidence.toolkits))[involved].toarray()
    row = {group: i for i, group in enumerate(involved.tolist())}
    found: list[Candidate] = []
    for group, (own, n_words) in columns.items():
        if not n_words:
            continue
        at = [position[one] for one in own]
        coverage = float(table[row[group], at].sum()) / n_words
        other = nearest[group]
        elsewhere = float(table[row[other], at].sum()) / n_words if other >= 0 else 0.0
        if coverage < _FITS:
            found.append(_candidate(evidence, group, coverage, other, elsewhere))
    return found


def _columns(evidence: Evidence, group: int) -> tuple[list[int], int]:
    """Columns of the words of a toolkit's name that occur at all, and how many words it has."""
    stems = name_stems(evidence.toolkits[group].name)
    vocabulary = evidence.documents.vocabulary
    return [vocabulary[one] for one in sorted(stems) if one in vocabulary], len(stems)


def _nearest(mixing: Any, group: int) -> int:
    """The toolkit that most neighbours are shared with, the first of equal ones; -1 for none."""
    row = slice(mixing.indptr[group], mixing.indptr[group + 1])
    near, strength = mixing.indices[row], mixing.data[row]
    return int(near[strength == strength.max()].min()) if len(near) else -1


def _candidate(
    evidence: Evidence, group: int, coverage: float, other: int, elsewhere: float
) -> Candidate:
    toolkit = evidence.toolkits[group]
    size = int(evidence.cohesion.sizes[group])
    signals = {
        "members": Signal(
            ramp(1 - coverage, low=1 - _FITS - 0.2, high=1),
            f"Members: a word of the name is in {percent(coverage)} of them on average",
        )
    }
    toolkits = [toolkit.id]
    if other >= 0:
        toolkits.append(evidence.id_of(other))
        signals["other toolkit"] = Signal(
            ramp(elsewhere - coverage, low=-0.4, high=0.4),
            f"Other toolkit: {percent(elsewhere)} in the nearest one,"
            f" “{evidence.toolkits[other].name}”",
        )
    cohesion = float(evidence.cohesion.cohesion[group])
    signals["cohesion"] = Signal(
        cohesion, f"Fit: {cohesion:.2f}; the closer the members, the surer there is a name"
    )
    return Candidate(
        kind=CandidateKind.NAME,
        about=(toolkit.id,),
        title=f"Does the name “{toolkit.name}” fit its {counted(size, 'API')}?",
        toolkits=tuple(toolkits),
        apis=(),
        signals=signals,
        gain=float(np.log2(1 + size)) / 2,
    )
