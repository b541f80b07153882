"""What arms solve against what they take: shares and amounts with intervals, and the arms that no
other one beats in both (the Pareto front)."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.lab.export.tables import AMOUNTS, ResultTable
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.estimates import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmCost:
    """An arm.

    Attributes:
        share: of solved trials; amount: what a trial took on average. None = nothing is known.
        is_best: no other arm solves as much for less, or more for as much.
    """

    arm: str
    share: Estimate | None
    amount: Estimate | None
    is_best: bool = False


def read_costs(results: ExperimentResults, *, amount: str, judge: str) -> list[ArmCost]:
    """All arms, by what they take; `amount` is one of `AMOUNTS`."""
    found: list[ArmCost] = []
    for arm in results.experiment.arms:
        share = results.of_arms(arm.name, [arm], judge).share
        found.append(
            ArmCost(
                arm=arm.name,
                share=None if share is None else share.finished_share,
                amount=results.mean(arm, amount),
            )
        )
    return [
        ArmCost(arm=each.arm, share=each.share, amount=each.amount, is_best=_is_best(each, found))
        for each in found
    ]


def cost_table(costs: Sequence[ArmCost], *, amount: str) -> ResultTable:
    """The same as a table."""
    words = AMOUNTS[amount]
    return ResultTable(
        id="cost",
        title=f"Solved trials against {words} a trial",
        note="Over the trials that have a verdict; best = no other arm solves as much for less.",
        columns=("arm", "solved", f"{words} a trial", "best"),
        rows=tuple(
            (each.arm, each.share, each.amount, "yes" if each.is_best else "") for each in costs
        ),
        shares=frozenset({"solved"}),
    )


def _is_best(one: ArmCost, among: Sequence[ArmCost]) -> bool:
    if one.share is None or one.amount is None:
        return False
    place = (one.share.value, -one.amount.value)
    return not any(
        other.share is not None
        and other.amount is not None
        and (other.share.value, -other.amount.value) != place
        and other.share.value >= one.share.value
        and other.amount.value <= one.amount.value
        for other in among
    )
