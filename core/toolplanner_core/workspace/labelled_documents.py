"""The APIs of the catalogue as documents that a retriever is trained on: text, tool, toolkit."""

from typing import NamedTuple

from toolplanner_core.workspace.workspace import Workspace


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
