"""The list of runs: one row each with a cached fold of its events, labels and notes of a person.

Status, answer and totals can always be rebuilt from the log; they stand here so that a list of
ten thousand runs is one query.

A deleted run is out of all lists, searches and figures and can be brought back: its log stays,
since forks may read through it, and what was learned of it names it.

A run that is exported and read into the same workspace again, or a file that is read twice, tells
of the same calls. What came from elsewhere tells of calls that nobody counted here, and counts.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlite_utils import Database

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.words.window_places import SEE_RUNS
from toolplanner_core.workspace.rows import (
    as_stored,
    dump,
    insert,
    read_keyed,
    read_one,
    read_row,
    read_rows,
    row_of,
)
from toolplanner_core.workspace.run_log import PackedRow, append_events
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One row of the list.

    Attributes:
        options: strategy and provider options, limits, seed, planning model.
        totals: cached fold (see `runs/tree/totals.py`), empty while it runs.
        process: identity of the process that runs it (see `jobs/process_identity.py`).
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


class RunListState(NamedTuple):
    """What tells one list of runs from another: newest, number, those that go on, and what
    persons said of them: labels, notes, stars, deletions, and how far verdicts are known."""

    newest: int
    number: int
    going: int
    said: str
    newest_memory: int


TRIAL = "trial"
"""Key in a run's options that says which trial of an experiment it is."""


def runs_of_trials(workspace: Workspace) -> dict[str, RunRow]:
    """The newest run of each trial, by the trial's key."""
    mark = f"json_extract(options, '$.{TRIAL}')"
    sql = f"SELECT * FROM runs WHERE {mark} IS NOT NULL ORDER BY id"
    rows = read_rows(workspace.reader(), RunRow, sql, [])
    return {str(row.options[TRIAL]): row for row in rows}


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


