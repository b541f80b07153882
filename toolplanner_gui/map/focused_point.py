"""The point that has the focus: under the resting cursor, or where the keyboard has moved.

The map without a mouse: from toolkit to toolkit, from API to API, to the nearest neighbour. Knows
an order of the toolkits along the map and where the walk stands; the canvas shows a ring there,
brings it into view and says it aloud. Only points that the filter lets through are visited.

The point that is looked at: under the resting cursor, or where the keyboard has walked. A ring and
a card show it, a screen reader hears it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from toolplanner_gui.map.layer_stack import LayerStack
from toolplanner_gui.map.overlay_cards import HoverCard
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.toolkit_colours import centres

STRIPES = 12
REMEMBERED = 12


class KeyboardNavigation:
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


WALK_MARGIN = 60.0

CardText = Callable[[int], list[str]]


class FocusedPoint(QObject):
    """Ring, card and spoken name of one point.

    Args:
        stage: the points, and where they are seen from.
        card: shows the lines.

    Signals:
        selected: mask `(n,) bool`, mode, how it was made, that a key means.
        card_moved: names have to make room.
        hovered: row of the point under the resting cursor, -1 for none.
    """

    selected = Signal(object, str, object)
    card_moved = Signal()
    hovered = Signal(int)

    def __init__(self, stage: LayerStack, card: HoverCard) -> None:
        super().__init__(stage)
        self._stage = stage
        self._card = card
        self._walk = KeyboardNavigation(lambda: stage.points, lambda: stage.neighbours)
        self._text: CardText | None = None

    @property
    def row(self) -> int:
        """The point that the keyboard is at, -1 before it walked."""
        return self._walk.row

    def set_text(self, text: CardText | None) -> None:
        """Say what is told of a point."""
        self._text = text

    def reset(self) -> None:
        """Forget the point: there are others now."""
        self._walk.reset()
        self._stage.marks.set_cursor(None)

    def put_card_away(self) -> None:
        """Whatever the card stands beside is elsewhere now."""
        if not self._card.isHidden():
            self._card.hide()
            self.card_moved.emit()

    def point_at(self, row: int) -> None:
        """The cursor is over a point, -1 for none: ring it."""
        self.put_card_away()
        self._stage.marks.set_hovered(None if row < 0 else self._ring(row))

    def dwell_at(self, row: int) -> None:
        """The cursor rests on a point, -1 when it leaves: show its card."""
        self.hovered.emit(row)
        if row >= 0 and self._text is not None:
            self._card.show_at(self._stage.place_of(row), self._text(row))
            self.card_moved.emit()

    def walk(self, to: str, step: int) -> None:
        """Go to the next `toolkit`, `api` or `nearest` one, and say where that is."""
        if to == "toolkit":
            row = self._walk.to_toolkit(step)
        elif to == "api":
            row = self._walk.to_api(step)
        else:
            row = self._walk.to_nearest()
        if row < 0:
            self.announce("No other API from here")
            return
        self._show(row)
        self.announce(", ".join(self._lines(row)[:2]))

    def toggle_here(self) -> None:
        """Select or deselect the API at the ring."""
        row, points = self._walk.row, self._stage.points
        if row < 0:
            return
        self.selected.emit(points.selection.mask_of(np.array([row])), "toggle", {"by": "click"})
        state = "selected" if points.selection.mask[row] else "deselected"
        self.announce(f"{state}, {points.selection.count:,} in all")

    def select_toolkit_here(self) -> None:
        """Select all shown APIs of the toolkit at the ring, else of the first selected one."""
        points = self._stage.points
        row = self._walk.row
        if row < 0:
            row = next(iter(points.selection.rows[:1].tolist()), -1)
        label = int(points.labels[row]) if row >= 0 else -1
        if label >= 0:
            mask = (points.labels == label) & points.shown()
            made = {"by": "toolkit", "toolkit": int(points.keys[label])}
            self.selected.emit(mask, "replace", made)
            self.announce(f"{points.names[label]}, {int(mask.sum()):,} selected")

    def announce(self, text: str) -> None:
        """Let a screen reader say something."""
        if text:
            self._stage.canvas.setAccessibleDescription(text)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._stage.canvas, text))

    def _lines(self, row: int) -> list[str]:
        return self._text(row) if self._text is not None else []

    def _ring(self, row: int) -> tuple[float, float, float]:
        x, y = self._stage.points.xy[row].tolist()
        return x, y, self._stage.raster.radius()

    def _show(self, row: int) -> None:
        points, stage = self._stage.points, self._stage
        place = stage.place_of(row)
        inner = QRectF(self._stage.canvas.rect())
        inner.adjust(WALK_MARGIN, WALK_MARGIN, -WALK_MARGIN, -WALK_MARGIN)
        if not inner.contains(place):
            stage.camera.look_at(*points.xy[row].tolist())
            place = stage.place_of(row)
        stage.marks.set_cursor(self._ring(row))
        self._card.show_at(QPointF(place), self._lines(row))
        self.card_moved.emit()
