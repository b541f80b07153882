"""A name and a description by rule for APIs that a person chose, before they become a toolkit.

Blocks for about a second; not for the GUI thread.
"""

from collections.abc import Sequence

from toolplanner_core.curation.naming.toolkit_names import ToolkitText, name_toolkits
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.progress import Report, silent
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.documentation import load_documentation
from toolplanner_core.workspace.toolkits import list_toolkits

_BACKGROUND = 600
"""Other APIs whose texts say which words are common."""

_MOST = 400
"""Chosen APIs that are read; more say nothing new about the common subject."""


def propose_name(
    workspace: Workspace, rowids: Sequence[int], *, without: ToolkitId | None = None
) -> ToolkitText:
    """What a toolkit of these APIs would be called by rule; unlike all names there are.

    Args:
        without: a toolkit whose own name is free for it.
    """
    (text,) = propose_names(workspace, [rowids[:_MOST]], without=without)
    return text


def propose_names(
    workspace: Workspace,
    groups: Sequence[Sequence[int]],
    *,
    without: ToolkitId | None = None,
    report: Report = silent,
) -> list[ToolkitText]:
    """What toolkits of these groups of APIs would be called by rule."""
    members = [rowid for group in groups for rowid in group]
    others, chosen = all_rowids(workspace), set(members)
    sample = [r for r in others[:: max(1, len(others) // _BACKGROUND)] if r not in chosen]
    position = {rowid: place for place, rowid in enumerate(members)}
    return name_toolkits(
        load_documentation(workspace, [*members, *sample]),
        [[position[rowid] for rowid in group] for group in groups],
        taken=[toolkit.name for toolkit in list_toolkits(workspace) if toolkit.id != without],
        report=report,
    )
