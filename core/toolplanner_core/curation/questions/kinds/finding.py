"""The door of this package: all candidates of the review queue, or those that an edit touched.

The queue calls `find_candidates(evidence, None)` once, and after each edit
`refresh_candidates(candidates, evidence, touched)` with the evidence of `evidence.after_edit`: the
same list as finding all again, in tens of milliseconds. Verdicts are remembered by `Candidate.key`
and hold while `Candidate.evidence` is the same.
"""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.questions.kinds.blamed import find_blamed
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.kinds.descriptions import find_undescribed
from toolplanner_core.curation.questions.kinds.duplicates import find_duplicates
from toolplanner_core.curation.questions.kinds.evidence import (
    Evidence,
    positions_of,
    rechecked_points,
)
from toolplanner_core.curation.questions.kinds.homeless import find_homeless
from toolplanner_core.curation.questions.kinds.merge import find_merges
from toolplanner_core.curation.questions.kinds.merge_groups import find_groups
from toolplanner_core.curation.questions.kinds.move import find_moves
from toolplanner_core.curation.questions.kinds.names import find_misnamed
from toolplanner_core.curation.questions.kinds.split import find_splits
from toolplanner_core.curation.questions.kinds.stand_ins import find_stand_ins
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.isolation import Isolation, PartKind

Find = Callable[[Evidence, NDArray[np.int64] | None], list[Candidate]]

_FINDERS: dict[CandidateKind, Find] = {
    CandidateKind.GROUP: find_groups,
    CandidateKind.MERGE: find_merges,
    CandidateKind.SPLIT: find_splits,
    CandidateKind.MOVE: find_moves,
    CandidateKind.DUPLICATE: find_duplicates,
    CandidateKind.NAME: find_misnamed,
    CandidateKind.DESCRIPTION: find_undescribed,
    CandidateKind.HOMELESS: find_homeless,
    CandidateKind.BLAMED: find_blamed,
    CandidateKind.STAND_IN: find_stand_ins,
}


_ALWAYS_ALL = (CandidateKind.BLAMED, CandidateKind.GROUP, CandidateKind.STAND_IN)
"""Kinds that are found anew after each edit: few, and they depend on what is around."""
_QUESTIONS = PartKind("search for questions", "searches for questions", "some are not asked")
_MOST_FAILURES = 16
"""A search for one kind that fails for more toolkits than this is given up."""


def find_candidates(
    evidence: Evidence, touched: set[ToolkitId] | None, *, isolation: Isolation | None = None
) -> list[Candidate]:
    """What a person should look at, the greatest expected value first.

    Args:
        evidence: the state of the catalogue.
        touched: ids of the toolkits that the last edit touched; only candidates that it may have
            changed are found. None finds all.
        isolation: what remembers the toolkits that no question can be found about.

    Returns:
        Each key once, in a fixed order: the same evidence gives the same list.
    """
    isolation = isolation or Isolation()
    groups = None if touched is None else positions_of(evidence.toolkits, touched)
    return _ordered(one for kind in _FINDERS for one in _found(kind, evidence, groups, isolation))


def _found(
    kind: CandidateKind, evidence: Evidence, groups: NDArray[np.int64] | None, isolation: Isolation
) -> list[Candidate]:
    """The candidates of one kind; where it cannot be searched for all toolkits at once, those of
    all toolkits for which it can."""
    found: dict[str, Candidate] = {}
    waiting = [groups]
    failed = 0
    while waiting and failed < _MOST_FAILURES:
        some = waiting.pop()
        tried = Isolation()
        part = tried.make(_QUESTIONS, partial(_FINDERS[kind], evidence, some), lambda: None)
        if part is not None:
            found.update({one.key: one for one in part})
            continue
        asked = np.arange(len(evidence.toolkits)) if some is None else some
        if len(asked) < 2:
            isolation.add(tried.failures)
            failed += 1
        else:
            waiting += np.array_split(asked, 2)
    return list(found.values())


def refresh_candidates(
    before: Iterable[Candidate],
    evidence: Evidence,
    touched: set[ToolkitId],
    *,
    isolation: Isolation | None = None,
) -> list[Candidate]:
    """The candidates after an edit: those it may have changed are dropped and found anew.

    Args:
        before: the candidates before the edit.
        evidence: of `after_edit`.
        touched: ids of all toolkits that lost or gained members or changed name, description, pin
            or runs.
        isolation: as of `find_candidates`.
    """
    groups = positions_of(evidence.toolkits, touched)
    rechecked = set(evidence.rowids[rechecked_points(evidence, groups)].tolist())
    kept = [one for one in before if not _is_stale(one, touched, rechecked)]
    found = find_candidates(evidence, touched, isolation=isolation)
    return _ordered({one.key: one for one in (*kept, *found)}.values())


def _is_stale(candidate: Candidate, touched: set[ToolkitId], rechecked: set[int]) -> bool:
    if candidate.kind in _ALWAYS_ALL or not touched.isdisjoint(candidate.toolkits):
        return True
    if candidate.kind is CandidateKind.HOMELESS and len(candidate.apis) > 1:
        return True
    if candidate.kind not in (CandidateKind.MOVE, CandidateKind.HOMELESS):
        return False
    return not rechecked.isdisjoint(candidate.apis)


def _ordered(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: (-one.expected_value, one.key))
