"""Marks above the map: the ring of the hovered point, the rectangle being drawn, a plan's path.

A handful of shapes painted directly each frame. Called by the canvas, painted by Qt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from toolplanner_gui.map.layer import Layer
from toolplanner_gui.theme.tokens import COLOUR_NAMES, Tokens

STOP_RADIUS = 11.0
RING_GAP = 3.0


class PathStop(NamedTuple):
    """One step of a plan on the map.

    Attributes:
        x: world.
        y: world.
        label: a word of one or two letters in the circle, usually its number.
        state: name of a colour token, such as `ok` or `failed`.
    """

    x: float
    y: float
    label: str
    state: str


class MarkLayer(Layer):
    """Ring, rectangle, path and the ring of the keyboard's focus."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._font = QFont()
        self._hovered: tuple[float, float, float] | None = None
        self._rectangle: QRectF | None = None
        self._path: list[PathStop] = []
        self._is_focused = False

    @property
    def path(self) -> list[PathStop]:
        """The stops that are shown."""
        return list(self._path)

    def set_tokens(self, tokens: Tokens, font: QFont) -> None:
        """Take the colours and the font of another theme."""
        self._tokens = tokens
        self._font = QFont(font)
        self._font.setBold(True)
        self.update()

    def set_hovered(self, place: tuple[float, float, float] | None) -> None:
        """Ring a point: world x, y and its radius in logical pixels; none takes the ring away."""
        if place != self._hovered:
            self._hovered = place
            self.update()

    def set_rectangle(self, rectangle: QRectF | None) -> None:
        """Show the rectangle that is being drawn, logical pixels."""
        self._rectangle = rectangle
        self.update()

    def set_path(self, stops: list[PathStop]) -> None:
        """Show a plan as circles joined by a line; an empty list takes it away."""
        self._path = stops
        self.update()

    def set_focused(self, is_focused: bool) -> None:
        """Show that keys go to the map."""
        if is_focused != self._is_focused:
            self._is_focused = is_focused
            self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw what there is."""
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._path:
            self._paint_path(painter)
        if self._hovered is not None:
            x, y, radius = self._hovered
            px, py = self.view.to_screen(np.array(x), np.array(y))
            centre = QPointF(float(px), float(py))
            around = radius + RING_GAP
            for colour, width in ((self._tokens.map, 4.5), (self._tokens.text, 2.0)):
                painter.setPen(QPen(QColor(colour), width))
                painter.drawEllipse(centre, around, around)
        accent = QColor(self._tokens.accent)
        if self._rectangle is not None:
            painter.setPen(QPen(accent, 1))
            filling = QColor(accent)
            filling.setAlphaF(0.14)
            painter.setBrush(filling)
            painter.drawRect(self._rectangle)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._is_focused:
            painter.setPen(QPen(accent, 2))
            painter.drawRect(QRectF(1, 1, self.view.width - 2, self.view.height - 2))

    def _paint_path(self, painter: QPainter) -> None:
        xs, ys = self.view.to_screen(
            np.array([stop.x for stop in self._path]), np.array([stop.y for stop in self._path])
        )
        places = [QPointF(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)]
        line = QPen(QColor(self._tokens.accent), 1.8, Qt.PenStyle.DashLine)
        painter.setPen(line)
        painter.drawPolyline(places)
        painter.setFont(self._font)
        for stop, place in zip(self._path, places, strict=True):
            known = stop.state in COLOUR_NAMES
            colour = self._tokens.colour(stop.state) if known else self._tokens.accent
            painter.setBrush(QColor(self._tokens.raised))
            painter.setPen(QPen(QColor(colour), 2.5))
            painter.drawEllipse(place, STOP_RADIUS, STOP_RADIUS)
            painter.setPen(QColor(self._tokens.text))
            box = QRectF(0, 0, 2 * STOP_RADIUS, 2 * STOP_RADIUS)
            box.moveCenter(place)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, stop.label)
        painter.setBrush(Qt.BrushStyle.NoBrush)
