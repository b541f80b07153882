"""Which names are shown on the map at which zoom: decided once, without overlap.

Which names are shown at which zoom: decided once, without overlap, so panning costs nothing. Three
levels: regions, toolkits, single APIs. Each name gets the scales in which it is shown. A name keeps
its size on the screen while its place moves, so two names collide below one scale and never above
it; going from the most to the least important, a name waits until it is free of all more important
ones that are still there. Names come as one zooms in and never flicker. Called by derivation.py in
a worker; numpy, scipy for the many names of APIs. Source: Been, Daiches and Yap 2006, Dynamic map
labeling (active ranges).

The plan of names right after an edit: the old places with the names of now. Working names out anew
takes a thread up to some seconds, in which the map must not show the name of a toolkit that was
renamed or has ended. Pure; a millisecond for 5,000 toolkits.

Where names stand on the map: above the dots they mean, so as not to cover them; and their size.
Turns points, toolkits, regions and titles into the items that labels.py plans. Called by
derivation.py in a worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple

import numpy as np

from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.toolkit_colours import centres
from toolplanner_gui.map.viewport import Viewport

GAP_X = 8.0
GAP_Y = 4.0
OVERVIEW_LABELS = 70
MOST_NAMES = 8_000
"""Regions and toolkits beyond are never shown: the work grows with the square."""
MOST_MINOR = 20_000
REGION, TOOLKIT, API = range(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelItems:
    """Names that want to be shown.

    Attributes:
        x: `(k,) float64` world, the place below the middle of the name; nan is never shown.
        y: `(k,) float64` world.
        width: `(k,) float64` logical pixels; 0 is never shown.
        height: `(k,) float64` logical pixels.
        weight: `(k,) float64`, more is more important within a level; 0 or less is never shown.
        level: `(k,) int8`, `REGION`, `TOOLKIT` or `API`; lower ones are more important.
        least: `(k,) float64`, scale before which it does not want to be shown.
        most: `(k,) float64`, scale from which on it does not want to be shown any more.
    """

    x: np.ndarray
    y: np.ndarray
    width: np.ndarray
    height: np.ndarray
    weight: np.ndarray
    level: np.ndarray
    least: np.ndarray
    most: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelPlan:
    """When each name is shown.

    Attributes:
        items: the names.
        least_scale: `(k,) float64` scale in pixels a world unit from which on it is shown; inf for
            never.
        order: `(k,) int64`, the most important first.
    """

    items: LabelItems
    least_scale: np.ndarray
    order: np.ndarray

    def shown(self, view: Viewport, *, lift: float = 0.0) -> np.ndarray:
        """The names in this view, most important first, `(m,) int64`.

        Those whose box reaches into it.

        Args:
            view: from where.
            lift: how far all names stand above their place, logical pixels.
        """
        items, box = self.items, view.panned(0, -lift).bounds
        half_w, half_h = items.width / 2 / view.scale, items.height / 2 / view.scale
        hit = (self.least_scale <= view.scale) & (view.scale < items.most)
        hit &= (items.x + half_w >= box.left) & (items.x - half_w <= box.right)
        hit &= (items.y + half_h >= box.bottom) & (items.y - half_h <= box.top)
        return self.order[hit[self.order]]


def plan_labels(
    items: LabelItems,
    *,
    overview_scale: float,
    overview_labels: int = OVERVIEW_LABELS,
    reach: float = np.inf,
) -> LabelPlan:
    """Decide from which scale on each name is shown.

    Args:
        items: the names.
        overview_scale: scale at which the whole map is in view.
        overview_labels: how many of the most important may show there; four times as many at twice
            the scale, so that their number in view stays about the same.
        reach: names that cannot begin before so many times `overview_scale` are left out; up to
            there the plan is the same, since they give way to all others.

    Returns:
        The plan; 5,000 toolkits take about 0.2 s, 15,000 names of APIs half a second more; up to
        four times the overview both take a tenth of it.
    """
    k = len(items.x)
    usable = np.isfinite(items.x) & np.isfinite(items.y) & (items.weight > 0) & (items.width > 0)
    order = np.lexsort((np.arange(k), -items.weight, items.level))
    order = order[usable[order]]
    is_major = items.level[order] != API
    major, minor = order[is_major][:MOST_NAMES], order[~is_major][:MOST_MINOR]
    order = np.concatenate([major, minor])
    rank = np.arange(len(order), dtype=np.float64)
    regions = int(np.count_nonzero(items.level[major] == REGION))
    crowded = np.where(
        rank < regions, 0.0, np.sqrt(np.maximum(rank + 1 - regions, 0) / overview_labels)
    )
    starts = items.least[order].copy()
    late = crowded > 1
    starts[late] = np.maximum(starts[late], overview_scale * crowded[late])
    in_reach = np.maximum.accumulate(starts) < overview_scale * reach
    order, major, starts = order[in_reach], major[in_reach[: len(major)]], starts[in_reach]
    minor = order[len(major) :]
    sizes = (
        items.x[order],
        items.y[order],
        items.width[order] + GAP_X,
        items.height[order] + GAP_Y,
    )
    ends = items.most[order]
    with np.errstate(divide="ignore"):
        for i in range(1, len(major)):
            _wait(i, _free(i, slice(0, i), ends, sizes), starts[:i], starts)
        if len(minor):
            for i, others, free in _clashes(starts, ends, sizes, len(major)):
                _wait(i, free, starts[others], starts)
    least = np.full(k, np.inf)
    least[order] = np.where(starts < ends, starts, np.inf)
    return LabelPlan(items=items, least_scale=least, order=order)


Sizes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _free(
    one: int | np.ndarray, other: slice | np.ndarray, ends: np.ndarray, sizes: Sizes
) -> np.ndarray:
    """From which scale on names do not meet, or the other is gone."""
    x, y, wide, tall = sizes
    free_x = (wide[other] + wide[one]) / 2 / np.abs(x[other] - x[one])
    free_y = (tall[other] + tall[one]) / 2 / np.abs(y[other] - y[one])
    return np.minimum(np.minimum(free_x, free_y), ends[other])


def _wait(i: int, free: np.ndarray, begun: np.ndarray, starts: np.ndarray) -> None:
    """Let name `i` begin when it is free of those that have `begun`."""
    # One that is itself shown only from beyond the collision does not stand in the way.
    clash = free[free > begun]
    if len(clash):
        starts[i] = max(starts[i], float(clash.max()))


def _clashes(
    starts: np.ndarray, ends: np.ndarray, sizes: Sizes, first: int
) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """For each name from `first` on that must wait for more important ones: itself, those, and
    when it is free of each."""
    from scipy.spatial import KDTree

    x, y, wide, tall = sizes
    scale = float(starts[first:].min())
    tree = KDTree(np.column_stack([x * (scale / wide.max()), y * (scale / tall.max())]))
    pairs = tree.query_pairs(r=1.0, p=np.inf, output_type="ndarray")
    pairs = pairs[pairs[:, 1] >= first]
    other, one = pairs[:, 0], pairs[:, 1]
    free = _free(one, other, ends, sizes)
    late = np.flatnonzero(free > starts[one])
    late = late[np.argsort(one[late], kind="stable")]
    names, begin = np.unique(one[late], return_index=True)
    groups = np.split(late, begin)[1:]
    return [(int(i), other[own], free[own]) for i, own in zip(names, groups, strict=True)]


def places_of(keys: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Where each of the keys `(k,) int` stood before, `(k,) int64`, -1 for a new one."""
    if not len(before):
        return np.full(len(keys), -1, np.int64)
    order = np.argsort(before, kind="stable")
    found = order[np.minimum(np.searchsorted(before, keys, sorter=order), len(before) - 1)]
    return np.where(before[found] == keys, found, -1)


