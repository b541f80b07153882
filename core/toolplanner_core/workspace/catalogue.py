"""Read the catalogue: APIs with their tools, by id or row id."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.operation import operation_from_json
from toolplanner_core.errors import NotFound
from toolplanner_core.workspace.workspace import Workspace

_SELECT = """
SELECT a.id, s.name, a.key, t.category, t.title, a.name, a.method, a.url, a.description,
       t.description, a.parameters, a.response_schema, a.risk, a.doc_hash, a.rowid, a.operation
FROM apis a JOIN tools t ON t.id = a.tool_id JOIN sources s ON s.id = t.source_id
"""


class ApiName(NamedTuple):
    """What an API is called: permanent id, the catalogue's own key, title for people."""

    id: ApiId
    key: str
    title: str


def api_count(workspace: Workspace) -> int:
    """Number of APIs."""
    return int(workspace.one_row("SELECT count(*) FROM apis")[0])


def all_rowids(workspace: Workspace) -> list[int]:
    """Row ids of all APIs, ascending: the order of point sets."""
    return [row[0] for row in workspace.reader().execute("SELECT rowid FROM apis ORDER BY rowid")]


def get_api(workspace: Workspace, api: ApiId) -> Api:
    """One API.

    Raises:
        NotFound: no API has this id.
    """
    row = workspace.one_row(f"{_SELECT} WHERE a.id = ?", [api])
    if row is None:
        raise NotFound(f"There is no API {api}", todo="Find it with: toolplanner search")
    return _api(row)


def api_names(workspace: Workspace) -> list[ApiName]:
    """Id, key and title of every API; a tenth of a second for 45,000."""
    rows = workspace.reader().execute(
        "SELECT a.id, a.key, t.title, a.name FROM apis a JOIN tools t ON t.id = a.tool_id"
    )
    return [ApiName(ApiId(row[0]), row[1], f"{row[2]} · {row[3]}") for row in rows.fetchall()]


def apis_by_rowid(workspace: Workspace, rowids: Sequence[int]) -> dict[int, Api]:
    """The APIs with these row ids; missing ones are left out."""
    db = workspace.reader()
    found: dict[int, Api] = {}
    for begin in range(0, len(rowids), 500):
        chunk = list(rowids[begin : begin + 500])
        marks = ",".join("?" * len(chunk))
        for row in db.execute(f"{_SELECT} WHERE a.rowid IN ({marks})", chunk):
            found[row[14]] = _api(row)
    return found


def rowids_of(workspace: Workspace, apis: Iterable[ApiId]) -> dict[ApiId, int]:
    """Row ids by API id; unknown ones are left out."""
    db = workspace.reader()
    wanted = list(apis)
    found: dict[ApiId, int] = {}
    for begin in range(0, len(wanted), 500):
        chunk = wanted[begin : begin + 500]
        marks = ",".join("?" * len(chunk))
        for row in db.execute(f"SELECT id, rowid FROM apis WHERE id IN ({marks})", chunk):
            found[ApiId(row[0])] = row[1]
    return found


def _api(row: tuple[Any, ...]) -> Api:
    return Api(
        id=ApiId(row[0]),
        source=row[1],
        key=row[2],
        category=row[3],
        tool=row[4],
        name=row[5],
        method=row[6],
        url=row[7],
        description=row[8],
        tool_description=row[9],
        parameters=json.loads(row[10]),
        response_schema=None if row[11] is None else json.loads(row[11]),
        risk=Risk(row[12]),
        doc_hash=row[13],
        operation=None if row[15] is None else operation_from_json(json.loads(row[15])),
    )
