"""The point that is looked at: under the resting cursor, or where the keyboard has walked.

A ring and a card show it, a screen reader hears it. Called by the canvas.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from toolplanner_gui.map.hover_card import HoverCard
from toolplanner_gui.map.stage import Stage
from toolplanner_gui.map.walking import Walk

WALK_MARGIN = 60.0

CardText = Callable[[int], list[str]]


class Attention(QObject):
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

    def __init__(self, stage: Stage, card: HoverCard) -> None:
        super().__init__(stage)
        self._stage = stage
        self._card = card
        self._walk = Walk(lambda: stage.points, lambda: stage.neighbours)
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