def with_toolkits(
    plan: LabelPlan,
    texts: Sequence[str],
    *,
    places: np.ndarray,
    names: Sequence[str],
    measure: Callable[[str, int], float],
) -> tuple[LabelPlan, list[str]]:
    """The plan for other toolkits; new ones have no name yet.

    Args:
        texts: of the items.
        places: `(k,) int`, where each toolkit of now stood among those of before, -1 for nowhere.
        names: of the toolkits of now.
        measure: width of a text at a level.
    """
    level = plan.items.level
    first, n_before = int((level == REGION).sum()), int((level == TOOLKIT).sum())
    behind = np.arange(first + n_before, len(level))
    is_new = places < 0
    # What is taken for a new one is never shown.
    taken = np.concatenate([np.arange(first), np.where(is_new, 0, first + places), behind])
    now = slice(first, first + len(places))
    columns = {each.name: getattr(plan.items, each.name)[taken] for each in fields(LabelItems)}
    columns["level"][now] = TOOLKIT
    columns["weight"][now][is_new] = 0.0
    least = plan.least_scale[taken]
    least[now][is_new] = np.inf
    back = np.full(len(level), -1, np.int64)
    old = np.ones(len(taken), dtype=bool)
    old[now] = ~is_new
    back[taken[old]] = np.flatnonzero(old)
    order = back[plan.order]
    for place in np.flatnonzero(~is_new).tolist():
        if names[place] != texts[first + int(places[place])] and columns["width"][first + place]:
            columns["width"][first + place] = measure(names[place], TOOLKIT)
    changed = LabelPlan(items=LabelItems(**columns), least_scale=least, order=order[order >= 0])
    return changed, [*texts[:first], *names, *texts[first + n_before :]]


