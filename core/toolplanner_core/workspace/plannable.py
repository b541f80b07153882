"""What plans may use: toolkits and members without the APIs that a person excluded
and those whose new documentation nobody has accepted.

Lists for people read `toolkits.py`, which leaves nothing out.
"""

from dataclasses import replace

from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.workspace.toolkits import labels_by_rowid, list_toolkits, member_rowids
from toolplanner_core.workspace.workspace import Workspace


def excluded_rowids(workspace: Workspace) -> frozenset[int]:
    """Row ids of the APIs that no plan is offered."""
    rows = workspace.reader().execute("SELECT api_rowid FROM unusable_apis")
    return frozenset(row[0] for row in rows)


def excluded_ids(workspace: Workspace) -> frozenset[ApiId]:
    """Permanent ids of the APIs that no plan is offered."""
    rows = workspace.reader().execute(
        "SELECT a.id FROM unusable_apis e JOIN apis a ON a.rowid = e.api_rowid"
    )
    return frozenset(ApiId(row[0]) for row in rows)


def plannable_toolkits(workspace: Workspace) -> list[Toolkit]:
    """The living toolkits but those whose every API is excluded, by name; `size` counts the APIs
    that may be used."""
    excluded = excluded_rowids(workspace)
    toolkits = list_toolkits(workspace)
    if not excluded:
        return toolkits
    owner = labels_by_rowid(workspace)
    lost: dict[ToolkitId, int] = {}
    for rowid in excluded:
        if rowid in owner:
            lost[owner[rowid]] = lost.get(owner[rowid], 0) + 1
    left = [replace(t, size=t.size - lost.get(t.id, 0)) for t in toolkits]
    return [toolkit for toolkit in left if toolkit.size or toolkit.id not in lost]


def plannable_labels(workspace: Workspace) -> dict[int, ToolkitId]:
    """The toolkit of every API that has one and may be used, by API row id."""
    labels = labels_by_rowid(workspace)
    for rowid in excluded_rowids(workspace):
        labels.pop(rowid, None)
    return labels


def plannable_members(workspace: Workspace, toolkit: ToolkitId) -> list[int]:
    """Row ids of the APIs of a toolkit that may be used, most central first."""
    excluded = excluded_rowids(workspace)
    return [rowid for rowid in member_rowids(workspace, toolkit) if rowid not in excluded]
