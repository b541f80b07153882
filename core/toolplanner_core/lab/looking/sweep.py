"""How success hangs on the number of toolkits: arms that differ in the edit of their toolkits alone
are a curve, and above it what a shortlist of these toolkits holds at all.

Source: Tool-Planner (arXiv 2406.03807), figure 3: too few toolkits mix what does not belong
together, too many leave nothing to fall back to.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.curation.edits.history_reading import changes_between
from toolplanner_core.domain.experiment import Arm
from toolplanner_core.domain.ids import EditId
from toolplanner_core.domain.lab import DataSet
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.experiments.ceiling import shortlist_ceiling
from toolplanner_core.lab.export.tables import ResultTable
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.toolkits import plannable_toolkits
from toolplanner_core.workspace.what_if import WhatIf

_SHORTLIST = "shortlist"


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptArm:
    """What an arm solves with so many toolkits; `share` None = nothing is known yet."""

    toolkits: int
    arm: str
    share: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepCurve:
    """Arms that are the same but for their toolkits, by the number of these.

    Attributes:
        is_bound: no plan over a shortlist of so many toolkits can solve more at once.
    """

    name: str
    points: tuple[SweptArm, ...]
    is_bound: bool = False


def swept_families(results: ExperimentResults) -> list[list[Arm]]:
    """Arms that differ in the edit of their toolkits alone, each with at least two edits."""
    families: dict[str, list[Arm]] = {}
    for arm in results.experiment.arms:
        families.setdefault(repr(sorted(arm.settings.items())), []).append(arm)
    return [arms for arms in families.values() if len({arm.edit for arm in arms}) > 1]


def read_sweep(
    results: ExperimentResults, workspace: Workspace, judge: str, *, has_bound: bool = True
) -> list[SweepCurve]:
    """All curves. Blocks: for each edit as long as a search index takes, if there is gold.

    Args:
        workspace: of the experiment; its history has the edits.
        has_bound: whether to read also what a shortlist holds.

    Raises:
        NotFound: the workspace has no such edit.
        BadInput: texts of APIs were others then.
    """
    families = swept_families(results)
    counts: dict[int, int] = {}
    bounds: dict[tuple[int, int], Estimate] = {}
    for edit in sorted({arm.edit for arms in families for arm in arms}):
        with workspace.snapshot() as db:
            changes = changes_between(db, read_head(db), EditId(edit))
        with WhatIf(workspace, changes) as then:
            counts[edit] = len(plannable_toolkits(then))
            for size in {_shortlist(arms[0]) for arms in families if has_bound}:
                found = _bound(results, then, size)
                if found is not None:
                    bounds[edit, size] = found
    curves = [_curve(results, arms, counts, judge) for arms in families]
    return curves + [
        each for arms in families if (each := _bound_curve(arms, counts, bounds)).points
    ]


def sweep_table(curves: Sequence[SweepCurve]) -> ResultTable:
    """The same as a table."""
    return ResultTable(
        id="sweep",
        title="Solved trials by the number of toolkits",
        note="Over the trials that have a verdict. On the shortlist: share of the queries whose"
        " whole gold the first toolkits of a shortlist hold.",
        columns=("toolkits", "arm", "of what", "share"),
        rows=tuple(
            (point.toolkits, point.arm, curve.name, point.share)
            for curve in curves
            for point in curve.points
        ),
        shares=frozenset({"share"}),
    )


def _curve(
    results: ExperimentResults, arms: Sequence[Arm], counts: dict[int, int], judge: str
) -> SweepCurve:
    points: list[SweptArm] = []
    for arm in sorted(arms, key=lambda each: counts[each.edit]):
        share = results.of_arms(arm.name, [arm], judge).share
        found = None if share is None else share.finished_share
        points.append(SweptArm(toolkits=counts[arm.edit], arm=arm.name, share=found))
    return SweepCurve(name=f"solved by {_name(arms[0])}", points=tuple(points))


def _bound_curve(
    arms: Sequence[Arm], counts: dict[int, int], bounds: dict[tuple[int, int], Estimate]
) -> SweepCurve:
    size = _shortlist(arms[0])
    points = tuple(
        SweptArm(toolkits=counts[arm.edit], arm=arm.name, share=bounds[arm.edit, size])
        for arm in sorted(arms, key=lambda each: counts[each.edit])
        if (arm.edit, size) in bounds
    )
    return SweepCurve(name=f"on the shortlist of {size}", points=points, is_bound=True)


def _bound(results: ExperimentResults, then: Workspace, size: int) -> Estimate | None:
    """None where no query has gold, or the strategy makes no shortlist."""
    queries = DataSet(name="asked", queries=results.queries)
    if size < 1 or not any(query.gold for query in queries):
        return None
    try:
        return shortlist_ceiling(then, queries, (size,)).complete[size]
    except BadInput:
        return None  # no toolkits at that time


def _shortlist(arm: Arm) -> int:
    return int(arm.settings.get("options", {}).get(_SHORTLIST, 0))


def _name(arm: Arm) -> str:
    _, _, factor = arm.name.partition("/")
    strategy = str(arm.settings["strategy"])
    return f"{strategy}/{factor}" if factor else strategy
