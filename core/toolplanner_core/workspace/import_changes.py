"""What imports changed: APIs that are documented otherwise than before, and APIs that went missing.

What people curated of them stays; they come back by themselves with the import that brings them.

Such an API waits, neither planned with nor called, until a person accepts the documentation that it
has now. What was accepted is part of the curated state, so that it can be undone; an import that
brings the former documentation back ends the waiting by itself.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlite_utils import Database

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.rows import dump, read_keyed
from toolplanner_core.workspace.workspace import Workspace

_OF = "SELECT a.rowid FROM json_each(?) j CROSS JOIN apis a ON a.id = j.value"


def mark_missing(
    db: Database, gone: Collection[ApiId], *, back: Collection[ApiId], now_us: int
) -> None:
    """Mark what did not come again, and take the mark from what is back; inside the import's
    transaction. Who is marked already keeps the time of the first import without it."""
    if gone:
        db.execute(
            f"INSERT OR IGNORE INTO missing_apis(api_rowid, since_us) SELECT rowid, ? FROM ({_OF})",
            [now_us, dump(list(gone))],
        )
    if back:
        db.execute(f"DELETE FROM missing_apis WHERE api_rowid IN ({_OF})", [dump(list(back))])


def missing_rowids(workspace: Workspace, *, is_new: bool = False) -> list[int]:
    """Row ids of the APIs that the last import of their source did not bring, ascending.

    Args:
        is_new: only those that the import before it brought.
    """
    sql = "SELECT m.api_rowid FROM missing_apis m"
    if is_new:
        sql += (
            " JOIN apis a ON a.rowid = m.api_rowid JOIN tools t ON t.id = a.tool_id"
            " JOIN sources s ON s.id = t.source_id AND s.imported_us = m.since_us"
        )
    return [row[0] for row in workspace.reader().execute(f"{sql} ORDER BY m.api_rowid")]


_FIELDS = {
    "id": "a.id", "source": "s.name", "key": "a.key", "category": "t.category", "tool": "t.title",
    "name": "a.name", "method": "a.method", "url": "a.url", "description": "a.description",
    "tool_description": "t.description", "parameters": "a.parameters",
    "response_schema": "a.response_schema", "risk": "a.risk", "doc_hash": "a.doc_hash",
    "operation": "a.operation",
}  # fmt: skip

_REMEMBER = f"""
INSERT INTO changed_documentation(api_rowid, before, before_hash, since_us)
SELECT a.rowid, json_object({", ".join(f"'{name}', {of}" for name, of in _FIELDS.items())}),
       a.doc_hash, :now_us
FROM json_each(:apis) j CROSS JOIN apis a ON a.id = j.value
JOIN tools t ON t.id = a.tool_id JOIN sources s ON s.id = t.source_id
WHERE true
ON CONFLICT(api_rowid) DO UPDATE SET before = excluded.before,
  before_hash = excluded.before_hash, since_us = excluded.since_us
  WHERE changed_documentation.api_rowid NOT IN (SELECT api_rowid FROM waiting_apis)
"""

_FORGET = """
DELETE FROM changed_documentation
WHERE api_rowid IN (SELECT a.rowid FROM json_each(?) j CROSS JOIN apis a ON a.id = j.value)
  AND api_rowid NOT IN (SELECT api_rowid FROM waiting_apis)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingApi:
    """An API that waits for a person.

    Attributes:
        before: as it was documented when that counted last.
        now: as it is documented now.
        since_us: when the import brought it, microseconds since 1970.
    """

    rowid: int
    before: Api
    now: Api
    since_us: int


def remember_changed(
    db: Database, changed: Collection[ApiId], *, trivial: Collection[ApiId], now_us: int
) -> None:
    """Keep what counts now of APIs that an import is about to change; inside its transaction.

    Who waits already keeps what counted before that.

    Args:
        changed: whose change matters.
        trivial: whose change does not; what they have then counts at once.
    """
    if trivial:
        db.execute(_FORGET, [dump(list(trivial))])
    if changed:
        db.execute(_REMEMBER, {"apis": dump(list(changed)), "now_us": now_us})


def waiting_apis(workspace: Workspace, *, source: str = "") -> list[WaitingApi]:
    """Who waits, in the order of the catalogue; of one source or all."""
    db = workspace.reader()
    columns = ", ".join(f"json_extract(c.before, '$.{name}') AS {name}" for name in _FIELDS)
    before = read_keyed(
        db,
        Api,
        f"SELECT c.api_rowid, {columns} FROM changed_documentation c"
        " JOIN waiting_apis w ON w.api_rowid = c.api_rowid",
    )
    since: dict[int, int] = dict(
        db.execute("SELECT api_rowid, since_us FROM changed_documentation").fetchall()
    )
    now = apis_by_rowid(workspace, list(before))
    return [
        WaitingApi(rowid=rowid, before=before[rowid], now=api, since_us=since[rowid])
        for rowid, api in sorted(now.items())
        if not source or api.source == source
    ]


def waiting_hashes(db: Database) -> dict[int, str]:
    """By row id of all that would wait without an acceptance: the documentation to be accepted."""
    rows = db.execute(
        "SELECT c.api_rowid, a.doc_hash FROM changed_documentation c"
        " JOIN apis a ON a.rowid = c.api_rowid WHERE a.doc_hash IS NOT c.before_hash"
    )
    return dict(rows.fetchall())


def waiting_rowids(db: Database) -> frozenset[int]:
    """Row ids of all who wait."""
    return frozenset(row[0] for row in db.execute("SELECT api_rowid FROM waiting_apis"))


def is_unusable(workspace: Workspace, api: ApiId) -> bool:
    """Whether no plan may be offered an API: it is excluded, or waits."""
    # Asked of the view of both, SQLite goes through all APIs: 16 ms of 45,000.
    row = workspace.reader().execute(
        "SELECT 1 FROM apis a JOIN excluded_apis e ON e.api_rowid = a.rowid WHERE a.id = ?", [api]
    )
    return row.fetchone() is not None or is_waiting(workspace, api)


def is_waiting(workspace: Workspace, api: ApiId) -> bool:
    """Whether an API waits; some ten microseconds, before each call."""
    row = workspace.reader().execute(
        "SELECT 1 FROM apis a JOIN waiting_apis w ON w.api_rowid = a.rowid WHERE a.id = ?", [api]
    )
    return row.fetchone() is not None
