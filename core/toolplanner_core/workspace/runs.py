"""The list of runs: one row each, with a cached fold of its events.

Status, answer and totals can always be rebuilt from the log; they stand here so that a list of
ten thousand runs is one query.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlite_utils import Database

from toolplanner_core.domain.ids import RunId
from toolplanner_core.words.places import SEE_RUNS
from toolplanner_core.workspace.rows import as_stored, read_one, read_rows
from toolplanner_core.workspace.run_log import PackedRow, append_events
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One row of the list.

    Attributes:
        options: strategy and provider options, limits, seed, planning model.
        totals: cached fold (see `runs/tree/totals.py`), empty while it runs.
        process: identity of the process that runs it (see `runs/process.py`).
    """

    id: RunId
    parent_run: RunId | None
    fork_seq: int | None
    query: str
    strategy: str
    model: str
    provider: str
    options: Mapping[str, Any]
    status: str
    answer: str
    totals: Mapping[str, Any]
    started_us: int
    ended_us: int | None
    process: str


class RunsSeen(NamedTuple):
    """What tells one list of runs from another: newest, number, those that go on, and what
    persons said of them: labels, notes, stars, deletions."""

    newest: int
    number: int
    going: int
    said: str


def finish_run(
    workspace: Workspace,
    run: RunId,
    *,
    status: str,
    answer: str,
    totals: Mapping[str, Any],
    ended_us: int,
) -> None:
    """Store how a run ended and wait until it is on disk, after all events queued before it."""
    values = [status, answer, as_stored(totals), ended_us, run]
    workspace.writer.run(
        lambda db: db.conn.execute(
            "UPDATE runs SET status = ?, answer = ?, totals = ?, ended_us = ? WHERE id = ?", values
        ),
        durable=True,
    )


def interrupt_run(
    workspace: Workspace,
    run: RunId,
    event: PackedRow,
    *,
    totals: Mapping[str, Any],
    ended_us: int,
) -> bool:
    """Store that a run's process died: its last event and its row, in one transaction.

    Returns:
        False when somebody else has ended the run in the meantime; then nothing is written.
    """

    def write(db: Database) -> bool:
        cursor = db.conn.execute(
            "UPDATE runs SET status = 'interrupted', totals = ?, ended_us = ?"
            " WHERE id = ? AND status = 'running'",
            [as_stored(totals), ended_us, run],
        )
        if cursor.rowcount == 0:
            return False
        append_events(db, [event])
        return True

    return workspace.writer.run(write, durable=True)


def held_runs(workspace: Workspace) -> set[RunId]:
    """Runs that go on and are held at a stop; of those alone the events are looked at."""
    found = workspace.reader().execute(
        "SELECT run_id FROM events WHERE type IN ('debug.stopped', 'debug.resumed')"
        " AND run_id IN (SELECT id FROM runs WHERE status = 'running')"
        " GROUP BY run_id HAVING sum(CASE type WHEN 'debug.stopped' THEN 1 ELSE -1 END) > 0"
    )
    return {RunId(run) for (run,) in found.fetchall()}


def get_run(workspace: Workspace, run: RunId) -> RunRow:
    """One run.

    Raises:
        NotFound: no run has this number.
    """
    missing, todo = f"There is no run {run}", SEE_RUNS
    sql = "SELECT * FROM runs WHERE id = ?"
    return read_one(workspace.reader(), RunRow, sql, [run], missing=missing, todo=todo)


def list_rows(workspace: Workspace, *, limit: int = 1000) -> list[RunRow]:
    """Runs that are not deleted, newest first."""
    sql = (
        "SELECT * FROM runs WHERE id NOT IN"
        " (SELECT run_id FROM run_marks WHERE deleted_us IS NOT NULL) ORDER BY id DESC LIMIT ?"
    )
    return read_rows(workspace.reader(), RunRow, sql, [limit])


def run_count(workspace: Workspace) -> int:
    """How many runs there are that are not deleted."""
    deleted = "SELECT run_id FROM run_marks WHERE deleted_us IS NOT NULL"
    return int(workspace.one_row(f"SELECT count(*) FROM runs WHERE id NOT IN ({deleted})")[0])


def newest_run(workspace: Workspace) -> int:
    """Number of the run that began last, 0 if there is none."""
    return int(workspace.one_row("SELECT coalesce(max(id), 0) FROM runs")[0])


def runs_seen(workspace: Workspace) -> RunsSeen:
    """Another answer means that the list of runs reads otherwise."""
    said = "run_id || ' ' || is_starred || ' ' || coalesce(deleted_us, '') || label || ' ' || note"
    sql = (
        "SELECT coalesce(max(id), 0), count(*), coalesce(sum(status = 'running'), 0),"
        f" (SELECT coalesce(group_concat({said}, char(10)), '') FROM run_marks) FROM runs"
    )
    return RunsSeen(*workspace.one_row(sql))


def rows_with_status(workspace: Workspace, status: str) -> list[RunRow]:
    """Runs whose stored status is this one, oldest first."""
    sql = "SELECT * FROM runs WHERE status = ? ORDER BY id"
    return read_rows(workspace.reader(), RunRow, sql, [status])
