"""The APIs of a toolkit as lists show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.curated_tables import CuratedTables
from toolplanner_core.workspace.toolkits import ranked_members


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitMember:
    """An API of a toolkit.

    Attributes:
        centrality: cosine of its vector to the toolkit's centroid.
        is_pinned: no machine may move it.
        is_excluded: no plan is offered it.
    """

    rowid: int
    title: str
    description: str
    centrality: float = 0.0
    is_pinned: bool = False
    is_excluded: bool = False


def read_members(
    workspace: Workspace, toolkit: ToolkitId, begin: int = 0, most: int | None = None
) -> Sequence[ToolkitMember]:
    """Members of a toolkit from a position on, most central first; a few milliseconds a page."""
    ranked = ranked_members(workspace, toolkit)[begin:]
    ranked = ranked if most is None else ranked[:most]
    rowids = [rowid for rowid, _ in ranked]
    apis = apis_by_rowid(workspace, rowids)
    view = CuratedTables(workspace.reader())
    memberships, excluded = view.memberships(rowids), view.exclusions(rowids)
    return [
        ToolkitMember(
            rowid=rowid,
            title=apis[rowid].title,
            description=apis[rowid].description,
            centrality=centrality,
            is_pinned=rowid in memberships and memberships[rowid].is_pinned,
            is_excluded=rowid in excluded,
        )
        for rowid, centrality in ranked
        if rowid in apis
    ]
