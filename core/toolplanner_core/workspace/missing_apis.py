"""APIs that did not come again with the last import of their source: kept as they are, and marked.

What people curated of them stays; they come back by themselves with the import that brings them.
"""

from collections.abc import Collection

from sqlite_utils import Database

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.workspace.rows import dump
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
