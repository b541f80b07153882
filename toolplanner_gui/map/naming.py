"""Where names stand on the map: above the dots they mean, so as not to cover them; and their size.

Turns points, toolkits, regions and titles into the items that labels.py plans. Called by
derivation.py in a worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

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
    k, has_regions = len(points.names), len(names.regions) > 0
    middles = centres(points.xy, points.labels, k)
    near = _near_middle(points, middles)
    toolkits = np.column_stack([middles[:, 0], _tops(points, middles, near)])
    own = points.labels[near]
    weight = np.bincount(own, minlength=k).astype(np.float64)
    places, weights, least, most = [toolkits], [weight], [np.zeros(k)], [np.full(k, np.inf)]
    levels = [np.full(k, TOOLKIT)]
    texts = [list(points.names)]
    if has_regions:
        least[0][:] = overview_scale * TOOLKITS_FROM
        region = _regions(points, names, overview_scale)
        places.insert(0, region[0])
        weights.insert(0, region[1])
        most.insert(0, region[2])
        least.insert(0, np.zeros(len(region[0])))
        levels.insert(0, np.full(len(region[0]), REGION))
        texts.insert(0, list(names.regions))
    if len(names.title_rows):
        rows = names.title_rows
        places.append(points.xy[rows].astype(np.float64))
        weights.append(np.arange(len(rows), 0, -1, dtype=np.float64))
        least.append(np.full(len(rows), overview_scale * APIS_FROM))
        most.append(np.full(len(rows), np.inf))
        levels.append(np.full(len(rows), API))
        texts.append(list(names.titles))
    level = np.concatenate(levels).astype(np.int8)
    flat = [text for part in texts for text in part]
    xy = np.concatenate(places)
    # Of 100,000 toolkits most are never named: measuring those would take a second.
    heavy = np.ones(len(flat), dtype=bool)
    is_toolkit = np.flatnonzero(level == TOOLKIT)
    if len(is_toolkit) > MOST_NAMES:
        heavy[is_toolkit[np.argsort(-weight, kind="stable")[MOST_NAMES:]]] = False
    widths = [
        measure(text, own) if is_heavy else 0.0
        for text, own, is_heavy in zip(flat, level.tolist(), heavy.tolist(), strict=True)
    ]
    items = LabelItems(
        x=xy[:, 0],
        y=xy[:, 1],
        width=np.array(widths, np.float64),
        height=np.array(heights, np.float64)[level],
        weight=np.concatenate(weights),
        level=level,
        least=np.concatenate(least),
        most=np.concatenate(most),
    )
    return items, flat


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


def _regions(
    points: MapPoints, names: Names, overview_scale: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Place, weight and last scale of each region's name."""
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
    return middles, sizes.astype(np.float64), until
