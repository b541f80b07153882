"""Which names are shown at which zoom: decided once, without overlap, so panning costs nothing.

Three levels: regions, toolkits, single APIs. Each name gets the scales in which it is shown. A name
keeps its size on the screen while its place moves, so two names collide below one scale and never
above it; going from the most to the least important, a name waits until it is free of all more
important ones that are still there. Names come as one zooms in and never flicker. Called by
derivation.py in a worker; numpy, scipy for the many names of APIs. Source: Been, Daiches and Yap
2006, Dynamic map labeling (active ranges).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
