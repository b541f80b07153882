"""Demonstrations of a workspace: the table `demonstrations`."""

import dataclasses
import time

from sqlite_utils import Database

from toolplanner_core.domain.demonstration import Demonstration
from toolplanner_core.errors import NotFound
from toolplanner_core.words.window_places import SEE_DEMONSTRATIONS
from toolplanner_core.workspace.rows import as_stored, insert, read_one, read_rows, row_of
from toolplanner_core.workspace.workspace import Workspace

_SELECT = "SELECT id, query, steps, answer, tags, run FROM demonstrations"


def list_demonstrations(workspace: Workspace) -> list[Demonstration]:
    """All demonstrations, oldest first."""
    return read_rows(workspace.reader(), Demonstration, f"{_SELECT} ORDER BY id")


def get_demonstration(workspace: Workspace, number: int) -> Demonstration:
    """One demonstration.

    Raises:
        NotFound: there is none with this number.
    """
    missing, sql = _missing(number), f"{_SELECT} WHERE id = ?"
    return read_one(
        workspace.reader(), Demonstration, sql, [number], missing=missing, todo=SEE_DEMONSTRATIONS
    )


def add_demonstration(workspace: Workspace, demonstration: Demonstration) -> Demonstration:
    """Store a demonstration under a number of its own; the same, with that number. Blocks."""
    row = {**row_of(demonstration, without={"id"}), "made_us": time.time_ns() // 1000}
    number = workspace.writer.run(lambda db: insert(db, "demonstrations", row))
    return dataclasses.replace(demonstration, id=number)


def change_demonstration(workspace: Workspace, changed: Demonstration) -> None:
    """Put a changed demonstration in the place of the one with its number. Blocks.

    Raises:
        NotFound: there is none.
    """
    values = row_of(changed, without={"id"})
    columns = ", ".join(f"{name} = ?" for name in values)
    stored = [as_stored(value) for value in values.values()]
    sql = f"UPDATE demonstrations SET {columns} WHERE id = ?"
    _write(workspace, changed.id, sql, [*stored, changed.id])


def remove_demonstration(workspace: Workspace, number: int) -> None:
    """Delete a demonstration; runs that were shown it keep what they saw. Blocks.

    Raises:
        NotFound: there is none.
    """
    _write(workspace, number, "DELETE FROM demonstrations WHERE id = ?", [number])


def _write(workspace: Workspace, number: int, sql: str, values: list[object]) -> None:
    def work(db: Database) -> None:
        if not db.conn.execute(sql, values).rowcount:
            raise NotFound(_missing(number), todo=SEE_DEMONSTRATIONS)

    workspace.writer.run(work)


def _missing(number: int) -> str:
    return f"There is no demonstration {number}"
