"""APIs that are documented word for word the same: name, method, description and parameters."""

from sqlite_utils import Database

from toolplanner_core.workspace.stored_json import stored_json
from toolplanner_core.workspace.workspace import Workspace

_SHORTEST = 20
"""Characters of a description that says something: "Get data" is nobody's own."""


def same_documents(workspace: Workspace) -> list[list[int]]:
    """Row ids of the APIs of each set, the largest sets first; excluded ones left out. Blocks."""
    db: Database = workspace.reader()
    rows = db.execute(
        "SELECT json_group_array(rowid) FROM apis WHERE length(description) > ?"
        " AND rowid NOT IN (SELECT api_rowid FROM excluded_apis)"
        " GROUP BY lower(name), method, description, parameters"
        " HAVING count(*) > 1 ORDER BY count(*) DESC, min(rowid)",
        [_SHORTEST],
    )
    return [sorted(stored_json(row[0])) for row in rows]
