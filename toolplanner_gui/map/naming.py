"""Where names stand on the map: above the dots they mean, so as not to cover them; and their size.

Turns points, toolkits, regions and titles into the items that labels.py plans. Called by
derivation.py in a worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from toolplanner_gui.map.labels import API, MOST_NAMES, REGION, TOOLKIT, LabelItems
from toolplanner_gui.map.neighbours import centres
from toolplanner_gui.map.points import MapPoints

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
class Names:
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

    def is_same(self, other: Names) -> bool:
        """Whether the same would be written."""
        return (
            np.array_equal(self.region_of, other.region_of)
            and np.array_equal(self.title_rows, other.title_rows)
            and tuple(self.regions) == tuple(other.regions)
            and tuple(self.titles) == tuple(other.titles)
        )


def label_items(
    points: MapPoints,
    names: Names,
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


def _titles(points: MapPoints, names: Names, first_scale: float) -> _Level:
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


def _regions(points: MapPoints, names: Names, overview_scale: float) -> _Level:
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
