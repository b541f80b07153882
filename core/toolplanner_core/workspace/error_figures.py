"""How often runs failed in which way: one pass over the log, by error class."""

from collections.abc import Mapping
from dataclasses import dataclass

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import RunId
from toolplanner_core.workspace.run_log import read_records
from toolplanner_core.workspace.run_marks import NOT_DELETED
from toolplanner_core.workspace.workspace import Workspace

_OF_NODES = (ErrorClass.CLUSTER_INCOMPLETE, ErrorClass.UNKNOWN_API)
"""Classes that stand at nodes of a strategy; those of calls stand at their calls."""
_OF_CALLS = ("call.failed", "call.refused")
_GAVE_UP = (
    "SELECT run_id, json_extract(body, '$.error') FROM events WHERE type = 'model.failed'"
    f" AND json_extract(body, '$.will_retry_after_s') IS NULL AND {NOT_DELETED} ORDER BY seq"
)
"""Last tries of questions that got no reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFigure:
    """How often a class of failures was met.

    Attributes:
        n: failures.
        runs: runs that met it, newest first.
    """

    error: ErrorClass
    n: int
    runs: tuple[RunId, ...]


def error_figures(workspace: Workspace) -> list[ErrorFigure]:
    """Failures by class over all runs, most frequent first; what a fork took over is its parent's.

    A run that ended unsolved although nothing failed in it counts as one decision failure; one
    whose model gave no answer counts as what the model failed with.
    """
    reader = workspace.reader()
    rows = reader.execute(
        "SELECT json_extract(body, '$.error') AS error, run_id, count(*) FROM events"
        f" WHERE {NOT_DELETED} AND (type IN ('call.failed', 'call.refused')"
        " OR (type = 'node.closed' AND json_extract(body, '$.error') IN (?, ?)))"
        " GROUP BY error, run_id",
        _OF_NODES,
    ).fetchall()
    found: dict[ErrorClass, dict[RunId, int]] = {}
    for error, run, n in rows:
        if error in set(ErrorClass):
            found.setdefault(ErrorClass(error), {})[RunId(run)] = n
    failing = {run for each in found.values() for run in each}
    unsolved = reader.execute(
        f"SELECT id FROM (SELECT id, id AS run_id FROM runs WHERE status = 'unsolved')"
        f" WHERE {NOT_DELETED}"
    ).fetchall()
    gave_up = {
        run: ErrorClass(error)
        for run, error in reader.execute(_GAVE_UP).fetchall()
        if error in set(ErrorClass)
    }
    for (run,) in unsolved:
        if run not in failing:
            error = gave_up.get(run, ErrorClass.DECISION_FAILURE)
            found.setdefault(error, {})[RunId(run)] = 1
    return _sorted(found)


def errors_of_run(workspace: Workspace, run: RunId) -> list[ErrorFigure]:
    """Failures of one run by class, as `error_figures` counts them, with what it took over as a
    fork, like its totals.

    Raises:
        NotFound: no such run.
    """
    found: dict[ErrorClass, dict[RunId, int]] = {}
    gave_up = ErrorClass.DECISION_FAILURE
    for row in read_records(workspace, run):
        error = row.event.get("error")
        if error not in set(ErrorClass):
            continue
        if row.type in _OF_CALLS or (row.type == "node.closed" and error in _OF_NODES):
            by_run = found.setdefault(ErrorClass(error), {run: 0})
            by_run[run] += 1
        elif row.type == "model.failed" and row.event.get("will_retry_after_s") is None:
            gave_up = ErrorClass(error)
    status = workspace.one_row("SELECT status FROM runs WHERE id = ?", [run])
    if not found and status == ("unsolved",):
        found = {gave_up: {run: 1}}
    return _sorted(found)


def _sorted(found: Mapping[ErrorClass, Mapping[RunId, int]]) -> list[ErrorFigure]:
    figures = [
        ErrorFigure(error=error, n=sum(by_run.values()), runs=tuple(sorted(by_run, reverse=True)))
        for error, by_run in found.items()
    ]
    return sorted(figures, key=lambda figure: (-figure.n, figure.error))
