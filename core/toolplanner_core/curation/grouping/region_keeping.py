"""Regions as a part of the curated state: found once, kept from then on.

Whatever is edited, a toolkit stays in its region, and a new one belongs to that of most of its
members (`edits/region.py`, `workspace/toolkit_replacement.py`). Here: regions for a workspace that
has none, for toolkits that no region is known for, and, after everything was clustered and laid out
anew, regions found anew that continue the old ones by overlap, under their number and colour.
Blocks for about a second with 5,000 toolkits; costs two queries when there is nothing to do.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import unit
from toolplanner_core.clustering.matching import continued_groups
from toolplanner_core.curation.grouping.region_colours import choose_colours, next_colours
from toolplanner_core.curation.grouping.toolkit_sums import ToolkitSums, toolkit_sums
from toolplanner_core.domain.curated import RegionFields, revived_fields
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.jobs.isolation import Isolation, PartFailure, PartKind
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.curated_tables import (
    all_region_of,
    all_regions,
    next_region,
    write_regions,
)
from toolplanner_core.workspace.point_sets import load_layout, load_point_set
from toolplanner_core.workspace.settings import get_setting, put_setting
from toolplanner_core.workspace.toolkits import (
    bump_toolkits_version,
    labels_by_rowid,
    list_toolkits,
)

_CONTINUES = 0.3
"""A region continues an old one if more than this share of their joint APIs is common."""
_REGIONS = PartKind("grouping into regions", "groupings into regions", "regions are as before")
_COLOURS = PartKind("choice of colours", "choices of colours", "regions get the next free ones")
_KEPT_AT = "regions_kept_at"
"""Setting: the version of the toolkits that regions were looked after at."""


def keep_regions(
    workspace: Workspace, *, is_anew: bool = False, by_place: bool = True
) -> tuple[PartFailure, ...]:
    """See to it that every toolkit with vectors has a region, where there are enough toolkits.

    Args:
        is_anew: all toolkits were made anew: find the regions anew, too.
        by_place: whether regions are areas of the map that is there; a map that is made by regions
            comes after them.

    Returns:
        What no rule could make: regions stay as they are where they cannot be found, are called
        plainly where they cannot be named.
    """
    isolation = Isolation()
    db = workspace.reader()
    version = get_setting(workspace, "toolkits_version", 0)
    if not is_anew and get_setting(workspace, _KEPT_AT) == version:
        return isolation.failures
    toolkits = {toolkit.id: toolkit.name for toolkit in list_toolkits(workspace)}
    known, regions = all_region_of(db), all_regions(db)
    homeless = toolkits.keys() - known.keys()
    sums = toolkit_sums(workspace) if homeless or is_anew else None
    if sums is None or not len(sums.toolkits):
        changes: tuple[Mapping[RegionId, Any], Mapping[ToolkitId, RegionId]] = ({}, {})
    elif is_anew or not regions:
        with workspace.snapshot() as at:
            changes = _found(workspace, at, sums, toolkits, isolation, by_place=by_place)
    else:
        nearest = partial(_nearest, sums, known, regions, homeless)
        changes = {}, isolation.make(_REGIONS, nearest, dict)

    def work(db: Database) -> None:
        write_regions(db, *changes)
        if any(changes):
            bump_toolkits_version(db)
        put_setting(db, _KEPT_AT, version + any(changes))

    workspace.writer.run(work)
    return isolation.failures


def _found(
    workspace: Workspace,
    db: Database,
    sums: ToolkitSums,
    names: Mapping[ToolkitId, str],
    isolation: Isolation,
    *,
    by_place: bool,
) -> tuple[dict[RegionId, dict[str, Any]], dict[ToolkitId, RegionId]]:
    """Regions of all toolkits, by what continues what."""
    # Here, not above: names of regions take words and rules that no kept region needs.
    from toolplanner_core.curation.grouping.regions import find_regions

    old, old_of = all_regions(db), all_region_of(db)
    places = _places(workspace, sums.toolkits) if by_place else None
    find = partial(
        find_regions,
        sums.sums,
        sums.counts,
        [names.get(t, "") for t in sums.toolkits],
        places=places,
        categories=_categories(db, sums.toolkits),
        isolation=isolation,
    )
    found = isolation.make(_REGIONS, find, lambda: None)
    if found is None:
        return {}, {}
    ids = list(old)
    index = {region: i for i, region in enumerate(ids)}
    before = np.array([index.get(old_of.get(t, RegionId(0)), -1) for t in sums.toolkits], np.int32)
    continued = continued_groups(
        np.repeat(before, sums.counts),
        np.repeat(found.of_toolkit, sums.counts),
        least_overlap=_CONTINUES,
    ).tolist()
    continued += [-1] * (len(found.names) - len(continued))
    first = next_region(db)
    number = [ids[c] if c >= 0 else RegionId(first + i) for i, c in enumerate(continued)]
    kept = [old[ids[c]].colour if c >= 0 else None for c in continued]
    middles = _middles(places, found.of_toolkit, len(found.names))
    colours = isolation.make(
        _COLOURS, partial(choose_colours, kept, middles), partial(next_colours, kept)
    )
    regions: dict[RegionId, dict[str, Any]] = {r: {"is_living": False} for r in ids}
    taken = {old[r].name for r in number if r in old and old[r].name_author is Author.PERSON}
    for region, name, colour in zip(number, found.names, colours, strict=True):
        if region in old and (old[region].name_author is Author.PERSON or name in taken):
            del regions[region]
            continue
        regions[region] = revived_fields(RegionFields(name=name, colour=colour))
    of = dict(zip(sums.toolkits, found.of_toolkit.tolist(), strict=True))
    return regions, {toolkit: number[i] for toolkit, i in of.items() if i >= 0}


def region_labels(workspace: Workspace, rowids: Sequence[int]) -> NDArray[np.int32]:
    """(n,) the number of the region of each API, -1 without one."""
    region_of, toolkit_of = all_region_of(workspace.reader()), labels_by_rowid(workspace)
    found = (region_of.get(toolkit_of.get(rowid, ToolkitId(0)), -1) for rowid in rowids)
    return np.fromiter(found, np.int32, len(rowids))


def _categories(db: Database, toolkits: Sequence[ToolkitId]) -> list[dict[str, int]]:
    """How many APIs of each toolkit are of which category."""
    found: dict[ToolkitId, dict[str, int]] = {}
    for toolkit, category, times in db.execute(
        "SELECT m.toolkit_id, t.category, count(*) FROM toolkit_members m"
        " JOIN apis a ON a.rowid = m.api_rowid JOIN tools t ON t.id = a.tool_id GROUP BY 1, 2"
    ):
        found.setdefault(ToolkitId(toolkit), {})[category] = times
    return [found.get(toolkit, {}) for toolkit in toolkits]


def _nearest(
    sums: ToolkitSums,
    known: Mapping[ToolkitId, RegionId],
    regions: Mapping[RegionId, RegionFields],
    homeless: set[ToolkitId],
) -> dict[ToolkitId, RegionId]:
    """The region whose toolkits resemble each of these most; pinned ones take none in."""
    is_there = sums.counts > 0
    open_ones = [r for r, fields in regions.items() if not fields.is_pinned]
    index = {region: i for i, region in enumerate(open_ones)}
    group = np.array([index.get(known.get(t, RegionId(0)), -1) for t in sums.toolkits], np.int64)
    asked = np.array([t in homeless for t in sums.toolkits], np.bool_) & is_there
    if not open_ones or not asked.any():
        return {}
    centres = np.zeros((len(open_ones), sums.sums.shape[1]), np.float32)
    np.add.at(centres, group[group >= 0], unit(sums.sums)[group >= 0])
    best = (unit(sums.sums[asked]) @ unit(centres).T).argmax(axis=1)
    wanted = [t for t, is_asked in zip(sums.toolkits, asked.tolist(), strict=True) if is_asked]
    return {t: open_ones[i] for t, i in zip(wanted, best.tolist(), strict=True)}


def _places(workspace: Workspace, toolkits: Sequence[ToolkitId]) -> NDArray[np.float64] | None:
    """(t, 2) where the APIs of each toolkit lie on the map, nan for none; None without a map."""
    active: int | None = get_setting(workspace, "active_layout")
    if active is None:
        return None
    layout = load_layout(workspace, active)
    position = {toolkit: i for i, toolkit in enumerate(toolkits)}
    toolkit_of = labels_by_rowid(workspace)
    rowids = load_point_set(workspace, layout.point_set).rowids.tolist()
    labels = np.array([position.get(toolkit_of.get(r, ToolkitId(0)), -1) for r in rowids], np.int64)
    return _middles(layout.xy, labels, len(toolkits))


def _middles(
    xy: NDArray[np.floating[Any]] | None, labels: NDArray[np.integer[Any]], count: int
) -> NDArray[np.float64]:
    """(count, 2) mean place of each group, nan for one without a place."""
    if xy is None:
        return np.full((count, 2), np.nan)
    used = (labels >= 0) & np.isfinite(xy[:, 0])
    own = labels[used]
    counts = np.bincount(own, minlength=count)
    with np.errstate(invalid="ignore"):
        sums = [np.bincount(own, xy[used, i], minlength=count) for i in (0, 1)]
        return np.column_stack([each / counts for each in sums])
