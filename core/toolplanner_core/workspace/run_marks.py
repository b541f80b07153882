"""What a person says of runs: a label, a star, a note, or that a run is to be out of the way.

A deleted run is out of all lists, searches and figures and can be brought back: its log stays,
since forks may read through it, and what was learned of it names it.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.workspace.rows import dump, insert, read_keyed, read_row, row_of
from toolplanner_core.workspace.runs import get_run
from toolplanner_core.workspace.workspace import Workspace

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


def not_ended(run: RunId) -> str:
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
        raise BadInput(not_ended(min(going)), todo="Stop it first, then delete it")
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
