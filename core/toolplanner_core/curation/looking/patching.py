"""The catalogue after an edit, made from the one before and the edit's changes.

Why: reading 45,000 labels again takes half a second, an edit has to be on the screen in 50 ms. The
arrays that an edit does not touch are shared with the catalogue before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.domain.curated import Changes, RegionFields
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Toolkit

Value = TypeVar("Value")

_FIELDS = {name: name for name in Toolkit.__slots__} | {"is_pinned": "pinned"}
"""Fields of a toolkit in `Changes` and what the list of toolkits calls them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEdit:
    """An edit that the catalogue shows now.

    Attributes:
        before: the catalogue it was made on.
        touched: toolkits whose name, text or members changed, ended and new ones included.
    """

    done: Done
    before: CuratedCatalogue
    touched: frozenset[ToolkitId]


def patched(catalogue: CuratedCatalogue, changes: Changes) -> CuratedCatalogue:
    """The catalogue with these values.

    Toolkits keep their order; new ones stand last, so that positions shift only where one ended.
    """
    toolkits, shift = _toolkits_after(catalogue.toolkits, changes)
    position = _positions(toolkits)
    # -1, "no toolkit", picks the last entry of the table.
    labels = np.append(shift, np.int32(-1))[catalogue.labels]
    pinned, others = catalogue.pinned, dict(catalogue.others)
    if changes.members:
        pinned = pinned.copy()
        for point, (rowid, value) in _at_points(catalogue, changes.members):
            if point >= 0:
                labels[point] = -1 if value is None else position.get(value.toolkit, -1)
                pinned[point] = value is not None and value.is_pinned
            elif value is None:
                others.pop(rowid, None)
            else:
                others[rowid] = value
    sizes = np.bincount(labels[labels >= 0], minlength=len(toolkits))
    for value in others.values():
        if value.toolkit in position:
            sizes[position[value.toolkit]] += 1
    sizes_before = np.array([toolkit.size for toolkit in toolkits], np.int64)
    for place in np.flatnonzero(sizes != sizes_before).tolist():
        toolkits[place] = replace(toolkits[place], size=int(sizes[place]))
    return replace(
        catalogue,
        toolkits=tuple(toolkits),
        labels=labels,
        colours=None,
        pinned=pinned,
        excluded=_excluded_after(catalogue, changes),
        waiting=_waiting_after(catalogue, changes),
        others=others,
        regions=_regions_after(catalogue, changes),
        region_of=_region_of_after(catalogue, changes),
    )


def touched_toolkits(before: CuratedCatalogue, changes: Changes) -> frozenset[ToolkitId]:
    """Toolkits whose name, text or members the changes touch, ended and new ones included.

    A member that is excluded, or whose documentation is accepted, is drawn in another way.
    """
    found = set(changes.all_fields) | set(changes.region_of)
    found |= {value.toolkit for value in changes.members.values() if value is not None}
    drawn = {**changes.members, **changes.excluded, **changes.accepted}
    rowids = np.fromiter(drawn, np.int64, len(drawn))
    points = before.places_of(rowids)
    labels = before.labels[points[points >= 0]]
    found |= {before.toolkits[i].id for i in np.unique(labels[labels >= 0]).tolist()}
    found |= {before.others[rowid].toolkit for rowid in drawn if rowid in before.others}
    return frozenset(found)


def _toolkits_after(
    toolkits: tuple[Toolkit, ...], changes: Changes
) -> tuple[list[Toolkit], np.ndarray]:
    """The toolkits that live then, and the new position of each old one, -1 when it ended."""
    after, place_of = list(toolkits), _positions(toolkits)
    lives = np.ones(len(toolkits), np.bool_)
    # Five thousand stay as they are: only those that change are looked at.
    for toolkit, fields in changes.all_fields.items():
        place = place_of.get(toolkit)
        if place is None:
            if fields.get("is_living"):
                new = Toolkit(id=toolkit, name="", description="", size=0)
                after.append(replace(new, **_values(fields)))
        elif not fields.get("is_living", True):
            lives[place] = False
        else:
            after[place] = replace(after[place], **_values(fields))
    for place in np.flatnonzero(~lives)[::-1].tolist():
        del after[place]
    return after, np.where(lives, np.cumsum(lives) - 1, -1).astype(np.int32)


def _positions(toolkits: Sequence[Toolkit]) -> dict[ToolkitId, int]:
    return {toolkit.id: place for place, toolkit in enumerate(toolkits)}


def _values(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {_FIELDS[name]: value for name, value in fields.items() if name in _FIELDS}


def _at_points(
    catalogue: CuratedCatalogue, values: Mapping[int, Value]
) -> Iterator[tuple[int, tuple[int, Value]]]:
    """Values by row id with the points they are about, -1 for an API that has none."""
    points = catalogue.places_of(np.fromiter(values, np.int64, len(values)))
    return zip(points.tolist(), values.items(), strict=True)


def _regions_after(
    catalogue: CuratedCatalogue, changes: Changes
) -> Mapping[RegionId, RegionFields]:
    if not changes.regions:
        return catalogue.regions
    after = dict(catalogue.regions)
    for region, fields in changes.regions.items():
        old = after.pop(region, RegionFields(name=""))
        if fields.get("is_living", True):
            values = {name: value for name, value in fields.items() if name != "is_living"}
            after[region] = replace(old, **values)
    return dict(sorted(after.items()))


def _region_of_after(catalogue: CuratedCatalogue, changes: Changes) -> Mapping[ToolkitId, RegionId]:
    if not changes.region_of:
        return catalogue.region_of
    after = {**catalogue.region_of, **changes.region_of}
    return {toolkit: region for toolkit, region in after.items() if region is not None}


def _excluded_after(catalogue: CuratedCatalogue, changes: Changes) -> np.ndarray:
    if not changes.excluded:
        return catalogue.excluded
    excluded = catalogue.excluded.copy()
    for point, (_, reason) in _at_points(catalogue, changes.excluded):
        if point >= 0:
            excluded[point] = reason is not None
    return excluded


def _waiting_after(catalogue: CuratedCatalogue, changes: Changes) -> np.ndarray:
    if not changes.accepted:
        return catalogue.waiting
    waiting = catalogue.waiting.copy()
    for point, (rowid, accepted) in _at_points(catalogue, changes.accepted):
        if point >= 0:
            wanted = catalogue.unaccepted.get(rowid)
            waiting[point] = wanted is not None and accepted != wanted
    return waiting
