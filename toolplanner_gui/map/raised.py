"""The ground of the small widgets above the map: raised, the map's colour at its round corners."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from toolplanner_gui.theme.tokens import RADIUS, Tokens


def paint_raised(widget: QWidget, tokens: Tokens) -> QPainter:
    """Paint the ground of a widget; the painter, for what stands on it."""
    painter = QPainter(widget)
    painter.fillRect(widget.rect(), QColor(tokens.map))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(tokens.line))
    painter.setBrush(QColor(tokens.raised))
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    return painter
