"""What answers to questions about merges say of other such questions.

An edit nearby makes another group of the same toolkits: what a person kept apart, by a no or by
leaving a toolkit out, is not proposed again under another key.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations

from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.workspace.verdicts import StoredVerdict, Verdict

_PAIR = 2
_MERGES = (CandidateKind.GROUP, CandidateKind.MERGE)


class GroupsApart:
    """Which toolkits a person kept from joining which, and by which answers.

    Args:
        answers: those that count.
    """

    def __init__(self, answers: Iterable[StoredVerdict] = ()) -> None:
        self._by: defaultdict[frozenset[int], set[str]] = defaultdict(set)
        for answer in answers:
            if answer.kind not in _MERGES:
                continue
            into, *others = answer.shown.get("toolkits", [0])
            is_no = answer.verdict is Verdict.REJECTED
            for other in others if is_no else answer.shown.get("left_out", []):
                self._by[frozenset((into, other))].add(answer.key)

    def settle(self, candidate: Candidate) -> bool:
        """Whether it is about a merge, and answers to other questions kept all of its toolkits from
        the one that stays."""
        if candidate.kind not in _MERGES:
            return False
        into, *others = candidate.toolkits
        return all(
            self._by.get(frozenset((into, other)), set()) - {candidate.key} for other in others
        )


def without_doubled(candidates: Iterable[Candidate]) -> list[Candidate]:
    """These, each merge of two toolkits once: with the others of its group, or of those that do the
    same job for sure; else as a pair."""
    listed = list(candidates)
    pairs = {frozenset(one.toolkits) for one in listed if one.kind is CandidateKind.MERGE}
    grouped = {
        frozenset(pair)
        for one in listed
        if one.kind is CandidateKind.GROUP and (one.is_sure or len(one.toolkits) > _PAIR)
        for pair in combinations(one.toolkits, _PAIR)
    }

    def is_asked(one: Candidate) -> bool:
        match one.kind:
            case CandidateKind.MERGE:
                return frozenset(one.toolkits) not in grouped
            case CandidateKind.GROUP:
                return (
                    one.is_sure or len(one.toolkits) > _PAIR or frozenset(one.toolkits) not in pairs
                )
            case _:
                return True

    return [one for one in listed if is_asked(one)]
