"""How cases stand: what passes with the toolkits as they are now, and what passed before.

A result counts as of now when the edit that counted then is the one that counts now, so an undo
brings the results of before back, and an edit makes those of before it the past.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.domain.cases import Case
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.case_results import StoredResult, judged_by, results_by_case
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.edit_history import read_head

_WORST_FIRST = ("fails now", "fails", "not run since", "not run", "passes again", "passes")


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingCase:
    """A case and how its runs went.

    Attributes:
        results: the newest first, only those judged by what is expected of it now.
        n_former: results that were judged by something else.
        now: the newest with the toolkits as they are; None if it has not run since.
        before: the newest with the toolkits as they were at another point; None if there is none.
    """

    case: Case
    results: tuple[StoredResult, ...]
    n_former: int
    now: StoredResult | None
    before: StoredResult | None

    @property
    def word(self) -> str:
        """How it stands, in a word or two."""
        if self.now is None:
            return "not run" if self.before is None else "not run since"
        if self.before is None or self.before.passed == self.now.passed:
            return "passes" if self.now.passed else "fails"
        return "passes again" if self.now.passed else "fails now"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStandings:
    """All cases of a workspace."""

    cases: tuple[StandingCase, ...]

    @property
    def worst_first(self) -> tuple[StandingCase, ...]:
        """What fails before what is not known and what passes; in their own order else."""
        return tuple(sorted(self.cases, key=lambda each: _WORST_FIRST.index(each.word)))

    @property
    def changed(self) -> tuple[StandingCase, ...]:
        """Those that pass now and did not before, or the other way round."""
        return tuple(each for each in self.cases if each.word in ("passes again", "fails now"))

    @property
    def words(self) -> str:
        """The pass rate now and before the last edits, in one line.

        Before and now are compared over the cases that have both: a rate of other cases would
        say nothing about the edits.
        """
        ran = [each for each in self.cases if each.now is not None]
        if not ran:
            return f"{counted(len(self.cases), 'case')}, none run with the toolkits as they are"
        parts = [f"{_passed([each.now for each in ran])} pass now"]
        both = [each for each in ran if each.before is not None]
        if both:
            of = "" if len(both) == len(ran) else f" (of the {len(both):,} that ran then)"
            parts.append(f"{_passed([each.before for each in both])} before the last edits{of}")
        words = [each.word for each in self.cases if each.now is None]
        for word, told in (("not run since", "not run since"), ("not run", "not run yet")):
            if n := words.count(word):
                parts.append(f"{n:,} {told}")
        return " · ".join(parts)


def read_standing(workspace: Workspace) -> CaseStandings:
    """How all cases stand. Blocks."""
    head = read_head(workspace.reader())
    by_case = results_by_case(workspace)
    return CaseStandings(
        cases=tuple(_stand(case, by_case.get(case.id, ()), head) for case in list_cases(workspace))
    )


def _stand(case: Case, found: Sequence[StoredResult], head: int) -> StandingCase:
    mine = judged_by(case)
    results = tuple(each for each in found if each.judged_by == mine)
    return StandingCase(
        case=case,
        results=results,
        n_former=len(found) - len(results),
        now=next((each for each in results if each.edit == head), None),
        before=next((each for each in results if each.edit != head), None),
    )


def _passed(results: Sequence[StoredResult | None]) -> str:
    return f"{sum(bool(each and each.passed) for each in results):,} of {len(results):,}"
