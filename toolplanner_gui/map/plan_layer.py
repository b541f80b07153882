"""The plans of a run above the map: numbered stops joined by arrows, one trail for each plan.

The newest plan is a solid line; older ones are grey and dashed. A stop says how its step stands by
the colour of its ring and by a picture beside it. At most a few dozen shapes are painted a frame,
and only what is in view. Called by `plan_view.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF

from toolplanner_gui.map.layer import Layer
from toolplanner_gui.map.plan_trail import Trail, TrailStop
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import Tokens

RADIUS = 11.0
OLD_RADIUS = 9.0
APART = 4.0
"""Between stops at the same toolkit, pixels."""
ARROW = 7.0
BADGE = 11
PHASES = 4


class PlanLayer(Layer):
    """Trails and their stops.

    Attributes:
        phase: of the halo around an active stop, 0 to PHASES - 1; None for a halo at rest.
    """

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._font = QFont()
        self.trails: list[Trail] = []
        """What is shown, older plans first."""
        self._slots: list[list[int]] = []
        self.phase: int | None = None

    def set_tokens(self, tokens: Tokens, font: QFont) -> None:
        """Take the colours and the font of another theme."""
        self._tokens = tokens
        self._font = QFont(font)
        self._font.setBold(True)
        self.update()

    def set_trails(self, trails: Sequence[Trail]) -> None:
        """Show plans, older ones first; none takes all away."""
        self.trails = list(trails)
        # Steps at one toolkit stand beside each other, the newest plan on the toolkit itself.
        # A stop of several trails is one stop.
        taken: dict[tuple[float, float], list[str]] = {}
        slots: list[list[int]] = []
        for trail in reversed(self.trails):
            own: list[int] = []
            for stop in trail.stops:
                place = (stop.x, stop.y)
                keys = taken.setdefault(place, [])
                if stop.key not in keys:
                    keys.append(stop.key)
                own.append(keys.index(stop.key))
            slots.append(own)
        self._slots = slots[::-1]
        self.update()

    def stop_at(self, place: QPointF) -> TrailStop | None:
        """The stop under a place of the canvas, the one on top first."""
        for trail, places in reversed(self._placed()):
            for stop, centre in zip(reversed(trail.stops), reversed(places), strict=True):
                if QLineF(centre, place).length() <= _radius(trail):
                    return stop
        return None

    def place_of(self, stop: TrailStop) -> QPointF:
        """Where a stop is drawn, pixels of the canvas.

        Raises:
            KeyError: it is not shown.
        """
        for trail, places in self._placed():
            if stop in trail.stops:
                return places[trail.stops.index(stop)]
        raise KeyError(stop.key)

    def boxes(self) -> list[QRectF]:
        """What the stops cover."""
        found: list[QRectF] = []
        for trail, places in self._placed():
            size = 2 * _radius(trail) + 2
            for centre in places:
                box = QRectF(0, 0, size, size)
                box.moveCenter(centre)
                found.append(box)
        return found

    def draw(self, painter: QPainter, ratio: float) -> None:
        """Draw lines first, then stops."""
        if not self.trails:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        placed = self._placed()
        for trail, places in placed:
            self._paint_line(painter, trail, places)
        seen = QRectF(0, 0, self.view.width, self.view.height).adjusted(-40, -40, 40, 40)
        for trail, places in placed:
            for stop, centre in zip(trail.stops, places, strict=True):
                if seen.contains(centre):
                    self._paint_stop(painter, stop, centre, trail)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _placed(self) -> list[tuple[Trail, list[QPointF]]]:
        found: list[tuple[Trail, list[QPointF]]] = []
        for trail, slots in zip(self.trails, self._slots, strict=True):
            xs, ys = self.view.to_screen(
                np.array([stop.x for stop in trail.stops]),
                np.array([stop.y for stop in trail.stops]),
            )
            aside = 2 * RADIUS + APART
            places = [
                QPointF(x + aside * slot, y)
                for x, y, slot in zip(xs.tolist(), ys.tolist(), slots, strict=True)
            ]
            found.append((trail, places))
        return found

    def _paint_line(self, painter: QPainter, trail: Trail, places: list[QPointF]) -> None:
        colour = QColor(self._tokens.waiting if trail.is_old else self._tokens.accent)
        dashed = Qt.PenStyle.DashLine if trail.is_old else Qt.PenStyle.SolidLine
        line_pen = QPen(colour, 1.4 if trail.is_old else 2.0, dashed)
        seen = QRectF(0, 0, self.view.width, self.view.height).adjusted(-40, -40, 40, 40)
        for begin, end in pairwise(places):
            line = QLineF(begin, end)
            gap = _radius(trail) + 3
            if line.length() <= 2 * gap:
                continue
            unit = QPointF(line.dx(), line.dy()) / line.length()
            tip = end - unit * gap
            # A line far out of view is cut first: dashes are worked out along all of it.
            cut = _cut(QLineF(begin + unit * gap, tip), seen)
            if cut is None:
                continue
            painter.setPen(line_pen)
            painter.drawLine(cut)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            side = QPointF(-unit.y(), unit.x()) * ARROW * 0.55
            back = tip - unit * ARROW
            painter.drawPolygon(QPolygonF([tip, back + side, back - side]))

    def _paint_stop(
        self, painter: QPainter, stop: TrailStop, centre: QPointF, trail: Trail
    ) -> None:
        tokens, radius = self._tokens, _radius(trail)
        colour = QColor(tokens.colour(stop.token))
        if stop.is_active and not trail.is_old:
            halo = QColor(colour)
            phase = self.phase
            halo.setAlphaF(0.55 if phase is None else 0.75 - 0.17 * phase)
            painter.setPen(QPen(halo, 3))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            around = radius + 4 + (1 if phase is None else 2.5 * phase)
            painter.drawEllipse(centre, around, around)
        painter.setBrush(QColor(tokens.raised))
        painter.setPen(QPen(colour, 1.8 if trail.is_old else 2.5))
        painter.drawEllipse(centre, radius, radius)
        painter.setFont(self._font)
        painter.setPen(QColor(tokens.dim if trail.is_old else tokens.text))
        box = QRectF(0, 0, 2 * radius, 2 * radius)
        box.moveCenter(centre)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, stop.label)
        if not stop.icon:
            return
        at = centre + QPointF(radius + 3, radius + 3) * math.sqrt(0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.raised))
        painter.drawEllipse(at, BADGE / 2 + 0.5, BADGE / 2 + 0.5)
        ground = QRectF(0, 0, BADGE, BADGE)
        ground.moveCenter(at)
        make_icon(stop.icon, stop.token).paint(painter, ground.toRect())


def _radius(trail: Trail) -> float:
    return OLD_RADIUS if trail.is_old else RADIUS


def _cut(line: QLineF, box: QRectF) -> QLineF | None:
    """The part of a line inside a box.

    Source: Liang, Barsky, "A new concept and method for line clipping", ACM TOG 3 (1), 1984.
    """
    low, high = 0.0, 1.0
    for start, delta, least, most in (
        (line.x1(), line.dx(), box.left(), box.right()),
        (line.y1(), line.dy(), box.top(), box.bottom()),
    ):
        if delta == 0:
            if not least <= start <= most:
                return None
            continue
        enters, leaves = sorted(((least - start) / delta, (most - start) / delta))
        low, high = max(low, enters), min(high, leaves)
    if low >= high:
        return None
    return QLineF(line.pointAt(low), line.pointAt(high))
