"""Put new APIs beside the ones that are there: on the map, and into toolkits.

After an import into a prepared workspace nothing that exists moves: the old coordinates stay bit
for bit, pinned toolkits gain nothing. A new API goes to the toolkit that it fits with a measured
confidence, by an edit in the history that can be undone; below one half it has "no home yet" and
waits in the review queue.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.assigning import Assigned, assign
from toolplanner_core.clustering.neighbours import (
    NEIGHBOURS,
    NearestNeighbours,
    extend_neighbours,
    nearest_neighbours,
)
from toolplanner_core.curation.edits.history import do
from toolplanner_core.curation.edits.split import Regroup
from toolplanner_core.curation.grouping.lay_out import LayoutReport
from toolplanner_core.curation.grouping.points import Points, load_points, toolkit_labels
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.layout.placing import place
from toolplanner_core.retrieval.vocabulary import unknown_texts
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, words_of_apis
from toolplanner_core.workspace.point_sets import (
    Placement,
    StoredLayout,
    ensure_point_set,
    load_layout,
    load_point_set,
    put_layout,
    put_neighbours,
    put_placements,
    stored_neighbours,
)
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkit_replacement import is_curated
from toolplanner_core.workspace.toolkits import labels_by_rowid, list_toolkits

MOST_NEW = 0.5
"""With more new APIs than this share of the old ones the map is made anew, if nobody curated it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceReport:
    """What `place_new_apis` did.

    Attributes:
        placed: how many APIs are new on the map.
        assigned: new APIs that were put into a toolkit.
        homeless: new APIs that fit none well enough.
    """

    placed: int
    assigned: int
    homeless: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placing:
    """What there is to place.

    Attributes:
        frozen: (n,) positions in `points` of the APIs on the map, in the map's order.
        new: (m,) positions in `points` of the others.
    """

    layout: StoredLayout
    points: Points
    frozen: NDArray[np.int64]
    new: NDArray[np.int64]


class _Outcome(NamedTuple):
    """The worker's result."""

    xy: NDArray[np.float32]
    assigned: Assigned
    neighbours: NearestNeighbours


class PlacedApis(NamedTuple):
    """The map with the new APIs on it, and what became of them."""

    layout: LayoutReport
    placed: PlaceReport


def count_new(workspace: Workspace) -> int | None:
    """How many APIs are not on the active map; None without one."""
    active: int | None = get_setting(workspace, "active_layout")
    if active is None:
        return None
    on_map = load_point_set(workspace, load_layout(workspace, active).point_set).rowids
    return len(set(all_rowids(workspace)).difference(on_map.tolist()))


def find_placing(workspace: Workspace) -> Placing | None:
    """Which APIs are new to the active map; None if there is no map that they could be put on."""
    active: int | None = get_setting(workspace, "active_layout")
    if active is None or not list_toolkits(workspace):
        return None
    layout = load_layout(workspace, active)
    points = load_points(workspace)
    # A map that people know stays when the embedder is exchanged, one that nobody curated need not.
    if layout.embedder != points.embedder and not is_curated(workspace):
        return None
    on_map = load_point_set(workspace, layout.point_set).rowids
    position = {rowid: i for i, rowid in enumerate(points.point_set.rowids.tolist())}
    if any(rowid not in position for rowid in on_map.tolist()):
        return None
    frozen = np.array([position[rowid] for rowid in on_map.tolist()], dtype=np.int64)
    new = np.setdiff1d(np.arange(len(position)), frozen)
    return Placing(layout=layout, points=points, frozen=frozen, new=new)


def place_new_apis(
    workspace: Workspace,
    placing: Placing,
    *,
    progress: Progress,
) -> PlacedApis:
    """Put the new APIs on the map and into toolkits; blocks, about 2 s for 100 among 45,000.

    Raises:
        Cancelled, WorkerDied: nothing was changed.
    """
    began_s = time.monotonic()
    n, m = len(placing.frozen), len(placing.new)
    layout, assigned = placing.layout.id, 0
    if m:
        vectors, rowids = placing.points.vectors, placing.points.point_set.rowids
        toolkits, labels = toolkit_labels(workspace, rowids[placing.frozen].tolist())
        outcome = run_in_worker(
            _place_and_assign,
            vectors[placing.new],
            vectors[placing.frozen],
            placing.layout.xy,
            labels,
            _known_neighbours(workspace, placing),
            is_unknown=_unknown(workspace, rowids[placing.new].tolist()),
            progress=progress,
            what="placing",
        )
        layout = _store_map(workspace, placing, outcome)
        assigned = _store_toolkits(
            workspace, rowids[placing.new].tolist(), outcome.assigned, toolkits
        )
    made = LayoutReport(
        layout=layout,
        method=placing.layout.method,
        points=n + m,
        legend=str(placing.layout.options.get("legend", "")),
        reused=not m,
        seconds=time.monotonic() - began_s,
    )
    report = PlaceReport(placed=m, assigned=assigned, homeless=m - assigned, seconds=made.seconds)
    return PlacedApis(made, report)


