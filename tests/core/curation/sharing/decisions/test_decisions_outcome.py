"""What is said of decisions of others, before and after they are applied."""

from collections.abc import Sequence

import pytest

from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.curation.sharing.decisions.outcome import (
    ApplyReport,
    DecisionOutcome,
    DecisionVerdict,
)
from toolplanner_core.domain.ids import EditId

APPLIED, CONFLICT = DecisionVerdict.APPLIED, DecisionVerdict.CONFLICT
ALREADY, IN_PART = DecisionVerdict.ALREADY, DecisionVerdict.IN_PART


def report_of(verdicts: Sequence[DecisionVerdict]) -> ApplyReport:
    made = Decision(
        key="k", kind="merge", label="Merge", asked={}, toolkits={}, makes=(), before={}, after={}
    )
    outcomes = tuple(
        DecisionOutcome(number=number, decision=made, verdict=verdict, against={})
        for number, verdict in enumerate(verdicts, 1)
    )
    return ApplyReport(point=EditId(0), outcomes=outcomes)


@pytest.mark.parametrize(
    ("verdicts", "before", "after"),
    [
        ([APPLIED] * 2, "2 decisions: 2 can be applied", "2 decisions: 2 applied"),
        (
            [APPLIED, IN_PART, ALREADY, CONFLICT],
            "4 decisions: 1 can be applied, 1 can be applied in part, 1 already so, 1 does not fit",
            "4 decisions: 1 applied, 1 applied in part, 1 already so, 1 did not fit",
        ),
        ([CONFLICT] * 2, "2 decisions: 2 do not fit", "2 decisions: 2 did not fit"),
        ([], "0 decisions: none", "0 decisions: none"),
    ],
)
def test_decisions_are_applied_only_in_what_is_said_afterwards(
    verdicts: list[DecisionVerdict], before: str, after: str
) -> None:
    report = report_of(verdicts)
    assert report.in_words(is_done=False) == before
    assert report.in_words(is_done=True) == after
