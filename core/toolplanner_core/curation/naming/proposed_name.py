"""A name and a description by rule for APIs that a person chose, before they become a toolkit.

Blocks for about a second; not for the GUI thread.
"""

from collections.abc import Sequence

from toolplanner_core.curation.naming.toolkit_names import ToolkitText, name_toolkits
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.documentation import load_documentation
from toolplanner_core.workspace.toolkits import list_toolkits

_BACKGROUND = 600
"""Other APIs whose texts say which words are common."""

_MOST = 400
"""Chosen APIs that are read; more say nothing new about the common subject."""


def propose_name(workspace: Workspace, rowids: Sequence[int]) -> ToolkitText:
    """What a toolkit of these APIs would be called by rule; unlike all names there are."""
    members = list(rowids)[:_MOST]
    others = all_rowids(workspace)
    chosen = set(members)
    sample = [r for r in others[:: max(1, len(others) // _BACKGROUND)] if r not in chosen]
    (text,) = name_toolkits(
        load_documentation(workspace, [*members, *sample]),
        [list(range(len(members)))],
        taken=[toolkit.name for toolkit in list_toolkits(workspace)],
        report=Progress().report,
    )
    return text
