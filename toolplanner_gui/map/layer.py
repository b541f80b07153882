"""What all layers of the map have in common: painted in pixels of the canvas, over all of it.

Called by the layers; put together by the canvas.
"""

from __future__ import annotations

from pyqtgraph import GraphicsObject
from PySide6.QtCore import QRectF, Qt

from toolplanner_gui.map.viewport import Viewport

EVERYWHERE = QRectF(-1e7, -1e7, 2e7, 2e7)


class Layer(GraphicsObject):
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
