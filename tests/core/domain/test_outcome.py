"""What a run is shown as, from its outcome, its evidence and its verdicts."""

import pytest

from toolplanner_core.domain.outcome import (
    AnswerVerdict,
    EvidenceLevel,
    RunOutcome,
    VerdictSource,
    deciding_verdict,
    status_of,
)
from toolplanner_core.domain.plan import Status

COMPLETE, NOT_CHECKED, NOT_SHOWN, AGAINST = (
    EvidenceLevel.COMPLETE,
    EvidenceLevel.NOT_CHECKED,
    EvidenceLevel.NOT_SHOWN,
    EvidenceLevel.AGAINST,
)


def says(*solved: bool, source: VerdictSource = VerdictSource.JUDGE) -> list[AnswerVerdict]:
    return [AnswerVerdict(source=source, solved=each) for each in solved]


@pytest.mark.parametrize(
    ("level", "verdicts", "shown"),
    [
        (COMPLETE, [], Status.SOLVED),
        (NOT_CHECKED, [], Status.ANSWERED),
        (AGAINST, [], Status.UNSOLVED),
        (COMPLETE, says(True), Status.SOLVED),
        (NOT_CHECKED, says(True), Status.SOLVED),
        (AGAINST, says(True), Status.CONTRADICTED),
        (COMPLETE, says(False), Status.CONTRADICTED),
        (NOT_CHECKED, says(False), Status.UNSOLVED),
        (AGAINST, says(False), Status.UNSOLVED),
        (NOT_CHECKED, says(True, False), Status.UNSOLVED),
        (NOT_CHECKED, says(True, source=VerdictSource.PERSON) + says(False), Status.SOLVED),
        (NOT_CHECKED, says(False, source=VerdictSource.STRATEGY) + says(True), Status.SOLVED),
        (NOT_CHECKED, says(True, source=VerdictSource.STRATEGY), Status.SOLVED),
        (NOT_SHOWN, says(True, source=VerdictSource.STRATEGY), Status.ANSWERED),
        (NOT_SHOWN, says(True), Status.SOLVED),
        (NOT_SHOWN, [], Status.ANSWERED),
    ],
)
def test_run_when_it_answered_then_shown_by_evidence_and_the_verdict_that_counts(
    level: EvidenceLevel, verdicts: list[AnswerVerdict], shown: Status
) -> None:
    assert status_of(RunOutcome.ANSWERED, level, verdicts) is shown


@pytest.mark.parametrize(
    "outcome", [each for each in RunOutcome if each is not RunOutcome.ANSWERED]
)
def test_run_when_it_did_not_answer_then_no_verdict_makes_it_solved(outcome: RunOutcome) -> None:
    assert status_of(outcome, COMPLETE, says(True)) not in (Status.SOLVED, Status.ANSWERED)


def test_verdict_when_stored_then_read_back_and_one_of_an_earlier_program_is_a_judges() -> None:
    verdict = AnswerVerdict(
        source=VerdictSource.EXPECTATION, solved=True, reason="as expected", who="case a",
        version=2, prompt_hash="ab", votes=(True, False),
    )  # fmt: skip
    assert AnswerVerdict.from_json(verdict.to_json()) == verdict
    former = AnswerVerdict.from_json({"solved": False, "reason": "no", "model": "openai:judge"})
    assert (former.source, former.who) == (VerdictSource.JUDGE, "openai:judge")
    assert deciding_verdict([]) is None
