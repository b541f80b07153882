"""Saved queries with what is expected of their runs: the table `cases`."""

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.errors import BadInput
from toolplanner_core.words.places import SEE_CASES
from toolplanner_core.workspace.rows import as_stored, read_one, read_rows
from toolplanner_core.workspace.workspace import Workspace

_LONGEST_ID = 48
_SELECT = "SELECT id, title, query, options, expected FROM cases"


def list_cases(workspace: Workspace) -> list[Case]:
    """All cases in their order."""
    return read_rows(workspace.reader(), Case, f"{_SELECT} ORDER BY position, id")


def get_case(workspace: Workspace, case_id: str) -> Case:
    """One case.

    Raises:
        NotFound: no case has this id.
    """
    missing, todo = f"There is no case {case_id!r}", SEE_CASES
    sql = f"{_SELECT} WHERE id = ?"
    return read_one(workspace.reader(), Case, sql, [case_id], missing=missing, todo=todo)


def put_case(db: Database, case: Case) -> None:
    """Store a case, at the end if it is new; inside a writer's transaction."""
    db.execute(
        "INSERT INTO cases(id, title, query, options, expected, position)"
        " VALUES(?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM cases))"
        " ON CONFLICT(id) DO UPDATE SET title = excluded.title, query = excluded.query,"
        " options = excluded.options, expected = excluded.expected",
        [case.id, case.title, case.query, as_stored(case.options), as_stored(case.expected)],
    )


def save_cases(workspace: Workspace, cases: Iterable[Case]) -> None:
    """Store cases and wait until they are on disk."""

    def work(db: Database) -> None:
        for case in cases:
            put_case(db, case)

    workspace.writer.run(work)


def remove_case(workspace: Workspace, case_id: str) -> None:
    """Delete a case; its runs stay, and its results count again if it is saved again. Blocks.

    Raises:
        NotFound: no case has this id.
    """
    get_case(workspace, case_id)
    workspace.writer.run(lambda db: db.conn.execute("DELETE FROM cases WHERE id = ?", [case_id]))


def free_case_id(workspace: Workspace, title: str) -> str:
    """An id for a new case: the words of its title, with a number where they are taken."""
    words = re.findall(r"[a-z0-9]+", title.casefold())
    wanted = "-".join(words)[:_LONGEST_ID].strip("-") or "case"
    taken = {case.id for case in list_cases(workspace)}
    numbered = (f"{wanted}-{number}" for number in itertools.count(2))
    return next(each for each in itertools.chain([wanted], numbered) if each not in taken)


def case_from_json(data: Mapping[str, Any]) -> Case:
    """A case from its JSON form: the keys of `Case`, with `expected` as an object.

    Raises:
        BadInput: a field is missing or unknown.
    """
    known = [field.name for field in fields(Expectation)]
    if unknown := sorted(data.get("expected", {}).keys() - set(known)):
        raise BadInput(
            f"Unknown expectations: {', '.join(unknown)}",
            todo=f"Choose from: {', '.join(sorted(known))}",
        )
    try:
        return from_plain(Case, data)
    except (TypeError, ValueError) as error:
        where = str(data.get("id", "case"))
        raise BadInput(f"The case cannot be read: {error}", where=where) from error
