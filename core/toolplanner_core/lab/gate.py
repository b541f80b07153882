"""Whether an arm is not worse than another one by more than a margin: for checks without a person.

Only the interval of the paired difference decides. Pairs without a verdict are decided against the
arm for what it must reach, and for it before it is called worse; so an experiment that goes on, or
a judge who cannot say of many answers, leads to "cannot tell" and never to a wrong yes or no.
"""

from dataclasses import dataclass
from enum import StrEnum

from toolplanner_core.errors import BadInput
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.paired import PairedShares


class GateVerdict(StrEnum):
    """What the interval says."""

    NOT_WORSE = "not worse"
    WORSE = "worse"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The verdict with what it rests on.

    Attributes:
        margin: by how much the arm may be worse, a share.
        found: of the pairs as they are, None where the judge can judge no query.
    """

    verdict: GateVerdict
    margin: float
    judge: str
    found: PairedShares | None


def compare_with_margin(
    results: ExperimentResults, arm: str, other: str, *, margin: float, judge: str = ""
) -> GateResult:
    """Say whether `arm` is shown to be at most `margin` worse than `other`.

    Args:
        judge: whose verdicts; the first judge of the experiment if "".

    Raises:
        BadInput: the margin is no share, or nobody judged.
        NotFound: there is no such arm or judge.
    """
    if not 0 <= margin < 1:
        raise BadInput("A margin lies between 0 and 1", why=f"{margin} does not")
    by = judge or next(iter(results.judges), "")
    if not by:
        raise BadInput("The experiment has no judge", todo="Name one: judges = [...]")
    found = results.compare(arm, other, by)
    verdict = GateVerdict.CANNOT_TELL
    if found is not None:
        at_worst = results.compare(arm, other, by, missing=(0.0, 1.0)) if found.missing else found
        at_best = results.compare(arm, other, by, missing=(1.0, 0.0)) if found.missing else found
        verdict = _verdict(at_worst, at_best, margin)
    return GateResult(verdict=verdict, margin=margin, judge=by, found=found)


def _verdict(
    at_worst: PairedShares | None, at_best: PairedShares | None, margin: float
) -> GateVerdict:
    if at_worst is not None and at_worst.difference and at_worst.difference.low >= -margin:
        return GateVerdict.NOT_WORSE
    if at_best is not None and at_best.difference and at_best.difference.high < -margin:
        return GateVerdict.WORSE
    return GateVerdict.CANNOT_TELL
