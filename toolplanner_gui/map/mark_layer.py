"""Marks above the map: rings around points, the shape being drawn.

A handful of shapes painted directly each frame. Called by the canvas, painted by Qt.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from toolplanner_gui.map.layer import Layer
from toolplanner_gui.theme.tokens import Tokens

RING_GAP = 3.0
CURSOR_GAP = 6.0


class MarkLayer(Layer):
    """Rings, the shape being drawn, and the ring of the keyboard's focus."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._hovered: tuple[float, float, float] | None = None
        self._rectangle: QRectF | None = None
        self._lasso: list[QPointF] | None = None
        self._cursor: tuple[float, float, float] | None = None
        self._is_focused = False

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme."""
        self._tokens = tokens
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

    def set_lasso(self, shape: list[QPointF] | None) -> None:
        """Show the shape that is being drawn, logical pixels."""
        self._lasso = shape
        self.update()

    def set_cursor(self, place: tuple[float, float, float] | None) -> None:
        """Ring the point that the keyboard is at: world x, y and its radius in logical pixels."""
        if place != self._cursor:
            self._cursor = place
            self.update()

    def set_focused(self, is_focused: bool) -> None:
        """Show that keys go to the map."""
        if is_focused != self._is_focused:
            self._is_focused = is_focused
            self.update()

    def draw(self, painter: QPainter, ratio: float) -> None:
        """Draw what there is."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        accent = QColor(self._tokens.accent)
        if self._cursor is not None:
            self._paint_ring(painter, self._cursor, accent, CURSOR_GAP)
        if self._hovered is not None:
            self._paint_ring(painter, self._hovered, QColor(self._tokens.text), RING_GAP)
        if self._rectangle is not None or self._lasso:
            painter.setPen(QPen(accent, 1.5))
            filling = QColor(accent)
            filling.setAlphaF(0.14)
            painter.setBrush(filling)
            if self._rectangle is not None:
                painter.drawRect(self._rectangle)
            if self._lasso:
                painter.drawPolygon(self._lasso, Qt.FillRule.WindingFill)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._is_focused:
            painter.setPen(QPen(accent, 2))
            painter.drawRect(QRectF(1, 1, self.view.width - 2, self.view.height - 2))

    def _paint_ring(
        self,
        painter: QPainter,
        place: tuple[float, float, float],
        colour: QColor,
        gap: float,
    ) -> None:
        x, y, radius = place
        px, py = self.view.to_screen(np.array(x), np.array(y))
        centre, around = QPointF(float(px), float(py)), radius + gap
        for pen in (QPen(QColor(self._tokens.map), 4.5), QPen(colour, 2.0)):
            painter.setPen(pen)
            painter.drawEllipse(centre, around, around)
