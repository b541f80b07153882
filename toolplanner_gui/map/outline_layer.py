"""Lines of density and hulls of toolkits between the points and the names.

Kept as paths in world units that Qt draws through a transformation: a frame costs what is in view.
Called by `OutlineSwitches`, painted by Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF, QTransform

from toolplanner_gui.map.contours import Hull
from toolplanner_gui.map.layer import Layer
from toolplanner_gui.theme.tokens import Tokens

MOST_HULLS = 60
"""More at a time would be confetti; the largest toolkits in view have theirs."""
_FAINTEST, _STRONGEST = 0.28, 0.7
_FILL, _BAND = 0.12, 0.2
_GAP = 4.0
"""Between a point and the border of its hull, logical pixels."""


class _Outline(NamedTuple):
    label: int
    shape: QPolygonF


class OutlineLayer(Layer):
    """Contours and hulls."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._contours: list[QPainterPath] = []
        self._hulls: list[_Outline] = []
        self._boxes = np.zeros((0, 4))
        self._colours: Sequence[QColor] = ()
        self.point_radius = 0.0
        self.shown_hulls: list[int] = []
        """Toolkits whose hulls the last frame showed."""

    @property
    def has_contours(self) -> bool:
        """Whether there are lines of density."""
        return bool(self._contours)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme."""
        self._tokens = tokens
        self.update()

    def set_contours(self, levels: Sequence[Sequence[np.ndarray]]) -> None:
        """Show the lines of each density, `(k, 2)`, outermost first; none takes them away."""
        self._contours = [_path_of(lines) for lines in levels]
        self.update()

    def set_hulls(self, hulls: Sequence[Hull]) -> None:
        """Show hulls of toolkits, the most important first; none takes them away."""
        self._hulls = [
            _Outline(hull.label, QPolygonF([QPointF(x, y) for x, y in hull.corners.tolist()]))
            for hull in hulls
        ]
        ends = [(*hull.corners.min(axis=0), *hull.corners.max(axis=0)) for hull in hulls]
        self._boxes = np.array(ends, float).reshape(-1, 4)
        self.update()

    def set_colours(self, colours: Sequence[QColor]) -> None:
        """Take the colour of each toolkit; with none all hulls are grey."""
        self._colours = colours
        self.update()

    def draw(self, painter: QPainter, ratio: float) -> None:
        """Draw what is in view."""
        if not self._contours and not self._hulls:
            return
        view = self.view
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setTransform(
            QTransform(
                view.scale, 0, 0, -view.scale,
                view.width / 2 - view.x * view.scale, view.height / 2 + view.y * view.scale,
            )
        )  # fmt: skip
        for place, path in enumerate(self._contours):
            share = place / max(len(self._contours) - 1, 1)
            pen = QPen(self._faded(self._tokens.text, _FAINTEST + share * (_STRONGEST - _FAINTEST)))
            pen.setWidthF(1.2)
            pen.setCosmetic(True)
            painter.strokePath(path, pen)
        self._draw_hulls(painter)
        painter.resetTransform()

    def _draw_hulls(self, painter: QPainter) -> None:
        seen, boxes = self.view.bounds, self._boxes
        if not len(boxes):
            return
        near = (boxes[:, 0] < seen.right) & (boxes[:, 2] > seen.left)
        near &= (boxes[:, 1] < seen.top) & (boxes[:, 3] > seen.bottom)
        self.shown_hulls = []
        for place in np.flatnonzero(near)[:MOST_HULLS].tolist():
            label, shape = self._hulls[place]
            own = self._colours[label] if label < len(self._colours) else self._tokens.dim
            # A wide line with round corners: points at the corners lie inside as well.
            pen = QPen(self._faded(own, _BAND), 2 * (self.point_radius + _GAP))
            pen.setCosmetic(True)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.setPen(pen)
            painter.setBrush(self._faded(own, _FILL))
            painter.drawPolygon(shape)
            self.shown_hulls.append(label)

    def _faded(self, colour: QColor | str, share: float) -> QColor:
        faded = QColor(colour)
        faded.setAlphaF(share)
        return faded


def _path_of(lines: Sequence[np.ndarray]) -> QPainterPath:
    path = QPainterPath()
    for line in lines:
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in line.tolist()]))
    return path
