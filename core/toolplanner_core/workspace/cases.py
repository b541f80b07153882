"""Saved queries with what is expected of their runs, and how those runs went.

A result says by what it was judged and which edit counted then, so that what a case shows now can
be told from what it showed before the last edits, and from what was judged by other expectations.
"""

import hashlib
import itertools
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.domain.ids import EditId, RunId
from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.errors import BadInput
from toolplanner_core.words.window_places import SEE_CASES
from toolplanner_core.workspace.rows import as_stored, dump, insert, read_one, read_rows, row_of
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCaseResult:
    """How one run of a case went.

    Attributes:
        edit: the edit of toolkits that counted last when it began; 0 = none.
        judged_by: see `judged_by`.
        why: what the run did not show as expected; empty when passed.
    """

    case_id: str
    run_id: RunId
    edit: EditId
    judged_by: str
    passed: bool
    why: tuple[str, ...]
    made_us: int


def judged_by(case: Case) -> str:
    """What tells two versions of a case apart: of its query, options and expectations."""
    words = dump([case.query, dict(case.options), case.expected])
    return hashlib.sha256(words.encode()).hexdigest()


def add_result(
    workspace: Workspace,
    case: Case,
    run: RunId,
    *,
    edit: EditId,
    why: Sequence[str],
) -> None:
    """Store how a run of a case went. Blocks."""
    result = StoredCaseResult(
        case_id=case.id,
        run_id=run,
        edit=edit,
        judged_by=judged_by(case),
        passed=not why,
        why=tuple(why),
        made_us=time.time_ns() // 1000,
    )
    workspace.writer.run(lambda db: insert(db, "case_results", row_of(result)))


def cases_of_runs(workspace: Workspace) -> dict[RunId, str]:
    """Runs that were made to see whether a case passes, with the id of the case."""
    rows = workspace.reader().execute("SELECT run_id, case_id FROM case_results")
    return {RunId(run): str(case) for run, case in rows}


def results_by_case(workspace: Workspace) -> dict[str, list[StoredCaseResult]]:
    """All results by the id of their case, the newest first."""
    found: dict[str, list[StoredCaseResult]] = defaultdict(list)
    sql = "SELECT * FROM case_results ORDER BY id DESC"
    for result in read_rows(workspace.reader(), StoredCaseResult, sql):
        found[result.case_id].append(result)
    return found
