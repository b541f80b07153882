"""A copy of an open workspace, complete at one moment; also of one whose file has gone.

Read through the connection that writes, which keeps the file open wherever it went. The copy
appears under its name when it is complete.
"""

import contextlib
import os
import sqlite3
from pathlib import Path

from sqlite_utils import Database

from toolplanner_core.errors import BadInput, WorkspaceExists
from toolplanner_core.jobs.progress import Report, silent
from toolplanner_core.workspace.connections import explain_sqlite_error
from toolplanner_core.workspace.workspace import Workspace

_PAGES = 4096
"""Copied between two reports: 16 MB, some 20 ms."""


def save_copy(
    workspace: Workspace, place: Path, *, replace: bool = False, report: Report = silent
) -> int:
    """Write a copy; what is written to the workspace meanwhile waits. Blocks.

    Args:
        place: where to, never a workspace that is open.
        replace: whether a file that is there goes.

    Returns:
        Its size in bytes.

    Raises:
        WorkspaceExists: there is a file already, or a workspace that is open.
        WorkspaceError: it cannot be written, such as where the disk is full.
    """
    _check_free(workspace, place, replace=replace)
    part = place.with_name(f"{place.name}.part")
    try:
        part.unlink(missing_ok=True)
        workspace.writer.look(lambda db: _back_up(db, part, report))
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        _check_free(workspace, place, replace=replace)
        for file in _beside(place):
            file.unlink(missing_ok=True)  # of the file that goes
        part.replace(place)
    except OSError as error:
        raise BadInput("The copy cannot be written", where=str(place), why=str(error)) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return place.stat().st_size


_OF_RUNS = ("runs_fts", "run_index", "run_facts", "case_results", "run_marks", "events", "runs")
"""Tables that hold runs, in an order in which they can be emptied."""


def copy_without_runs(workspace: Workspace, place: Path) -> None:
    """Write a copy as `save_copy` does, with all that was decided and learned but no run. Blocks.

    Raises:
        WorkspaceExists: there is a file already.
        WorkspaceError: it cannot be written.
    """
    part = place.with_name(f"{place.name}.whole")
    save_copy(workspace, part, replace=True)
    try:
        with contextlib.closing(sqlite3.connect(part)) as copy:
            copy.execute("PRAGMA trusted_schema=OFF")
            copy.execute("UPDATE memories SET run_id = NULL")
            for table in _OF_RUNS:
                copy.execute(f"DELETE FROM {table}")
            copy.commit()
            copy.execute("VACUUM")
        _check_free(workspace, place, replace=False)
        part.replace(place)
    except sqlite3.Error as error:
        raise explain_sqlite_error(error, where=str(part)) from error
    finally:
        part.unlink(missing_ok=True)


def _check_free(workspace: Workspace, place: Path, *, replace: bool) -> None:
    if _is_same(place, workspace.path) or _is_in_use(place):
        raise WorkspaceExists(
            "This workspace is open, so no copy can replace it",
            where=str(place),
            todo="Choose another name, or close it first",
        )
    if place.exists() and not replace:
        raise WorkspaceExists(
            "There is a file already", where=str(place), todo="Choose another name"
        )


def _beside(place: Path) -> list[Path]:
    """What SQLite keeps beside a file that is open, and leaves where a program was killed."""
    ends = ("-wal", "-shm", "-journal")
    return [place.with_name(f"{place.name}{end}") for end in ends]


def _is_in_use(place: Path) -> bool:
    """Whether any program has it open: files beside it may be left from one that was killed."""
    if not any(file.exists() for file in _beside(place)):
        return False
    if not place.exists():
        return True  # its file was moved away while it was open
    try:
        with contextlib.closing(sqlite3.connect(place, timeout=0, isolation_level=None)) as db:
            # Whoever has it open holds a lock that this one excludes.
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("BEGIN EXCLUSIVE")
            db.execute("ROLLBACK")
    except sqlite3.Error:
        return True
    return False


def _is_same(place: Path, path: Path) -> bool:
    return place.exists() and path.exists() and place.samefile(path)


def _back_up(db: Database, part: Path, report: Report) -> None:
    def tell(_status: int, left: int, pages: int) -> None:
        report("Copying", pages - left, pages, "pages")

    try:
        with contextlib.closing(sqlite3.connect(part)) as copy:
            copy.execute("PRAGMA synchronous=OFF")
            # One moment of the file, whatever other processes write between two groups of pages.
            db.conn.execute("BEGIN")
            db.conn.execute("SELECT 1 FROM sqlite_schema").fetchone()
            try:
                db.conn.backup(copy, pages=_PAGES, progress=tell)
            finally:
                db.conn.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise explain_sqlite_error(error, where=str(part)) from error
