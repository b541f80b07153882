"""The switches for lines of density and hulls, and working them out while they are on.

Nothing is worked out, and a frame costs nothing, while both are off. Called by the canvas.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from toolplanner_gui.map.background_worker import BackgroundWorker
from toolplanner_gui.map.contours import Hull, density_lines, joined_lines, toolkit_hulls
from toolplanner_gui.map.layer_stack import LayerStack, toolkit_colours
from toolplanner_gui.theme.tokens import Tokens

CONTOURS, HULLS = "contours", "hulls"


class OutlineSwitches(QObject):
    """Keeps contours and hulls in step with the points, the filter and the colours.

    Args:
        stage: the points, and the layer that shows them.
        background: where the work is done.
    """

    def __init__(self, stage: LayerStack, background: BackgroundWorker) -> None:
        super().__init__(stage)
        self._stage = stage
        self._background = background
        self.turned_on: set[str] = set()
        """`CONTOURS`, `HULLS`, or both."""

    def turn(self, name: str, on: bool) -> None:
        """Show one of them, or take it away."""
        if on:
            self.turned_on.add(name)
        else:
            self.turned_on.discard(name)
        self.renew()

    def renew(self) -> None:
        """Work out anew what is shown, after other points, another filter or an edit."""
        points, layer = self._stage.points, self._stage.outlines
        shown = points.shown()
        if CONTOURS in self.turned_on:

            def show_lines(levels: list[list[np.ndarray]]) -> None:
                if CONTOURS in self.turned_on:
                    layer.set_contours(levels)

            self._background.start(CONTOURS, lambda: _contours(points.xy[shown]), show_lines)
        elif layer.has_contours:
            layer.set_contours(())
        if HULLS in self.turned_on:

            def show_hulls(hulls: list[Hull]) -> None:
                if HULLS in self.turned_on and points is self._stage.points:
                    layer.set_hulls(hulls)

            xy, labels = points.xy[shown], points.labels[shown]
            self._background.start(HULLS, lambda: toolkit_hulls(xy, labels), show_hulls)
        else:
            layer.set_hulls(())

    def colour(self, tokens: Tokens) -> None:
        """Take the colours of the points; grey for a toolkit whose points differ in colour."""
        if HULLS in self.turned_on:
            grey, found = QColor(tokens.dim), toolkit_colours(self._stage.points, tokens)
            self._stage.outlines.set_colours([colour or grey for colour in found])


def _contours(xy: np.ndarray) -> list[list[np.ndarray]]:
    return [joined_lines(pieces) for pieces in density_lines(xy)]
