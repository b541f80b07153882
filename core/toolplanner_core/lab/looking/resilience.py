"""How success falls as more calls fail: arms that differ in the failure rate alone are a curve."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.domain.experiment import Arm
from toolplanner_core.lab.export.tables import ResultTable
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.estimates import Estimate

POSSIBLE = "possible at all (some arm solved it)"
_RATE = re.compile(r",\s*p\s*=\s*([0-9.]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResiliencePoint:
    """What some arms solve at a failure rate, from 0 to 1; `share` None = nothing is known yet."""

    rate: float
    arms: tuple[str, ...]
    share: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResilienceCurve:
    """Arms that are the same but for the failures, by rising rate.

    Attributes:
        is_bound: what at least one arm solved: more is possible, so much is known to be.
    """

    name: str
    points: tuple[ResiliencePoint, ...]
    is_bound: bool = False

    @property
    def area(self) -> float | None:
        """Mean success over the rates (trapezoids), None where a point is missing."""
        known = [(each.rate, each.share.value) for each in self.points if each.share is not None]
        if len(known) < len(self.points) or len(known) < 2:
            return None
        pieces = itertools.pairwise(known)
        whole = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pieces)
        return whole / (known[-1][0] - known[0][0])


def failure_rate(arm: Arm) -> float | None:
    """The chance with which calls of an arm fail: 0 without faults; None where there are several
    rules, whose chances do not add up to one."""
    faults = arm.settings["faults"]
    if not faults:
        return 0.0
    if len(faults) > 1:
        return None
    found = _RATE.search(faults[0])
    return 1.0 if found is None else float(found[1])


def resilience_families(results: ExperimentResults) -> list[list[tuple[float, Arm]]]:
    """Arms that differ in the failure rate alone, by rising rate; each with at least two rates."""
    families: dict[str, list[tuple[float, Arm]]] = {}
    for arm in results.experiment.arms:
        rate = failure_rate(arm)
        if rate is not None:
            same = {key: value for key, value in arm.settings.items() if key != "faults"}
            families.setdefault(repr((sorted(same.items()), arm.edit)), []).append((rate, arm))
    return [
        sorted(arms, key=lambda one: one[0])
        for arms in families.values()
        if len({rate for rate, _ in arms}) > 1
    ]


def read_resilience(results: ExperimentResults, judge: str) -> list[ResilienceCurve]:
    """All curves of at least two rates, and what is possible at all where there are several of
    them: what at least one arm solved, query by query; none where no arm has failures."""
    several = resilience_families(results)
    curves = [_curve(results, arms, judge) for arms in several]
    return [*curves, _possible(results, several, judge)] if len(curves) > 1 else curves


def resilience_table(curves: Sequence[ResilienceCurve]) -> ResultTable:
    """The same as a table."""
    return ResultTable(
        id="resilience",
        title="Solved trials by the chance that an API fails",
        note="Over the trials that have a verdict. Area = mean success over the rates.",
        columns=("arm", "failure rate", "solved", "area"),
        rows=tuple(
            (curve.name if curve.is_bound else point.arms[0], point.rate, point.share, curve.area)
            for curve in curves
            for point in curve.points
        ),
        shares=frozenset({"solved"}),
    )


def _curve(
    results: ExperimentResults, arms: Sequence[tuple[float, Arm]], judge: str
) -> ResilienceCurve:
    points: list[ResiliencePoint] = []
    for rate, arm in arms:
        share = results.of_arms(arm.name, [arm], judge).share
        found = None if share is None else share.finished_share
        points.append(ResiliencePoint(rate=rate, arms=(arm.name,), share=found))
    return ResilienceCurve(name=arms[0][1].name.partition("/")[0], points=tuple(points))


def _possible(
    results: ExperimentResults, families: Sequence[Sequence[tuple[float, Arm]]], judge: str
) -> ResilienceCurve:
    points: list[ResiliencePoint] = []
    for rate in sorted({rate for arms in families for rate, _ in arms}):
        arms = [arm for family in families for own, arm in family if own == rate]
        points.append(
            ResiliencePoint(
                rate=rate,
                arms=tuple(arm.name for arm in arms),
                share=results.share_of_any(arms, judge),
            )
        )
    return ResilienceCurve(name=POSSIBLE, points=tuple(points), is_bound=True)
