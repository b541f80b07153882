"""Read the catalogue: APIs by id or row id, page by page, their texts, their names as tools.

APIs that may not be planned with are not among them: this is what strategies look through.

For work over the whole catalogue: naming toolkits, finding copies; 45,000 in half a second at most.

Equal words do not make equal APIs: a template that many upload, or one tool whose documentation
leaves out what its addresses say. So how they differ beside is told, too.
"""

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlite_utils import Database

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.risk_overrides import risk_overrides, with_risk_override
from toolplanner_core.words.window_places import FIND_API
from toolplanner_core.workspace.rows import dump, read_keyed, read_one, stored_json
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
    """What an API is called, what it is for, and how it is called over HTTP, if it is."""

    tool: str
    name: str
    functionality: str
    method: str = ""
    url: str = ""


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
        "SELECT a.rowid, t.title, a.name, a.functionality, a.method, a.url FROM apis a"
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
    return with_risk_override(
        read_one(workspace.reader(), Api, sql, [api], missing=missing, todo=todo)
    )


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
    return (
        {rowid: with_risk_override(api) for rowid, api in found.items()}
        if risk_overrides()
        else found
    )


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


_FROM = (
    " FROM apis a JOIN tools t ON t.id = a.tool_id JOIN sources s ON s.id = t.source_id"
    " LEFT JOIN toolkit_members m ON m.api_rowid = a.rowid"
    " LEFT JOIN toolkits k ON k.id = m.toolkit_id"
    " WHERE a.rowid NOT IN (SELECT api_rowid FROM unusable_apis)"
)
_LEVELS = {
    "source": ("s.name", "s.name", "s.format"),
    "category": ("t.category", "t.category", "''"),
    "tool": ("t.title", "t.title", "max(t.description)"),
    "toolkit": ("k.id", "k.name", "max(k.description)"),
    "api": ("a.id", "a.name", "a.description"),
}
"""Of each level: what names an entry, its name for people, its description."""
_WITH_TOOL = "CASE t.title WHEN '' THEN a.name ELSE t.title || ' · ' || a.name END"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowseScope:
    """What entries must be below; "" and None = anything.

    Attributes:
        apis: row ids of the only APIs that there are.
    """

    source: str = ""
    category: str = ""
    tool: str = ""
    toolkit: int | None = None
    toolkits: Collection[int] | None = None
    apis: Collection[int] | None = None


class BrowseRow(NamedTuple):
    """One entry: id, name, description, APIs below it."""

    id: str
    name: str
    description: str
    size: int


class BrowsePage(NamedTuple):
    """Some entries, and how many there are in all."""

    rows: list[BrowseRow]
    total: int


def browse(
    workspace: Workspace, level: str, within: BrowseScope, *, page: int, size: int
) -> BrowsePage:
    """One page of a level in the order of names; `page` counts from 1. APIs that are below no tool
    and no toolkit are named with their tool. Blocks."""
    key, name, description = _LEVELS[level]
    if level == "api" and not within.tool and within.toolkit is None:
        name = _WITH_TOOL
    where, values = _conditions(level, within)
    db = workspace.reader()
    total = db.execute(f"SELECT count(DISTINCT {key}){_FROM}{where}", values).fetchone()[0]
    rows = db.execute(
        f"SELECT {key}, {name}, {description}, count(*){_FROM}{where}"
        f" GROUP BY {key} ORDER BY {name} COLLATE NOCASE, {key} LIMIT ? OFFSET ?",
        [*values, size, (page - 1) * size],
    )
    return BrowsePage([BrowseRow(str(row[0]), *row[1:]) for row in rows], int(total))


def _conditions(level: str, within: BrowseScope) -> tuple[str, list[Any]]:
    parts: list[tuple[str, list[Any]]] = []
    for column, value in (
        ("s.name", within.source),
        ("t.category", within.category),
        ("t.title", within.tool),
    ):
        if value:
            parts.append((f"{column} = ?", [value]))
    if within.toolkit is not None:
        parts.append(("k.id = ?", [within.toolkit]))
    if within.toolkits is not None:
        marks = ",".join("?" * len(within.toolkits))
        parts.append((f"k.id IN ({marks})", list(within.toolkits)))
    if within.apis is not None:
        parts.append(("a.rowid IN (SELECT value FROM json_each(?))", [dump(sorted(within.apis))]))
    if level == "toolkit":
        parts.append(("k.retired_us IS NULL AND k.id IS NOT NULL", []))
    where = "".join(f" AND {text}" for text, _ in parts)
    return where, [value for _, some in parts for value in some]


class ApiText(NamedTuple):
    """What the documentation of one API says in words."""

    name: str
    tool: str
    category: str
    description: str
    tool_description: str

    @property
    def tool_key(self) -> tuple[str, str, str]:
        """What is the same for all APIs of a tool: category, title, description."""
        return self.category, self.tool, self.tool_description


