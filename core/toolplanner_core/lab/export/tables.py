"""The tables of an experiment, from which each form of export is written.

They hold values, not texts, so that all forms say the same: a figure is an `Estimate` with its n
and interval, and no form can leave those out. Nothing in them is of the moment of the export.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from toolplanner_core.domain.experiment import Grade
from toolplanner_core.lab.results import ArmResult, ExperimentResults
from toolplanner_core.lab.statistics.estimates import Estimate

Cell: TypeAlias = "str | int | float | Estimate | None"
AMOUNTS = {
    "api_calls": "API calls",
    "failed_calls": "failed API calls",
    "model_calls": "model calls",
    "tokens": "tokens",
    "cost": "US dollars",
    "seconds": "seconds",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """A table.

    Attributes:
        id: part of file names; title, note: for people.
        shares: columns whose values are shares or differences of shares.
    """

    id: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    shares: frozenset[str] = frozenset()


def result_tables(results: ExperimentResults) -> list[ResultTable]:
    """Shares by arm, arms compared, a model's votes, what trials took; those that have rows."""
    tables = (_solved(results), _compared(results), _voted(results), _took(results))
    return [table for table in tables if table.rows]


def trial_table(results: ExperimentResults) -> ResultTable:
    """All trials, a row each."""
    judges = results.judges
    rows = [
        (
            each.trial.number,
            each.trial.query,
            each.trial.arm,
            each.trial.seed,
            each.trial.state,
            each.status or "",
            *(each.amounts[name] for name in AMOUNTS),
            *(each.verdicts.get(judge) for judge in judges),
            each.why,
        )
        for each in results.trials()
    ]
    columns = ("trial", "query", "arm", "seed", "state", "run", *AMOUNTS.values())
    return ResultTable(
        id="trials",
        title="Trials",
        note="Verdicts are 1 for solved and 0 for not solved; empty = there is none.",
        columns=(*columns, *(f"judge {judge}" for judge in judges), "why"),
        rows=tuple(rows),
    )


def _solved(results: ExperimentResults) -> ResultTable:
    return ResultTable(
        id="results",
        title="Solved trials",
        note="The denominator is the plan. With trials that are missing, the share lies between"
        " that with all of them failed and that with all of them passed.",
        columns=(
            "arm", "judge", "solved", "if missing passed", "planned", "judged", "not checked",
            "broken", "not measured", "queries not judged",
        ),
        rows=tuple(map(_solved_row, results.by())),
        shares=frozenset({"solved", "if missing passed"}),
    )  # fmt: skip


def _solved_row(row: ArmResult) -> tuple[Cell, ...]:
    share = row.share
    return (
        row.group,
        row.judge,
        None if share is None else share.if_missing_fail,
        share.if_missing_pass if share is not None and share.missing else None,
        0 if share is None else share.planned,
        0 if share is None else share.finished,
        row.not_checked,
        row.broken,
        row.not_measured,
        row.not_judged,
    )


def _compared(results: ExperimentResults) -> ResultTable:
    rows = [
        row
        for judge in results.judges
        for a, b in _pairs(results)
        if (row := _compared_row(results, a, b, judge))
    ]
    return ResultTable(
        id="comparisons",
        title="Arms compared",
        note="The first arm minus the second, over the same queries and seeds. Only comparisons"
        " that the plan named have a p (McNemar's exact test, after Holm); all others are looks.",
        columns=(
            "arm", "minus", "judge", "named", "difference", "both", "only the first",
            "only the second", "neither", "pairs missing", "worst", "best", "p (Holm)",
        ),
        rows=tuple(rows),
        shares=frozenset({"difference", "worst", "best"}),
    )  # fmt: skip


def _compared_row(results: ExperimentResults, a: str, b: str, judge: str) -> tuple[Cell, ...]:
    found = results.compare(a, b, judge)
    if found is None:
        return ()
    is_named = any({a, b} == set(pair) for pair in results.experiment.compare)
    p = results.adjusted_p(judge).get(frozenset((a, b))) if is_named else None
    bounds = (found.worst, found.best) if found.missing else (None, None)
    return (
        *(a, b, judge, "yes" if is_named else "no", found.difference),
        *found.table,
        found.missing,
        *bounds,
        p,
    )


def _pairs(results: ExperimentResults) -> Iterator[tuple[str, str]]:
    """What the plan named, then each other arm against the baseline."""
    experiment = results.experiment
    yield from experiment.compare
    named = {frozenset(pair) for pair in experiment.compare}
    if base := experiment.baseline:
        for arm in experiment.arms:
            if arm.name != base and frozenset((arm.name, base)) not in named:
                yield arm.name, base


def _voted(results: ExperimentResults) -> ResultTable:
    rows = [
        (
            arm.name,
            judge,
            found.with_unsolvable,
            found.solvable_only,
            *(found.grades.get(grade, 0) for grade in Grade),
            found.not_solvable,
            found.deviation,
        )
        for arm in results.experiment.arms
        for judge in results.judges
        if (found := results.vote_shares(arm, judge)) is not None
    ]
    return ResultTable(
        id="votes",
        title="Votes of models",
        note="Of the answers that were graded. AnyTool's equation 1 counts queries that the APIs"
        " cannot solve as passed, as ToolBench does; equation 2 leaves them out; both leave out"
        " answers of which the judge is unsure.",
        columns=(
            "arm", "judge", "equation 1", "equation 2", "solved", "unsure", "unsolved",
            "not solvable", "deviation of votes",
        ),
        rows=tuple(rows),
        shares=frozenset({"equation 1", "equation 2", "deviation of votes"}),
    )  # fmt: skip


def _took(results: ExperimentResults) -> ResultTable:
    rows = [
        (arm.name, words, mean)
        for arm in results.experiment.arms
        for name, words in AMOUNTS.items()
        if (mean := results.mean(arm, name)) is not None
    ]
    return ResultTable(
        id="amounts",
        title="What a trial took",
        note="Means over the trials that ran and say it; dollars only where prices are known.",
        columns=("arm", "of what", "mean"),
        rows=tuple(rows),
    )
