"""Lines of equal density over the points, and the hull of each toolkit; no Qt.

Density is counted on a grid and smoothed; a line stands around the densest places that hold a given
share of the points. Worked out in a thread from arrays that nobody writes to.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from toolplanner_gui.map.viewport import central_bounds

CELLS = 96
SHARES = (0.9, 0.7, 0.5, 0.3, 0.15)
"""Of the points inside of each line, the outermost first."""
_SMOOTHINGS = 9
_CENTRAL = 0.996
_MARGIN = 6
_STRAY = 2.5
"""A member farther from the middle than so many times the usual stands outside of the hull."""
_LEAST_MEMBERS = 3
_OWN = 0.3
"""Share of its own APIs that the box around a toolkit has at least."""
_CROWD_CELLS = 512
_EDGES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 5: ((3, 0), (1, 2)), 6: ((0, 2),),
    7: ((3, 2),), 8: ((2, 3),), 9: ((0, 2),), 10: ((0, 1), (2, 3)), 11: ((1, 2),), 12: ((1, 3),),
    13: ((0, 1),), 14: ((3, 0),),
}  # fmt: skip
"""The edges (bottom, right, top, left) that a line joins, by the corners inside of it."""


class Hull(NamedTuple):
    """The hull of a toolkit: its number, its members, `(m, 2)` corners in world units."""

    label: int
    members: int
    corners: np.ndarray


def density_lines(xy: np.ndarray) -> list[np.ndarray]:
    """For each of `SHARES` the pieces of its line, `(m, 2, 2) float64`: both ends in world units.

    Args:
        xy: `(n, 2)` places of the points.
    """
    if len(xy) < _LEAST_MEMBERS:
        return []
    box = central_bounds(xy[:, 0], xy[:, 1], _CENTRAL)
    wide = np.array([box.right - box.left, box.top - box.bottom]) + 1e-9
    cell = wide / (CELLS - 2 * _MARGIN)
    corner = np.array([box.left, box.bottom]) - _MARGIN * cell
    ends = corner + cell * CELLS
    counts, _, _ = np.histogram2d(
        xy[:, 0], xy[:, 1], CELLS, range=[[corner[0], ends[0]], [corner[1], ends[1]]]
    )
    density = counts
    for _ in range(_SMOOTHINGS):
        for axis in (0, 1):
            density = _smoothed(density, axis)
    ordered = np.sort(density, axis=None)[::-1]
    inside = np.cumsum(ordered) / max(ordered.sum(), 1e-12)
    levels = [float(ordered[int(np.searchsorted(inside, share))]) for share in SHARES]
    return [(level_lines(density, level) + 0.5) * cell + corner for level in levels]


def level_lines(values: np.ndarray, level: float) -> np.ndarray:
    """Where values on a grid pass a level, `(m, 2, 2) float64` in cells; marching squares.

    Source: Lorensen and Cline 1987, in the plane; saddles are parted.

    Args:
        values: `(w, h)` float.
        level: at this value.
    """
    a, b = values[:-1, :-1], values[1:, :-1]
    d, c = values[:-1, 1:], values[1:, 1:]
    kind = (a >= level) + 2 * (b >= level) + 4 * (c >= level) + 8 * (d >= level)
    pieces: list[np.ndarray] = []
    for case, joined in _EDGES.items():
        i, j = np.nonzero(kind == case)
        if not len(i):
            continue
        low_x, low_y = i.astype(float), j.astype(float)
        cross = (
            (low_x + _passed(a[i, j], b[i, j], level), low_y),
            (low_x + 1, low_y + _passed(b[i, j], c[i, j], level)),
            (low_x + _passed(d[i, j], c[i, j], level), low_y + 1),
            (low_x, low_y + _passed(a[i, j], d[i, j], level)),
        )
        for one, other in joined:
            ends = [np.column_stack(cross[edge]) for edge in (one, other)]
            pieces.append(np.stack(ends, axis=1))
    return np.concatenate(pieces) if pieces else np.zeros((0, 2, 2))


def joined_lines(pieces: np.ndarray) -> list[np.ndarray]:
    """Pieces `(m, 2, 2)` as lines of many corners, each `(k, 2)`; a closed one ends at its start.

    Drawn piece by piece a line that lets the ground through has a dot wherever two of them meet.
    """
    at: dict[tuple[float, float], list[int]] = defaultdict(list)
    ends = [((ax, ay), (bx, by)) for (ax, ay), (bx, by) in pieces.tolist()]
    for place, both in enumerate(ends):
        for end in both:
            at[end].append(place)
    left = dict.fromkeys(range(len(ends)))
    lines: list[np.ndarray] = []
    while left:
        first, _ = left.popitem()
        line = list(ends[first])
        for _side in range(2):
            while (after := next((n for n in at[line[-1]] if n in left), None)) is not None:
                del left[after]
                one, other = ends[after]
                line.append(other if line[-1] == one else one)
            line.reverse()
        lines.append(np.array(line))
    return lines


def toolkit_hulls(xy: np.ndarray, labels: np.ndarray, *, least: int = _LEAST_MEMBERS) -> list[Hull]:
    """The hulls of toolkits, the largest toolkit first; strays of a toolkit stand outside of its.

    A toolkit that lies scattered among others has none: its hull would say nothing.

    Args:
        xy: `(n, 2)` places.
        labels: `(n,) int` toolkit of each point, -1 for none.
        least: a toolkit with fewer members has none.
    """
    if not len(xy):
        return []
    order = np.argsort(labels, kind="stable")
    known = order[labels[order] >= 0]
    starts = np.flatnonzero(np.diff(labels[known])) + 1
    crowd = _Crowd(xy)
    found: list[Hull] = []
    for own in np.split(known, starts):
        if len(own) < least:
            continue
        places = xy[own].astype(np.float64)
        far = np.hypot(*(places - np.median(places, axis=0)).T)
        near = places[far <= max(_STRAY * float(np.median(far)), 1e-9)]
        if len(near) >= max(_LEAST_MEMBERS, _OWN * crowd.around(near)):
            found.append(Hull(int(labels[own[0]]), len(own), convex_hull(near)))
    found.sort(key=lambda hull: -hull.members)
    return found


class _Crowd:
    """How many points lie in a box, from sums over a grid: to the nearest cell."""

    def __init__(self, xy: np.ndarray) -> None:
        self._low = xy.min(axis=0).astype(np.float64)
        self._cell = (xy.max(axis=0) - self._low) / _CROWD_CELLS + 1e-9
        places = ((xy - self._low) / self._cell).astype(np.int64)
        counts = np.zeros((_CROWD_CELLS + 1, _CROWD_CELLS + 1))
        np.add.at(counts, (places[:, 0] + 1, places[:, 1] + 1), 1)
        self._sums = counts.cumsum(axis=0).cumsum(axis=1)

    def around(self, places: np.ndarray) -> float:
        """Points in the cells that the box of some places touches wholly or by its middle."""
        low = np.rint((places.min(axis=0) - self._low) / self._cell).astype(int)
        high = np.rint((places.max(axis=0) - self._low) / self._cell).astype(int)
        (left, bottom), (right, top) = low, high
        sums = self._sums
        return float(sums[right, top] - sums[left, top] - sums[right, bottom] + sums[left, bottom])


def convex_hull(places: np.ndarray) -> np.ndarray:
    """The corners of the convex hull, `(m, 2)`, against the clock.

    Source: Andrew's monotone chain (1979).
    """
    points = sorted({(float(x), float(y)) for x, y in places.tolist()})
    if len(points) < 3:
        return np.array(points)
    lower, upper = _chain(points), _chain(points[::-1])
    return np.array(lower[:-1] + upper[:-1])


def _chain(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    kept: list[tuple[float, float]] = []
    for x, y in points:
        while len(kept) >= 2:
            (ax, ay), (bx, by) = kept[-2], kept[-1]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            kept.pop()
        kept.append((x, y))
    return kept


def _passed(low: np.ndarray, high: np.ndarray, level: float) -> np.ndarray:
    """How far along an edge the level is passed, 0 to 1."""
    rise = high - low
    return np.clip((level - low) / np.where(rise == 0, 1, rise), 0, 1)


def _smoothed(values: np.ndarray, axis: int) -> np.ndarray:
    padded = np.pad(values, [(1, 1) if i == axis else (0, 0) for i in (0, 1)], mode="edge")
    before, middle, after = (
        padded.take(range(i, i + values.shape[axis]), axis=axis) for i in range(3)
    )
    return (before + 2 * middle + after) / 4