def load_documentation(workspace: Workspace, rowids: Sequence[int]) -> list[ApiText]:
    """The texts of these APIs, in this order; a row id that is not there is left out."""
    return documentation_in(workspace.reader(), rowids)


def documentation_in(db: Database, rowids: Sequence[int]) -> list[ApiText]:
    """As `load_documentation`, inside a transaction."""
    rows = db.execute(
        "SELECT a.name, t.title, t.category, a.description, t.description FROM json_each(?) j"
        " JOIN apis a ON a.rowid = j.value JOIN tools t ON t.id = a.tool_id ORDER BY j.key",
        [dump(list(rowids))],
    )
    return [ApiText(*row) for row in rows]


_MARK = "\x1f"
"""Stands between parameter names; no name holds a control character."""


class Signature(NamedTuple):
    """How one API is called.

    Attributes:
        parameters: names in documented order.
        address: method and URL, such as "GET https://host/v1/rates"; "" without a URL.
    """

    parameters: list[str]
    address: str


def load_signatures(workspace: Workspace, rowids: Sequence[int]) -> list[Signature]:
    """The signatures of these APIs, in this order; a row id that is not there is left out."""
    rows = workspace.reader().execute(
        "SELECT (SELECT group_concat(p.key, char(31)) FROM json_each(a.parameters, '$.properties')"
        " p), a.method, a.url FROM json_each(?) j JOIN apis a ON a.rowid = j.value ORDER BY j.key",
        [dump(list(rowids))],
    )
    return [
        Signature(names.split(_MARK) if names else [], f"{method} {url}" if url else "")
        for names, method, url in rows
    ]


class StoredDocument(NamedTuple):
    """One API.

    Attributes:
        tool: source, category and key of its tool: names it once.
        toolkit: None when it is in none.
    """

    rowid: int
    key: str
    tool: str
    text: str
    toolkit: int | None


def stored_documents(workspace: Workspace) -> list[StoredDocument]:
    """All APIs in catalogue order."""
    rows = workspace.reader().execute(
        "SELECT a.rowid, a.key, s.name || '/' || t.category || '/' || t.key, a.functionality,"
        " m.toolkit_id FROM apis a JOIN tools t ON t.id = a.tool_id"
        " JOIN sources s ON s.id = t.source_id"
        " LEFT JOIN toolkit_members m ON m.api_rowid = a.rowid ORDER BY a.rowid"
    )
    return [StoredDocument(*row) for row in rows.fetchall()]


_SHORTEST = 20
"""Characters of a description that says something: "Get data" is nobody's own."""


class DuplicateDocuments(NamedTuple):
    """APIs with the same words.

    Attributes:
        rowids: ascending.
        is_repeated: whether two of them have the same address: one API, listed twice.
        tools: how many tools they belong to.
    """

    rowids: tuple[int, ...]
    is_repeated: bool
    tools: int


def duplicate_documents(workspace: Workspace) -> list[DuplicateDocuments]:
    """The sets of such APIs, the largest first; excluded ones left out. Blocks."""
    db: Database = workspace.reader()
    rows = db.execute(
        "SELECT json_group_array(rowid), count(DISTINCT nullif(url, '')), count(nullif(url, '')),"
        " count(DISTINCT tool_id) FROM apis WHERE length(description) > ?"
        " AND rowid NOT IN (SELECT api_rowid FROM excluded_apis)"
        " GROUP BY lower(name), method, description, parameters"
        " HAVING count(*) > 1 ORDER BY count(*) DESC, min(rowid)",
        [_SHORTEST],
    )
    return [
        DuplicateDocuments(tuple(sorted(stored_json(rowids))), addresses < with_one, tools)
        for rowids, addresses, with_one, tools in rows
    ]


def stored_tool_names(workspace: Workspace, of: Sequence[ApiId] | None = None) -> dict[ApiId, str]:
    """The names that were given to these APIs; None = all, also to APIs that are gone."""
    sql, values = "SELECT api_id, name FROM tool_names", list[str]()
    if of is not None:
        sql, values = f"{sql} WHERE api_id IN (SELECT value FROM json_each(?))", [json.dumps(of)]
    return {ApiId(api): name for api, name in workspace.reader().execute(sql, values)}


def api_of_tool_name(workspace: Workspace, name: str) -> ApiId | None:
    """The API with this name, whatever its letters are, large or small."""
    sql = "SELECT api_id FROM tool_names WHERE name = ? COLLATE NOCASE"
    row = workspace.one_row(sql, [name])
    return None if row is None else ApiId(row[0])


def store_tool_names(workspace: Workspace, names: Mapping[ApiId, str]) -> None:
    """Keep names of APIs that have none yet; waits until they are on disk.

    What another process has kept meanwhile, of these APIs or by these names, stays.
    """
    now = time.time_ns() // 1000
    rows = [(api, name, now) for api, name in names.items()]
    workspace.writer.run(
        lambda db: db.conn.executemany(
            "INSERT OR IGNORE INTO tool_names(api_id, name, given_us) VALUES(?, ?, ?)", rows
        )
    )
