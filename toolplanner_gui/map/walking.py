"""The map without a mouse: from toolkit to toolkit, from API to API, to the nearest neighbour.

Knows an order of the toolkits along the map and where the walk stands; the canvas shows a ring
there, brings it into view and says it aloud. Only points that the filter lets through are visited.
Called by the canvas; no Qt.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from toolplanner_gui.map.neighbours import centres
from toolplanner_gui.map.points import MapPoints

STRIPES = 12
REMEMBERED = 12


class Walk:
    """Where the keyboard is on the map.

    Args:
        points: the present points.
        neighbours: `(n, k) int` rows of nearest points, itself first, if they are known.

    Attributes:
        row: of the point it is at, -1 before the first step.
    """

    def __init__(
        self, points: Callable[[], MapPoints], neighbours: Callable[[], np.ndarray | None]
    ) -> None:
        self._points = points
        self._neighbours = neighbours
        self.row = -1
        self._trail: deque[int] = deque(maxlen=REMEMBERED)
        self._tour_of: MapPoints | None = None
        self._tour = np.zeros(0, np.int64)
        self._middles = np.zeros((0, 2))

    def reset(self) -> None:
        """Forget where it is: the points are others."""
        self.row = -1
        self._trail.clear()

    def to_toolkit(self, step: int) -> int:
        """Go to the middle of the next (1) or previous (-1) toolkit; the row, -1 for none."""
        points, tour = self._points(), self._order()
        hidden = points.hidden_labels()
        if hidden is not None:
            tour = tour[~hidden[tour]]
        if not len(tour):
            return -1
        label = int(points.labels[self.row]) if self.row >= 0 else -1
        at = np.flatnonzero(tour == label)
        # From nowhere forwards to the first, backwards to the last.
        place = (int(at[0]) + step) % len(tour) if len(at) else min(step, 0)
        members = self._members(int(tour[place]))
        return self._go(int(members[0]))

    def to_api(self, step: int) -> int:
        """Go to the next (1) or previous (-1) API of the toolkit, the most central first."""
        points = self._points()
        if self.row < 0 or points.labels[self.row] < 0:
            return self.to_toolkit(1)
        members = self._members(int(points.labels[self.row]))
        at = np.flatnonzero(members == self.row)
        if not len(members):
            return -1
        place = (int(at[0]) + step) % len(members) if len(at) else 0
        return self._go(int(members[place]))

    def to_nearest(self) -> int:
        """Go to the API nearest in meaning that was not just visited; the row, -1 for none."""
        near = self._neighbours()
        points = self._points()
        if self.row < 0:
            return self.to_toolkit(1)
        if near is None or len(near) != len(points):
            return -1
        shown = points.shown()
        for row in near[self.row].tolist():
            if row >= 0 and row != self.row and row not in self._trail and shown[row]:
                return self._go(row)
        self._trail.clear()
        return -1

    def put(self, row: int) -> None:
        """Stand at a point that was found otherwise, such as by a click."""
        if row != self.row:
            self._go(row)

    def _go(self, row: int) -> int:
        if self.row >= 0:
            self._trail.append(self.row)
        self.row = row
        return row

    def _members(self, label: int) -> np.ndarray:
        """Rows of a toolkit's shown APIs, nearest to its middle first."""
        self._order()
        points = self._points()
        rows = np.flatnonzero((points.labels == label) & points.shown())
        off = points.xy[rows] - self._middles[label]
        return rows[np.argsort((off**2).sum(axis=1), kind="stable")]

    def _order(self) -> np.ndarray:
        """Toolkits along the map: in stripes from the top, to and fro, so that the next is near."""
        points = self._points()
        if points is self._tour_of:
            return self._tour
        self._middles = centres(points.xy, points.labels, len(points.names))
        there = np.flatnonzero(np.isfinite(self._middles[:, 0]))
        x, y = self._middles[there].T
        ranks = np.empty(len(there))
        ranks[np.argsort(-y, kind="stable")] = np.arange(len(there))
        stripes = max(min(STRIPES, len(there) // 4), 1)
        stripe = (ranks * stripes / max(len(there), 1)).astype(np.int64)
        along = np.where(stripe % 2, -x, x)
        self._tour = there[np.lexsort((along, stripe))]
        self._tour_of = points
        return self._tour