def with_regions(
    plan: LabelPlan,
    texts: Sequence[str],
    *,
    names: Sequence[str],
    measure: Callable[[str, int], float],
) -> tuple[LabelPlan, list[str]]:
    """The plan with other names of as many regions; of more or fewer it is left as it is."""
    if int((plan.items.level == REGION).sum()) != len(names):
        return plan, list(texts)
    width = plan.items.width.copy()
    for place, (before, name) in enumerate(zip(texts, names, strict=False)):
        if before != name:
            width[place] = measure(name, REGION)
    return replace(plan, items=replace(plan.items, width=width)), [*names, *texts[len(names) :]]


FEW_POINTS_SHARE = 0.03
TOP_SHARE = 0.9
TOOLKITS_FROM = 1.6
"""Times the overview's scale from which on toolkits are named where regions are."""
REGION_UNTIL = (1.8, 4.0)
REGION_SHARE = 0.8
APIS_FROM = 3.0

Measure = Callable[[str, int], float]
"""Width in logical pixels of a text at a level."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapNames:
    """What is written on the map beside the names of toolkits.

    Attributes:
        region_of: `(k,) int`, region of each toolkit, -1 for none; empty without regions.
        regions: their names.
        title_rows: `(m,) int`, points whose title may be shown, the most central first.
        titles: `m` texts.
    """

    region_of: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    regions: Sequence[str] = ()
    title_rows: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    titles: Sequence[str] = ()

    def is_same(self, other: MapNames) -> bool:
        """Whether the same would be written."""
        return (
            np.array_equal(self.region_of, other.region_of)
            and np.array_equal(self.title_rows, other.title_rows)
            and tuple(self.regions) == tuple(other.regions)
            and tuple(self.titles) == tuple(other.titles)
        )


def label_items(
    points: MapPoints,
    names: MapNames,
    *,
    measure: Measure,
    heights: tuple[float, float, float],
    overview_scale: float,
) -> tuple[LabelItems, list[str]]:
    """All that could be written: regions, then toolkits, then APIs.

    Args:
        points: the points.
        names: of regions and APIs.
        measure: width of a text.
        heights: of a name of each level, logical pixels.
        overview_scale: scale at which the whole map is in view.

    Returns:
        The items and their texts.
    """
    levels = [_toolkits(points, overview_scale * TOOLKITS_FROM if len(names.regions) else 0.0)]
    if len(names.regions):
        levels.insert(0, _regions(points, names, overview_scale))
    if len(names.title_rows):
        levels.append(_titles(points, names, overview_scale * APIS_FROM))
    level = np.concatenate([np.full(len(each.xy), each.level) for each in levels]).astype(np.int8)
    weight = np.concatenate([each.weight for each in levels])
    texts = [text for each in levels for text in each.texts]
    xy = np.concatenate([each.xy for each in levels])
    items = LabelItems(
        x=xy[:, 0],
        y=xy[:, 1],
        width=_widths(texts, level, weight, measure),
        height=np.array(heights, np.float64)[level],
        weight=weight,
        level=level,
        least=np.concatenate([each.least for each in levels]),
        most=np.concatenate([each.most for each in levels]),
    )
    return items, texts


class _Level(NamedTuple):
    """The names of one level: where they stand, how much they weigh, and their first and last
    scales."""

    level: int
    texts: Sequence[str]
    xy: np.ndarray
    weight: np.ndarray
    least: np.ndarray
    most: np.ndarray


def _widths(
    texts: Sequence[str], level: np.ndarray, weight: np.ndarray, measure: Measure
) -> np.ndarray:
    """Widths of the names. Of 100,000 toolkits most are never named: measuring those would take a
    second."""
    heavy = np.ones(len(texts), dtype=bool)
    of_toolkits = np.flatnonzero(level == TOOLKIT)
    if len(of_toolkits) > MOST_NAMES:
        lighter = np.argsort(-weight[of_toolkits], kind="stable")[MOST_NAMES:]
        heavy[of_toolkits[lighter]] = False
    widths = [
        measure(text, own) if is_heavy else 0.0
        for text, own, is_heavy in zip(texts, level.tolist(), heavy.tolist(), strict=True)
    ]
    return np.array(widths, np.float64)


def _toolkits(points: MapPoints, first_scale: float) -> _Level:
    k = len(points.names)
    middles = centres(points.xy, points.labels, k)
    near = _near_middle(points, middles)
    return _Level(
        level=TOOLKIT,
        texts=points.names,
        xy=np.column_stack([middles[:, 0], _tops(points, middles, near)]),
        weight=np.bincount(points.labels[near], minlength=k).astype(np.float64),
        least=np.full(k, first_scale),
        most=np.full(k, np.inf),
    )


def _titles(points: MapPoints, names: MapNames, first_scale: float) -> _Level:
    count = len(names.title_rows)
    return _Level(
        level=API,
        texts=names.titles,
        xy=points.xy[names.title_rows].astype(np.float64),
        weight=np.arange(count, 0, -1, dtype=np.float64),
        least=np.full(count, first_scale),
        most=np.full(count, np.inf),
    )


def _near_middle(points: MapPoints, middles: np.ndarray) -> np.ndarray:
    """Rows of the points that lie near the middle of their toolkit.

    A toolkit scattered over the whole map has no place for a name, however large it is: only these
    give a name weight.
    """
    used = np.flatnonzero(points.labels >= 0)
    box = points.central
    extent = max(box.right - box.left, box.top - box.bottom, 1e-12)
    off = np.abs(points.xy[used] - middles[points.labels[used]])
    return used[(off <= FEW_POINTS_SHARE * extent).all(axis=1)]


def _tops(points: MapPoints, middles: np.ndarray, near: np.ndarray) -> np.ndarray:
    """World y below the name of each toolkit: above nine tenths of its points near the middle."""
    tops = middles[:, 1].copy()
    own, y = points.labels[near], points.xy[near, 1].astype(np.float64)
    order = np.lexsort((y, own))
    own, y = own[order], y[order]
    count = np.bincount(own, minlength=len(tops))
    present = np.flatnonzero(count)
    start = np.cumsum(count) - count
    # Of up to ten points this is the topmost one.
    at = np.ceil(TOP_SHARE * count[present]).astype(np.int64)
    tops[present] = y[start[present] + np.minimum(at, count[present] - 1)]
    return np.maximum(tops, middles[:, 1])


def _regions(points: MapPoints, names: MapNames, overview_scale: float) -> _Level:
    count = len(names.regions)
    of_label = np.append(names.region_of, -1)
    own = of_label[points.labels]
    middles = centres(points.xy, own, count)
    used = np.flatnonzero(own >= 0)
    off = np.abs(points.xy[used] - middles[own[used]]).max(axis=1)
    spread = np.full(count, np.nan)
    order = np.lexsort((off, own[used]))
    sizes = np.bincount(own[used], minlength=count)
    start = np.cumsum(sizes) - sizes
    there = np.flatnonzero(sizes)
    spread[there] = off[order][start[there] + sizes[there] // 2]
    box = points.central
    extent = max(box.right - box.left, box.top - box.bottom, 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.clip(REGION_SHARE * extent / (4 * spread), *REGION_UNTIL)
    until = overview_scale * np.nan_to_num(factor, nan=REGION_UNTIL[0])
    return _Level(
        level=REGION,
        texts=names.regions,
        xy=middles,
        weight=sizes.astype(np.float64),
        least=np.zeros(count),
        most=until,
    )
