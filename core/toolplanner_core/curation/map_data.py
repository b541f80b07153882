"""All that the map needs, in one call: where each API lies and which toolkit it belongs to.

Called by the window when a workspace is opened and after each change of toolkits or layout; 45,000
APIs in less than half a second.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_count
from toolplanner_core.workspace.layouts import load_layout
from toolplanner_core.workspace.point_sets import load_point_set
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import labels_by_rowid, list_toolkits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapData:
    """The map of a workspace.

    Attributes:
        rowids: (n,) int32, row ids of the APIs on the map.
        xy: (n, 2) float32.
        toolkit: (n,) int32, index into `toolkits`; -1 for an API without one.
        toolkits: all living toolkits, by name; a retired one is never referred to.
        n_apis: APIs in the workspace; those beyond n have no place yet (imported later).
        legend: what nearness on the map means, for people.
        layout: row of the layout.
    """

    rowids: NDArray[np.int32]
    xy: NDArray[np.float32]
    toolkit: NDArray[np.int32]
    toolkits: list[Toolkit]
    n_apis: int
    legend: str
    layout: int


def load_map(workspace: Workspace) -> MapData | None:
    """The active layout with the toolkits as they are now; None before the first layout.

    Ids of single APIs are not loaded: `catalogue.apis_by_rowid` gives those that are looked at.
    """
    active: int | None = get_setting(workspace, "active_layout")
    if active is None:
        return None
    layout = load_layout(workspace, active)
    rowids = load_point_set(workspace, layout.point_set).rowids
    toolkits = list_toolkits(workspace)
    index = {toolkit.id: position for position, toolkit in enumerate(toolkits)}
    toolkit_of = labels_by_rowid(workspace)
    labels = np.array(
        [
            index.get(toolkit_of[rowid], -1) if rowid in toolkit_of else -1
            for rowid in rowids.tolist()
        ],
        dtype=np.int32,
    )
    return MapData(
        rowids=rowids,
        xy=layout.xy,
        toolkit=labels,
        toolkits=toolkits,
        n_apis=api_count(workspace),
        legend=str(layout.options.get("legend", "")),
        layout=active,
    )
