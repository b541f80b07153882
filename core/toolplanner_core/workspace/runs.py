"""The list of runs: one row each, with a cached fold of its events.

Status, answer and totals can always be rebuilt from the log; they stand here so that a list of
ten thousand runs is one query.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import NotFound
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


_SELECT = (
    "SELECT id, parent_run, fork_seq, query, strategy, model, provider, options, status, answer,"
    " totals, started_us, ended_us, process FROM runs"
)


def create_run(
    workspace: Workspace,
    *,
    query: str,
    strategy: str,
    model: str,
    provider: str,
    options: Mapping[str, Any],
    status: str,
    started_us: int,
    app_version: str,
    process: str,
    parent_run: RunId | None = None,
    fork_seq: int | None = None,
) -> RunId:
    """Add a run and wait until it is stored; returns its number. Blocks, so not on an event
    loop.

    Args:
        parent_run: a fork reads its first `fork_seq` events through this run.
    """
    values = [
        query,
        strategy,
        model,
        provider,
        json.dumps(options, ensure_ascii=False),
        status,
        started_us,
        app_version,
        process,
        parent_run,
        fork_seq,
    ]

    def insert(db: Database) -> RunId:
        cursor = db.conn.execute(
            "INSERT INTO runs(query, strategy, model, provider, options, status, started_us,"
            " app_version, process, parent_run, fork_seq)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        return RunId(int(cursor.lastrowid or 0))

    return workspace.writer.run(insert)


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
    values = [status, answer, json.dumps(totals, ensure_ascii=False), ended_us, run]
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
            [json.dumps(totals, ensure_ascii=False), ended_us, run],
        )
        if cursor.rowcount == 0:
            return False
        append_events(db, [event])
        return True

    return workspace.writer.run(write, durable=True)


def get_run(workspace: Workspace, run: RunId) -> RunRow:
    """One run.

    Raises:
        NotFound: no run has this number.
    """
    row = workspace.reader().conn.execute(f"{_SELECT} WHERE id = ?", [run]).fetchone()
    if row is None:
        raise NotFound(f"There is no run {run}", todo="List them with: toolplanner runs list")
    return _row(row)


def list_rows(workspace: Workspace, *, limit: int = 1000) -> list[RunRow]:
    """Runs, newest first."""
    rows = workspace.reader().conn.execute(f"{_SELECT} ORDER BY id DESC LIMIT ?", [limit])
    return [_row(row) for row in rows.fetchall()]


def run_count(workspace: Workspace) -> int:
    """How many runs there are."""
    return int(workspace.one_row("SELECT count(*) FROM runs")[0])


def rows_with_status(workspace: Workspace, status: str) -> list[RunRow]:
    """Runs whose stored status is this one, oldest first."""
    rows = workspace.reader().conn.execute(f"{_SELECT} WHERE status = ? ORDER BY id", [status])
    return [_row(row) for row in rows.fetchall()]


def _row(row: tuple[Any, ...]) -> RunRow:
    return RunRow(
        id=RunId(row[0]),
        parent_run=None if row[1] is None else RunId(row[1]),
        fork_seq=row[2],
        query=row[3],
        strategy=row[4],
        model=row[5],
        provider=row[6],
        options=json.loads(row[7]),
        status=row[8],
        answer=row[9],
        totals=json.loads(row[10]),
        started_us=row[11],
        ended_us=row[12],
        process=row[13],
    )