def _place_and_assign(
    new: NDArray[np.float32],
    frozen: NDArray[np.float32],
    xy: NDArray[np.float32],
    labels: NDArray[np.int32],
    known: NearestNeighbours | None,
    *,
    is_unknown: NDArray[np.bool_],
    report: Report,
) -> _Outcome:
    """The part that computes; in a worker process."""
    if known is None:
        known = nearest_neighbours(frozen, NEIGHBOURS, report=report)
    placed = place(new, frozen, xy, report=report)
    assigned = assign(
        new,
        frozen,
        labels,
        neighbours=placed.neighbours,
        known_neighbours=known.indices,
        is_unknown=is_unknown,
        report=report,
    )
    return _Outcome(placed.xy, assigned, extend_neighbours(known, frozen, new, report=report))


def _unknown(workspace: Workspace, rowids: list[int]) -> NDArray[np.bool_]:
    """(m,) bool, the new APIs whose texts say nothing: nobody knows their words."""
    words = words_of_apis(workspace, rowids)
    texts = [words[rowid].functionality for rowid in rowids]
    unknown = unknown_texts(workspace, texts, without=set(rowids))
    return np.array(unknown, dtype=np.bool_)


def _known_neighbours(workspace: Workspace, placing: Placing) -> NearestNeighbours | None:
    """Neighbours of the APIs on the map, if they are stored for their texts as they are now."""
    rowids = placing.points.point_set.rowids[placing.frozen].tolist()
    point_set = ensure_point_set(workspace, rowids)
    k = min(NEIGHBOURS, len(rowids))
    stored = stored_neighbours(workspace, point_set.id, placing.points.embedder, k)
    return None if stored is None else NearestNeighbours(*stored)


def _store_map(workspace: Workspace, placing: Placing, outcome: _Outcome) -> int:
    rowids = placing.points.point_set.rowids
    everyone = [*rowids[placing.frozen].tolist(), *rowids[placing.new].tolist()]
    point_set = ensure_point_set(workspace, everyone)
    put_neighbours(workspace, point_set.id, placing.points.embedder, *outcome.neighbours)
    return put_layout(
        workspace,
        StoredLayout(
            point_set=point_set.id,
            embedder=placing.points.embedder,
            method=placing.layout.method,
            options={**placing.layout.options, "placed_on": placing.layout.id},
            xy=np.concatenate((placing.layout.xy, outcome.xy)),
        ),
    )


def _store_toolkits(
    workspace: Workspace, rowids: list[int], assigned: Assigned, toolkits: list[ToolkitId]
) -> int:
    """Remember the placements and make the edit; how many APIs got a toolkit."""
    confidence: list[float] = assigned.confidence.tolist()
    likely = zip(assigned.best.tolist(), confidence, strict=True)
    best = [toolkits[i] if i >= 0 and sure > 0 else None for i, sure in likely]
    placements = list(map(Placement, rowids, best, confidence))
    workspace.writer.run(lambda db: put_placements(db, placements))
    pinned = {toolkit.id for toolkit in list_toolkits(workspace) if toolkit.pinned}
    has_home = labels_by_rowid(workspace).keys()
    is_sure = (assigned.labels >= 0).tolist()
    sure = {
        rowid: toolkit
        for rowid, toolkit, sure in zip(rowids, best, is_sure, strict=True)
        if sure and toolkit is not None and toolkit not in pinned and rowid not in has_home
    }
    if not sure:
        return 0
    n_toolkits = len(set(sure.values()))
    edit = Regroup(
        title=f"Put {counted(len(sure), 'new API')} into {counted(n_toolkits, 'toolkit')}",
        rowids=tuple(sure),
        toolkits=tuple(sure.values()),
    )
    try:
        do(workspace, edit, origin={"by": "placing"}, actor=Author.RULE)
    except BadInput:
        # A toolkit was merged or pinned by a person meanwhile: all of them wait in the queue.
        return 0
    return len(sure)
