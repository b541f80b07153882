"""Toolkits and their members as they stand now."""

from sqlite_utils import Database

from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.places import SEE_TOOLKITS
from toolplanner_core.workspace.rows import read_one, read_rows
from toolplanner_core.workspace.workspace import Workspace

_SELECT = """
SELECT t.id, t.name, t.description, t.name_author, t.description_author, t.pinned,
       t.is_description_old,
       (SELECT count(*) FROM toolkit_members m WHERE m.toolkit_id = t.id) AS size
FROM toolkits t
"""


def list_toolkits(workspace: Workspace) -> list[Toolkit]:
    """All living toolkits, by name."""
    living = "WHERE t.retired_us IS NULL ORDER BY t.name COLLATE NOCASE, t.id"
    return read_rows(workspace.reader(), Toolkit, f"{_SELECT} {living}")


def get_toolkit(workspace: Workspace, toolkit: ToolkitId) -> Toolkit:
    """One toolkit, living or retired.

    Raises:
        NotFound: no toolkit has this id.
    """
    missing, todo = f"There is no toolkit {toolkit}", SEE_TOOLKITS
    sql = f"{_SELECT} WHERE t.id = ?"
    return read_one(workspace.reader(), Toolkit, sql, [toolkit], missing=missing, todo=todo)


def member_rowids(workspace: Workspace, toolkit: ToolkitId) -> list[int]:
    """Row ids of the APIs of a toolkit, most central first."""
    return [rowid for rowid, _ in ranked_members(workspace, toolkit)]


def ranked_members(workspace: Workspace, toolkit: ToolkitId) -> list[tuple[int, float]]:
    """Row ids of the APIs of a toolkit with their centrality, most central first."""
    rows = workspace.reader().execute(
        "SELECT api_rowid, centrality FROM toolkit_members WHERE toolkit_id = ?"
        " ORDER BY centrality DESC, api_rowid",
        [toolkit],
    )
    return [(row[0], row[1]) for row in rows]


def toolkit_of(workspace: Workspace, api: ApiId) -> ToolkitId | None:
    """The toolkit an API belongs to, None before clustering."""
    row = workspace.one_row(
        "SELECT m.toolkit_id FROM toolkit_members m JOIN apis a ON a.rowid = m.api_rowid"
        " WHERE a.id = ?",
        [api],
    )
    return None if row is None else ToolkitId(row[0])


def labels_by_rowid(workspace: Workspace) -> dict[int, ToolkitId]:
    """Toolkit of every API that has one, by API row id."""
    rows = workspace.reader().execute("SELECT api_rowid, toolkit_id FROM toolkit_members")
    return {row[0]: ToolkitId(row[1]) for row in rows}


def bump_toolkits_version(db: Database) -> None:
    """Count one change of the toolkits; inside a writer's transaction."""
    db.execute(
        "INSERT INTO settings(key, value) VALUES('toolkits_version', '1')"
        " ON CONFLICT(key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
    )
