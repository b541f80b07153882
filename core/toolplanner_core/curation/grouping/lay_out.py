"""Place a workspace's APIs on the map and store where they lie.

The computing is done in worker processes; a killed worker or a cancel changes nothing.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.grouping.points import (
    Points,
    ensure_neighbours,
    load_points,
    toolkit_labels,
)
from toolplanner_core.curation.grouping.region_keeping import keep_regions, region_labels
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.layout.layout import LayoutPlugin, Neighbourhood, Positions, layouts
from toolplanner_core.options.values import check_options
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.point_sets import StoredLayout, find_layout, put_layout
from toolplanner_core.workspace.settings import get_setting, set_setting

_FIRST = "first places"
"""Stands in the options of a layout where others have the hash of their toolkits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutReport:
    """What `lay_out` did.

    Attributes:
        layout: its row, now the active one.
        points: how many APIs were placed.
        legend: what nearness on the map means.
        reused: the same had been computed before.
    """

    layout: int
    method: str
    points: int
    legend: str
    reused: bool
    seconds: float


def lay_out(
    workspace: Workspace,
    *,
    method: str = "umap",
    options: Any = None,
    seed: int = 0,
    progress: Progress,
) -> LayoutReport:
    """Place all APIs that have a vector and make the layout the active one.

    Blocks; the work is done in worker processes. A layout that was computed from the same inputs is
    taken again.

    Args:
        method: id of a layout plug-in.
        options: an instance of its options class; None takes the defaults.
        seed: same APIs, toolkits, options and seed: same map.

    Raises:
        NotFound: no such method, or nothing is embedded.
        BadInput: there are no APIs.
        Cancelled, WorkerDied: nothing was changed, but finished neighbours are kept.
    """
    began_s = time.monotonic()
    plugin = layouts.get(method)
    options = check_options(plugin.options, options, of=f"layout {method}")
    progress.report("Loading vectors", 0, None)
    points = load_points(workspace)
    fit, labels, groups = _by_groups(workspace, plugin, options, points)
    legend = plugin.legend(options)
    made_of = points.made_of(method, options, seed, labels=groups, legend=legend)
    stored = find_layout(workspace, **made_of)
    if stored is not None:
        set_setting(workspace, "active_layout", stored.id)
        layout = stored.id
    else:
        neighbours = ensure_neighbours(workspace, points, progress=progress)
        xy = run_in_worker(
            fit,
            points.vectors,
            Neighbourhood(*neighbours),
            labels,
            options=options,
            seed=seed,
            progress=progress,
            what="layout",
        )
        layout = put_layout(workspace, StoredLayout(**made_of, xy=xy))
    return LayoutReport(
        layout=layout,
        method=method,
        points=len(points.vectors),
        legend=legend,
        reused=stored is not None,
        seconds=time.monotonic() - began_s,
    )


def show_first_places(workspace: Workspace, *, method: str, seed: int, progress: Progress) -> bool:
    """Where there is no map yet, place all APIs where their layout begins; `lay_out` goes on there.

    Blocks for a second or two at 45,000 APIs; the work is done in a worker process.

    Args:
        method: id of a layout plug-in.
        seed: as of `lay_out`.

    Returns:
        Whether there is something to be seen now.

    Raises:
        NotFound: no such method, or nothing is embedded.
        Cancelled, WorkerDied: nothing was changed.
    """
    plugin = layouts.get(method)
    has_map = get_setting(workspace, "active_layout") is not None
    if plugin.first_places is None or has_map:
        return False
    points = load_points(workspace)
    xy = run_in_worker(
        plugin.first_places,
        points.vectors,
        region_labels(workspace, points.point_set.rowids.tolist()),
        seed=seed,
        progress=progress,
        what="layout",
    )
    made_of = points.made_of(
        method, plugin.options(), seed, labels=_FIRST, legend="First places, by region alone"
    )
    put_layout(workspace, StoredLayout(**made_of, xy=xy))
    return True


def is_unfinished(layout: StoredLayout) -> bool:
    """Whether these are first places, and the layout that begins there did not come to its end."""
    return layout.options.get("labels") == _FIRST


class _ByGroups(NamedTuple):
    """What places, the toolkit of each API, and a hash of all groups that it depends on."""

    fit: Callable[..., Positions]
    labels: NDArray[np.int32]
    groups: str


def _by_groups(
    workspace: Workspace, plugin: LayoutPlugin, options: Any, points: Points
) -> _ByGroups:
    rowids: list[int] = points.point_set.rowids.tolist()
    labels = np.full(len(rowids), -1, dtype=np.int32)
    fit, used = plugin.fit, b""
    if plugin.uses_labels(options):
        labels = toolkit_labels(workspace, rowids).labels
        used = labels.tobytes()
    if plugin.uses_regions(options):
        keep_regions(workspace, by_place=False)
        regions = region_labels(workspace, rowids)
        used += regions.tobytes()
        # Only plug-ins that use regions take them.
        fit = partial(plugin.fit, regions=regions)  # pyright: ignore[reportCallIssue]
    return _ByGroups(fit, labels, hashlib.sha256(used).hexdigest()[:16] if used else "")
