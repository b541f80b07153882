"""Which names are shown at which zoom: decided once, without overlap, so panning costs nothing.

Each name gets the smallest scale from which on it is shown. A name keeps its size on the screen
while its toolkit moves, so two names collide below one scale and never above it; going from the
most to the least important, a name waits until it is free of all more important ones. Names come
as one zooms in, go as one zooms out, and never flicker. Called by the canvas in a worker; pure
numpy. Source: Been, Daiches and Yap 2006, Dynamic map labeling (active ranges).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toolplanner_gui.map.viewport import Viewport

GAP_X = 8.0
GAP_Y = 4.0
OVERVIEW_LABELS = 70
FEW_POINTS_SHARE = 0.03
MOST_NAMES = 8_000
"""Names beyond are never shown: the work grows with the square."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlan:
    """When each name is shown.

    Attributes:
        x: `(k,) float64` world, the middle of the name.
        y: `(k,) float64` world.
        width: `(k,) float64` logical pixels.
        height: of all names, logical pixels.
        least_scale: `(k,) float64` scale in pixels a world unit from which on it is shown; inf for
            never.
        weight: `(k,) float64`, more is more important.
    """

    x: np.ndarray
    y: np.ndarray
    width: np.ndarray
    height: float
    least_scale: np.ndarray
    weight: np.ndarray

    def shown(self, view: Viewport, *, lift: float = 0.0) -> np.ndarray:
        """The names in this view, most important first, `(m,) int64`.

        Those whose box reaches into it.

        Args:
            view: from where.
            lift: how far all names stand above their place, logical pixels.
        """
        box = view.panned(0, -lift).bounds
        half_w, half_h = self.width / 2 / view.scale, self.height / 2 / view.scale
        hit = self.least_scale <= view.scale
        hit &= (self.x + half_w >= box.left) & (self.x - half_w <= box.right)
        hit &= (self.y + half_h >= box.bottom) & (self.y - half_h <= box.top)
        found = np.flatnonzero(hit)
        return found[np.argsort(-self.weight[found], kind="stable")]


def plan_labels(
    middles: np.ndarray,
    weight: np.ndarray,
    width: np.ndarray,
    height: float,
    *,
    overview_scale: float,
    overview_labels: int = OVERVIEW_LABELS,
) -> LabelPlan:
    """Decide from which scale on each name is shown.

    Args:
        middles: `(k, 2)` world; nan is never shown.
        weight: `(k,)`; 0 or less is never shown; equal ones by number.
        width: `(k,)` of the names, logical pixels; 0 is never shown.
        height: of all names.
        overview_scale: scale at which the whole map is in view.
        overview_labels: how many of the most important may show there; four times as many at twice
            the scale, so that their number in view stays about the same.

    Returns:
        The plan; 5,000 names take about 0.2 s.
    """
    k = len(middles)
    least = np.full(k, np.inf)
    usable = np.isfinite(middles).all(axis=1) & (weight > 0) & (width > 0)
    order = np.lexsort((np.arange(k), -weight))
    order = order[usable[order]][:MOST_NAMES]
    x, y = middles[order, 0], middles[order, 1]
    boxes = width[order] + GAP_X
    tall = height + GAP_Y
    starts = np.empty(len(order))
    for i in range(len(order)):
        start = 0.0
        if i >= overview_labels:
            start = overview_scale * float(np.sqrt((i + 1) / overview_labels))
        if i:
            with np.errstate(divide="ignore"):
                free_x = (boxes[:i] + boxes[i]) / 2 / np.abs(x[:i] - x[i])
                free_y = tall / np.abs(y[:i] - y[i])
            free = np.minimum(free_x, free_y)
            # One that is itself shown only from beyond the collision does not stand in the way.
            clash = free[free > starts[:i]]
            if len(clash):
                start = max(start, float(clash.max()))
        starts[i] = start
    least[order] = starts
    filled = np.where(np.isfinite(middles), middles, 0.0)
    return LabelPlan(
        x=filled[:, 0],
        y=filled[:, 1],
        width=np.asarray(width, np.float64),
        height=float(height),
        least_scale=least,
        weight=np.asarray(weight, np.float64),
    )


def label_weights(xy: np.ndarray, labels: np.ndarray, middles: np.ndarray) -> np.ndarray:
    """How much a name says where it stands: points of the toolkit that lie near its middle.

    A toolkit scattered over the whole map has no place for a name, however large it is.

    Args:
        xy: `(n, 2)` float.
        labels: `(n,) int`, -1 for none.
        middles: `(k, 2)` float.

    Returns:
        `(k,) float64`, number of near points.
    """
    used = np.flatnonzero(labels >= 0)
    if len(used) == 0:
        return np.zeros(len(middles))
    own = labels[used]
    points = np.asarray(xy[used], np.float64)
    spread = np.percentile(points, [1, 99], axis=0)
    radius = FEW_POINTS_SHARE * max(float((spread[1] - spread[0]).max()), 1e-12)
    near = (np.abs(points - middles[own]) <= radius).all(axis=1)
    return np.bincount(own[near], minlength=len(middles)).astype(np.float64)
