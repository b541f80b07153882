"""How cases stand, in words, too: what passes with the toolkits as they are now, and what passed
before.

A result counts as of now when the edit that counted then is the one that counts now, so an undo
brings the results of before back, and an edit makes those of before it the past.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.words.formatting import counted, when
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import (
    StoredCaseResult,
    judged_by,
    list_cases,
    results_by_case,
)
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
    results: tuple[StoredCaseResult, ...]
    n_former: int
    now: StoredCaseResult | None
    before: StoredCaseResult | None

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


def _stand(case: Case, found: Sequence[StoredCaseResult], head: int) -> StandingCase:
    mine = judged_by(case)
    results = tuple(each for each in found if each.judged_by == mine)
    return StandingCase(
        case=case,
        results=results,
        n_former=len(found) - len(results),
        now=next((each for each in results if each.edit == head), None),
        before=next((each for each in results if each.edit != head), None),
    )


def _passed(results: Sequence[StoredCaseResult | None]) -> str:
    return f"{sum(bool(each and each.passed) for each in results):,} of {len(results):,}"


_LISTS = {
    "toolkits": "an API answers of {}",
    "toolkits_in_order": "toolkits answer in the order {}",
    "avoided_toolkits": "no API is called of {}",
    "exhausted_toolkits": "no API is left of {}",
    "succeeded_apis": "a call is ok of {}",
    "failed_apis": "a call fails of {}",
    "error_classes": "a failure is of the class {}",
}
_BOUNDS = (("fallback", "fallbacks"), ("replan", "replans"), ("API call", "api_calls"))
_SWITCHES = {
    "parallel": "two steps run at the same time",
    "data_flow": "a call takes an argument from an earlier result",
    "reason_given": "it says why it is not solved",
}


def expectation_lines(expected: Expectation) -> list[str]:
    """What must be true, a line each."""
    return list(_lines(expected))


def _lines(expected: Expectation) -> Iterator[str]:
    if expected.status:
        yield f"it ends as {expected.status.replace('_', ' ')}"
    for text in expected.answer_contains:
        yield f"the answer says “{text}”"
    if expected.answer_any_of:
        yield f"the answer says one of {', '.join(f'“{each}”' for each in expected.answer_any_of)}"
    for name, words in _LISTS.items():
        values: Sequence[str] = getattr(expected, name)
        joint = " > " if name == "toolkits_in_order" else ", "
        if values:
            yield words.format(joint.join(str(each).replace("_", " ") for each in values))
    for noun, name in _BOUNDS:
        least, most = getattr(expected, f"min_{name}"), getattr(expected, f"max_{name}")
        if least is not None:
            yield f"at least {counted(least, noun)}"
        if most is not None:
            yield f"at most {counted(most, noun)}" if most else f"no {noun}"
    if expected.failed_then_ok is not None:
        failed = counted(expected.failed_then_ok, "failed call")
        yield f"a toolkit answers after {failed}"
    if expected.kept_steps is not None:
        yield f"at least {counted(expected.kept_steps, 'step')} kept by a later plan"
    for name, words in _SWITCHES.items():
        if getattr(expected, name):
            yield words


def result_line(result: StoredCaseResult, *, head: int, labels: dict[int, str]) -> str:
    """One run of a case in a line: how it went, when, with which toolkits.

    Args:
        head: the edit that counts now.
        labels: what each edit did.
    """
    word = "passed" if result.passed else "failed"
    state = _state_words(result.edit, head, labels)
    return f"{word} · run {result.run_id} · {when(result.made_us / 1e6)} · {state}"


def _state_words(edit: int, head: int, labels: dict[int, str]) -> str:
    if edit == head:
        return "with the toolkits as they are"
    if edit not in labels:
        return "before the first edit"
    return f"after “{labels[edit]}”"


def standing_lines(each: StandingCase) -> list[str]:
    """Why a case fails, and what is left out of its results."""
    lines = list(each.now.why) if each.now is not None else []
    if each.n_former:
        results = counted(each.n_former, "earlier result")
        lines.append(f"{results} judged by what had to be true then: not counted")
    return lines
