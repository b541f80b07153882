"""APIs that are documented word for word the same: name, method, description and parameters.

Equal words do not make equal APIs: a template that many upload, or one tool whose documentation
leaves out what its addresses say. So how they differ beside is told, too.
"""

from typing import NamedTuple

from sqlite_utils import Database

from toolplanner_core.workspace.stored_json import stored_json
from toolplanner_core.workspace.workspace import Workspace

_SHORTEST = 20
"""Characters of a description that says something: "Get data" is nobody's own."""


class SameDocuments(NamedTuple):
    """APIs with the same words.

    Attributes:
        rowids: ascending.
        is_repeated: whether two of them have the same address: one API, listed twice.
        tools: how many tools they belong to.
    """

    rowids: tuple[int, ...]
    is_repeated: bool
    tools: int


def same_documents(workspace: Workspace) -> list[SameDocuments]:
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
        SameDocuments(tuple(sorted(stored_json(rowids))), addresses < with_one, tools)
        for rowids, addresses, with_one, tools in rows
    ]
