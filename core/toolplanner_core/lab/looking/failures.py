"""Why trials were not solved, by arm: the class of the last error of their run, or that there was
none and the answer fell short all the same."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.lab.export.tables import ResultTable
from toolplanner_core.lab.looking.reading import ExperimentReading, TrialOutcome, outcome_of
from toolplanner_core.lab.statistics.estimates import Estimate, wilson
from toolplanner_core.workspace.lab_store import JudgedTrial

NO_ERROR = "no error"
"""Every call went well, and the judge was not content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmFailures:
    """An arm: how many of its `planned` trials failed, by cause."""

    arm: str
    planned: int
    causes: Counter[str]

    def share(self, cause: str) -> Estimate:
        """Share of a cause among all trials of the plan; trials count as independent."""
        return wilson(self.causes[cause], self.planned)


def cause_of(reading: ExperimentReading, each: JudgedTrial, judge: str) -> str:
    """Why a trial was not solved; "" where it was, has no verdict, or is still to come."""
    match outcome_of(each, judge):
        case TrialOutcome.UNSOLVED | TrialOutcome.PARTLY:
            return reading.last_errors.get(each.trial.number, NO_ERROR).replace("_", " ")
        case TrialOutcome.BROKEN | TrialOutcome.NOT_MEASURED as state:
            return state
        case _:
            return ""


def read_failures(reading: ExperimentReading, judge: str) -> list[ArmFailures]:
    """All arms, in the order of the plan."""
    arms = [arm.name for arm in reading.results.experiment.arms]
    causes: dict[str, Counter[str]] = {arm: Counter() for arm in arms}
    planned: Counter[str] = Counter()
    for each in reading.results.trials():
        planned[each.trial.arm] += 1
        if cause := cause_of(reading, each, judge):
            causes[each.trial.arm][cause] += 1
    return [ArmFailures(arm=arm, planned=planned[arm], causes=causes[arm]) for arm in arms]


def causes_by_number(failures: Sequence[ArmFailures]) -> list[str]:
    """All causes, the most frequent first."""
    total = sum((each.causes for each in failures), Counter[str]())
    return [cause for cause, _ in sorted(total.items(), key=lambda one: (-one[1], one[0]))]


def failure_table(failures: Sequence[ArmFailures]) -> ResultTable:
    """The same as a table."""
    return ResultTable(
        id="failures",
        title="Trials that were not solved, by the last error of their run",
        note="Shares of all planned trials; their intervals take trials as independent.",
        columns=("arm", "cause", "trials", "share"),
        rows=tuple(
            (each.arm, cause, each.causes[cause], each.share(cause))
            for each in failures
            for cause in causes_by_number(failures)
            if each.causes[cause]
        ),
        shares=frozenset({"share"}),
    )