def set_status(workspace: Workspace, run: RunId, status: str) -> None:
    """Store what an ended run is shown as, after something new was said of its answer. Blocks."""
    workspace.writer.run(
        lambda db: db.conn.execute("UPDATE runs SET status = ? WHERE id = ?", [status, run])
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


def run_list_state(workspace: Workspace) -> RunListState:
    """Another answer means that the list of runs reads otherwise."""
    said = "run_id || ' ' || is_starred || ' ' || coalesce(deleted_us, '') || label || ' ' || note"
    sql = (
        "SELECT coalesce(max(id), 0), count(*), coalesce(sum(status = 'running'), 0),"
        f" (SELECT coalesce(group_concat({said}, char(10)), '') FROM run_marks),"
        " (SELECT coalesce(max(rowid), 0) FROM memories) FROM runs"
    )
    return RunListState(*workspace.one_row(sql))


def rows_with_status(workspace: Workspace, *statuses: str) -> list[RunRow]:
    """Runs whose stored status is one of these, oldest first."""
    places = ", ".join("?" for _ in statuses)
    sql = f"SELECT * FROM runs WHERE status IN ({places}) ORDER BY id"
    return read_rows(workspace.reader(), RunRow, sql, [*statuses])


NOT_DELETED = "run_id NOT IN (SELECT run_id FROM run_marks WHERE deleted_us IS NOT NULL)"
"""A condition on rows with a `run_id`."""
_LONGEST_LABEL = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMark:
    """What is said of one run.

    Attributes:
        deleted_us: microseconds since 1970; None = it was not.
    """

    run_id: RunId
    label: str = ""
    note: str = ""
    is_starred: bool = False
    deleted_us: int | None = None


def read_mark(workspace: Workspace, run: RunId) -> RunMark:
    """What is said of a run; nothing by default."""
    sql = "SELECT * FROM run_marks WHERE run_id = ?"
    return read_row(workspace.reader(), RunMark, sql, [run]) or RunMark(run_id=run)


def read_marks(workspace: Workspace) -> dict[RunId, RunMark]:
    """What is said, by run."""
    return read_keyed(workspace.reader(), RunMark, "SELECT * FROM run_marks")


def put_mark(workspace: Workspace, mark: RunMark) -> None:
    """Say it. Blocks.

    Raises:
        NotFound: no such run.
    """
    get_run(workspace, mark.run_id)
    row = {**row_of(mark), "label": " ".join(mark.label.split())[:_LONGEST_LABEL]}
    row["is_starred"] = int(mark.is_starred)
    workspace.writer.run(lambda db: insert(db, "run_marks", row, otherwise="OR REPLACE"))


def unfinished_reason(run: RunId) -> str:
    """Why a run is neither deleted nor made anything of yet."""
    return f"Run {run} has not ended: it goes on, or is held"


def delete_runs(workspace: Workspace, runs: Sequence[RunId]) -> None:
    """Take runs out of all lists, searches and figures. Blocks.

    Raises:
        NotFound: no such run; then none is deleted.
        BadInput: one goes on, or is held; then none is deleted.
    """
    going = [run for run in runs if get_run(workspace, run).status == Status.RUNNING]
    if going:
        raise BadInput(unfinished_reason(min(going)), todo="Stop it first, then delete it")
    _set_deleted(workspace, runs, time.time_ns() // 1000)


def bring_back_runs(workspace: Workspace, runs: Sequence[RunId] | None = None) -> list[RunId]:
    """Bring deleted runs back, or all that are deleted; those that came back. Blocks."""
    deleted = {mark.run_id for mark in read_marks(workspace).values() if mark.deleted_us}
    back = sorted(deleted if runs is None else deleted & set(runs))
    if runs is not None and (gone := set(runs) - deleted):
        raise NotFound(f"Run {min(gone)} was not deleted")
    _set_deleted(workspace, back, None)
    return back


def _set_deleted(workspace: Workspace, runs: Sequence[RunId], deleted_us: int | None) -> None:
    def work(db: Database) -> None:
        db.conn.execute(
            "INSERT INTO run_marks(run_id, deleted_us) SELECT value, ? FROM json_each(?) WHERE true"
            " ON CONFLICT(run_id) DO UPDATE SET deleted_us = excluded.deleted_us",
            [deleted_us, dump([int(run) for run in runs])],
        )

    workspace.writer.run(work, durable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run to add; the fields are those of `runs.RunRow`.

    Attributes:
        parent_run: a fork reads its first `fork_seq` events through this run.
        events: in order, numbered 1, 2, 3 ...; their `run` is replaced by the new number.
    """

    query: str
    strategy: str
    model: str
    provider: str
    status: str
    started_us: int
    app_version: str
    answer: str = ""
    ended_us: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    totals: Mapping[str, Any] = field(default_factory=dict[str, Any])
    process: str = ""
    parent_run: RunId | None = None
    fork_seq: int | None = None
    events: Sequence[PackedRow] = ()


def create_run(workspace: Workspace, run: NewRun) -> RunId:
    """Add a run and wait until it is stored; returns its number. Blocks, so not on an event
    loop."""
    return workspace.writer.run(lambda db: _add(db, run))


def add_runs(workspace: Workspace, runs: Sequence[NewRun]) -> list[RunId]:
    """Store runs that ran elsewhere with all their events, in one transaction, and wait until they
    are on disk: a run is there with all its events or not at all.

    Returns:
        Their numbers in this workspace, in order.

    Raises:
        WorkspaceError: nothing of them is stored.
    """
    return workspace.writer.run(lambda db: [_add(db, run) for run in runs], durable=True)


def _add(db: Database, run: NewRun) -> RunId:
    number = RunId(insert(db, "runs", row_of(run, without=("events",))))
    append_events(db, [event._replace(run=number) for event in run.events])
    return number


IMPORT_MARK = "imported"
"""Key in a run's options that says where it came from; it is of this workspace, not of the run."""

_SAME = " AND ".join(
    f"original.{column} IS copy.{column}"
    for column in ("started_us", "ended_us", "query", "strategy", "model", "answer")
)
_COPIES = (
    f"SELECT copy.id FROM runs AS copy JOIN runs AS original ON original.id < copy.id AND {_SAME}"
    f" WHERE json_extract(copy.options, '$.{IMPORT_MARK}') IS NOT NULL"
    f" AND original.id IN (SELECT run_id FROM (SELECT id AS run_id FROM runs) WHERE {NOT_DELETED})"
)
COUNTED_ONCE = f"{NOT_DELETED} AND run_id NOT IN ({_COPIES})"
"""A condition on rows with a `run_id`: of runs that are not deleted, each once."""


def copied_runs(workspace: Workspace) -> set[RunId]:
    """The imported runs that have their original here."""
    return {RunId(run) for (run,) in workspace.reader().execute(_COPIES)}
