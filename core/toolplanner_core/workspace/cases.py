"""Saved queries with what is expected of their runs: the table `cases`."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.workspace.workspace import Workspace

_SELECT = "SELECT id, title, query, options, expected FROM cases"
_LISTS = {
    "answer_contains", "answer_any_of", "toolkits", "toolkits_in_order", "avoided_toolkits",
    "failed_apis", "succeeded_apis", "exhausted_toolkits",
}  # fmt: skip


def list_cases(workspace: Workspace) -> list[Case]:
    """All cases in their order."""
    rows = workspace.reader().execute(f"{_SELECT} ORDER BY position, id")
    return [_case(row) for row in rows]


def get_case(workspace: Workspace, case_id: str) -> Case:
    """One case.

    Raises:
        NotFound: no case has this id.
    """
    row = workspace.one_row(f"{_SELECT} WHERE id = ?", [case_id])
    if row is None:
        raise NotFound(
            f"There is no case {case_id!r}", todo="List them with: toolplanner cases list"
        )
    return _case(row)


def put_case(db: Database, case: Case) -> None:
    """Store a case, at the end if it is new; inside a writer's transaction."""
    db.execute(
        "INSERT INTO cases(id, title, query, options, expected, position)"
        " VALUES(?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM cases))"
        " ON CONFLICT(id) DO UPDATE SET title = excluded.title, query = excluded.query,"
        " options = excluded.options, expected = excluded.expected",
        [
            case.id,
            case.title,
            case.query,
            json.dumps(case.options, ensure_ascii=False),
            json.dumps(expectation_to_json(case.expected), ensure_ascii=False),
        ],
    )


def save_cases(workspace: Workspace, cases: Iterable[Case]) -> None:
    """Store cases and wait until they are on disk."""

    def work(db: Database) -> None:
        for case in cases:
            put_case(db, case)

    workspace.writer.run(work)


def case_from_json(data: Mapping[str, Any]) -> Case:
    """A case from its JSON form: the keys of `Case`, with `expected` as an object.

    Raises:
        BadInput: a field is missing or unknown.
    """
    try:
        return Case(
            id=data["id"],
            title=data["title"],
            query=data["query"],
            options=dict(data.get("options", {})),
            expected=expectation_from_json(data.get("expected", {})),
        )
    except KeyError as error:
        raise BadInput(f"The case lacks {error}", where=str(data.get("id", "case"))) from error


def expectation_to_json(expected: Expectation) -> dict[str, Any]:
    """Only the fields that differ from the defaults."""
    default = asdict(Expectation())
    return {key: value for key, value in asdict(expected).items() if value != default[key]}


def expectation_from_json(data: Mapping[str, Any]) -> Expectation:
    """The reverse of `expectation_to_json`.

    Raises:
        BadInput: a field or an error class is unknown.
    """
    known = {field.name for field in fields(Expectation)}
    if unknown := sorted(set(data) - known):
        raise BadInput(
            f"Unknown expectations: {', '.join(unknown)}",
            todo=f"Choose from: {', '.join(sorted(known))}",
        )
    values = dict(data)
    try:
        values["error_classes"] = tuple(ErrorClass(e) for e in data.get("error_classes", ()))
    except ValueError as error:
        raise BadInput("Unknown error class", where="expected", why=str(error)) from error
    for key in _LISTS & set(data):
        values[key] = tuple(data[key])
    return Expectation(**values)


def _case(row: tuple[Any, ...]) -> Case:
    return Case(
        id=row[0],
        title=row[1],
        query=row[2],
        options=json.loads(row[3]),
        expected=expectation_from_json(json.loads(row[4])),
    )
