"""What all layers of the map have in common: painted in pixels of the canvas, over all of it.

Called by the layers; put together by the canvas.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from toolplanner_gui.map.viewport import Viewport

EVERYWHERE = QRectF(-1e7, -1e7, 2e7, 2e7)


class Layer(QGraphicsItem):
    """Something painted in the pixels of the canvas, over the whole of it."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.view = Viewport()

    def boundingRect(self) -> QRectF:
        """Everywhere: the layers are always in view.

        And asking Qt which part is costs more than it saves.
        """
        return EVERYWHERE

    def set_view(self, view: Viewport) -> None:
        """Look from another place at the next paint."""
        if view != self.view:
            self.view = view
            self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw in pixels of the canvas."""
        painter.resetTransform()
        self.draw(painter, 1.0 if widget is None else widget.devicePixelRatioF())

    def draw(self, painter: QPainter, ratio: float) -> None:
        """Draw what the layer shows; `ratio` device pixels to a logical one."""
        raise NotImplementedError
