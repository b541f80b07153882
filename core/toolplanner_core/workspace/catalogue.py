"""Read the catalogue: APIs with their tools, by id or row id."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlite_utils import Database

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.risks import as_said, said_risks
from toolplanner_core.words.places import FIND_API
from toolplanner_core.workspace.rows import dump, read_keyed, read_one
from toolplanner_core.workspace.workspace import Workspace

_SELECT = """
SELECT a.rowid, a.id, s.name AS source, a.key, t.category, t.title AS tool, a.name, a.method,
       a.url, a.description, t.description AS tool_description, a.parameters, a.response_schema,
       a.risk, a.doc_hash, a.operation
FROM apis a JOIN tools t ON t.id = a.tool_id JOIN sources s ON s.id = t.source_id
"""


class ApiName(NamedTuple):
    """What an API is called: permanent id, the catalogue's own key, title for people."""

    id: ApiId
    key: str
    title: str


class ApiWords(NamedTuple):
    """What an API is called and what it is for."""

    tool: str
    name: str
    functionality: str


class ImportedSource(NamedTuple):
    """A catalogue that was imported: its name and the format that it came in."""

    name: str
    format: str


def list_sources(workspace: Workspace) -> list[ImportedSource]:
    """All catalogues, by name."""
    rows = workspace.reader().execute("SELECT name, format FROM sources ORDER BY name")
    return [ImportedSource(*row) for row in rows.fetchall()]


def first_servers(workspace: Workspace, source: str, *, limit: int) -> list[str]:
    """Addresses of the servers that operations of a source name first, each once."""
    rows = workspace.reader().execute(
        "SELECT DISTINCT json_extract(a.operation, '$.servers[0]') FROM apis a"
        " JOIN tools t ON t.id = a.tool_id JOIN sources s ON s.id = t.source_id"
        " WHERE s.name = ? AND json_extract(a.operation, '$.servers[0]') IS NOT NULL LIMIT ?",
        [source, limit],
    )
    return [str(row[0]) for row in rows.fetchall()]


def api_count(workspace: Workspace) -> int:
    """Number of APIs."""
    return int(workspace.one_row("SELECT count(*) FROM apis")[0])


def all_rowids(workspace: Workspace) -> list[int]:
    """Row ids of all APIs, ascending: the order of point sets."""
    return [row[0] for row in workspace.reader().execute("SELECT rowid FROM apis ORDER BY rowid")]


def tool_numbers(workspace: Workspace) -> list[int]:
    """The number of the tool of every API, in the order of `all_rowids`."""
    return [row[0] for row in workspace.reader().execute("SELECT tool_id FROM apis ORDER BY rowid")]


def words_of_apis(workspace: Workspace, rowids: Sequence[int]) -> dict[int, ApiWords]:
    """By row id; missing ones are left out."""
    rows = workspace.reader().execute(
        "SELECT a.rowid, t.title, a.name, a.functionality FROM apis a"
        " JOIN tools t ON t.id = a.tool_id WHERE a.rowid IN (SELECT value FROM json_each(?))",
        [dump(list(rowids))],
    )
    return {row[0]: ApiWords(*row[1:]) for row in rows.fetchall()}


def get_api(workspace: Workspace, api: ApiId) -> Api:
    """One API.

    Raises:
        NotFound: no API has this id.
    """
    missing, todo = f"There is no API {api}", FIND_API
    sql = f"{_SELECT} WHERE a.id = ?"
    return as_said(read_one(workspace.reader(), Api, sql, [api], missing=missing, todo=todo))


def apis_of_method(workspace: Workspace, method: str) -> list[Api]:
    """One API of each tool whose operations have this method, such as "MCP"."""
    chosen = "WHERE json_extract(a.operation, '$.method') = ? GROUP BY a.tool_id"
    sql = f"{_SELECT} {chosen} ORDER BY a.rowid"
    return list(read_keyed(workspace.reader(), Api, sql, [method]).values())


def api_names(workspace: Workspace) -> list[ApiName]:
    """Id, key and title of every API; a tenth of a second for 45,000."""
    rows = workspace.reader().execute(
        "SELECT a.id, a.key, t.title, a.name FROM apis a JOIN tools t ON t.id = a.tool_id"
    )
    return [ApiName(ApiId(row[0]), row[1], f"{row[2]} · {row[3]}") for row in rows.fetchall()]


def titles_of_others(workspace: Workspace, source: str) -> frozenset[str]:
    """The titles, in small letters, of all APIs that came from other sources."""
    rows = workspace.reader().execute(
        "SELECT t.title, a.name FROM apis a JOIN tools t ON t.id = a.tool_id"
        " JOIN sources s ON s.id = t.source_id WHERE s.name <> ?",
        [source],
    )
    return frozenset(f"{tool} · {name}".casefold() for tool, name in rows)


def apis_by_rowid(workspace: Workspace, rowids: Sequence[int]) -> dict[int, Api]:
    """The APIs with these row ids; missing ones are left out."""
    chosen = "WHERE a.rowid IN (SELECT value FROM json_each(?))"
    found = read_keyed(workspace.reader(), Api, f"{_SELECT} {chosen}", [dump(list(rowids))])
    return {rowid: as_said(api) for rowid, api in found.items()} if said_risks() else found


def titles_by_rowid(db: Database, rowids: Iterable[int]) -> dict[int, str]:
    """Titles by row id; unknown row ids are left out."""
    rows = db.execute(
        "SELECT a.rowid, t.title, a.name FROM apis a JOIN tools t ON t.id = a.tool_id"
        " WHERE a.rowid IN (SELECT value FROM json_each(?))",
        [dump(list(rowids))],
    )
    return {rowid: f"{tool} · {name}" for rowid, tool, name in rows}


def ids_by_rowid(workspace: Workspace, rowids: Iterable[int]) -> dict[int, ApiId]:
    """Permanent ids by row id; unknown row ids are left out."""
    rows = workspace.reader().execute(
        "SELECT rowid, id FROM apis WHERE rowid IN (SELECT value FROM json_each(?))",
        [dump(list(rowids))],
    )
    return dict(rows.fetchall())


def rowids_of(workspace: Workspace, apis: Iterable[ApiId]) -> dict[ApiId, int]:
    """Row ids by API id; unknown ones are left out."""
    rows = workspace.reader().execute(
        "SELECT id, rowid FROM apis WHERE id IN (SELECT value FROM json_each(?))",
        [dump(list(apis))],
    )
    return dict(rows.fetchall())
