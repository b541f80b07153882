"""The matrix of an experiment: shares of solved trials by two settings of the arms, or by arm and
judge. A cell says its difference to the baseline, which counts only where its interval leaves 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from toolplanner_core.domain.experiment import Arm, Experiment
from toolplanner_core.lab.export.tables import Cell, ResultTable
from toolplanner_core.lab.results import ArmResult, ExperimentResults
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.words.formatting import one_line

ARM, JUDGE = "arm", "judge"
_LONGEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell:
    """A cell.

    Attributes:
        arms: names of those that are counted.
        difference: to the baseline, where one arm is compared with another one.
        is_baseline: it is the arm that the others are compared with.
    """

    arms: tuple[str, ...]
    judge: str
    result: ArmResult
    difference: Estimate | None
    is_baseline: bool

    @property
    def is_better(self) -> bool | None:
        """Whether it is better than the baseline; None where the interval of the difference holds
        0, or there is nothing to compare."""
        found = self.difference
        if found is None or found.low <= 0 <= found.high:
            return None
        return found.low > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Cells by the values of two settings; a pair of values that no arm has is not there."""

    rows_by: str
    columns_by: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], MatrixCell]


def settings_that_vary(experiment: Experiment) -> list[str]:
    """By what arms can be grouped: "arm", "edit", and the settings in which some differ."""
    names = dict.fromkeys(name for arm in experiment.arms for name in ("edit", *arm.settings))
    values = {name: {setting_words(arm, name) for arm in experiment.arms} for name in names}
    return [ARM, *(name for name, found in values.items() if len(found) > 1)]


def usual_axes(experiment: Experiment) -> tuple[str, str]:
    """What stands in rows and columns where nobody chose: strategies and models if both vary, else
    arms and judges."""
    varying = settings_that_vary(experiment)
    if {"strategy", "model"} <= set(varying):
        return "strategy", "model"
    return ARM, JUDGE


def setting_words(arm: Arm, setting: str) -> str:
    """The value of a setting, for people."""
    if setting == ARM:
        return arm.name
    value: Any = arm.edit if setting == "edit" else arm.settings.get(setting)
    return one_line(_words(value), _LONGEST)


def read_matrix(results: ExperimentResults, *, rows_by: str, columns_by: str, judge: str) -> Matrix:
    """The matrix of what was read.

    Args:
        rows_by, columns_by: of `settings_that_vary`; columns also by "judge".
        judge: whose verdicts, where columns are not judges.
    """
    arms, baseline = results.experiment.arms, results.experiment.baseline
    groups: dict[tuple[str, str], tuple[str, list[Arm]]] = {}
    for arm in arms:
        row = setting_words(arm, rows_by)
        for by in results.judges if columns_by == JUDGE else (judge,):
            column = by if columns_by == JUDGE else setting_words(arm, columns_by)
            groups.setdefault((row, column), (by, []))[1].append(arm)
    cells = {place: _cell(results, found, by, baseline) for place, (by, found) in groups.items()}
    return Matrix(
        rows_by=rows_by,
        columns_by=columns_by,
        rows=tuple(dict.fromkeys(row for row, _ in cells)),
        columns=tuple(dict.fromkeys(column for _, column in cells)),
        cells=cells,
    )


def matrix_table(matrix: Matrix) -> ResultTable:
    """The same as a table, a row for each cell."""
    rows: list[tuple[Cell, ...]] = []
    for (row, column), cell in matrix.cells.items():
        share = cell.result.share
        rows.append(
            (
                row,
                column,
                None if share is None else share.if_missing_fail,
                None if share is None else share.if_missing_pass,
                0 if share is None else share.missing,
                cell.difference,
            )
        )
    return ResultTable(
        id="matrix",
        title="Share of planned trials that were solved",
        note="Missing trials are counted as failed in one column and as passed in the other.",
        columns=(
            matrix.rows_by, matrix.columns_by, "solved", "solved if the missing pass", "missing",
            "difference to the baseline",
        ),
        rows=tuple(rows),
        shares=frozenset({"solved", "solved if the missing pass", "difference to the baseline"}),
    )  # fmt: skip


def _cell(results: ExperimentResults, arms: Sequence[Arm], judge: str, baseline: str) -> MatrixCell:
    names = tuple(arm.name for arm in arms)
    difference = None
    if baseline and len(names) == 1 and names[0] != baseline:
        compared = results.compare(names[0], baseline, judge)
        difference = None if compared is None else compared.difference
    return MatrixCell(
        arms=names,
        judge=judge,
        result=results.of_arms(names[0], arms, judge),
        difference=difference,
        is_baseline=names == (baseline,),
    )


def _words(value: Any) -> str:
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return ", ".join(f"{key} {_words(each)}" for key, each in table.items()) or "as usual"
    if isinstance(value, list):
        return "; ".join(map(str, cast("list[Any]", value))) or "none"
    return "none" if value is None else str(value)
