"""The points on the screen: one item of the scene that draws one image.

The image is made by raster.py for one viewport and kept. A frame of another viewport makes a new
one when that is known to be quick; else the old image is drawn moved and scaled, and the exact one
follows as soon as the hand rests. Called by the canvas, painted by Qt.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from pyqtgraph import GraphicsObject
from PySide6.QtCore import QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from toolplanner_gui.map.raster import Picture, RasterStyle, Scene, render
from toolplanner_gui.map.viewport import Viewport

EVERYWHERE = QRectF(-1e7, -1e7, 2e7, 2e7)
QUICK_MS = 6.0
REST_MS = 40
COVERED_SHARE = 0.12
LEAST_RADIUS, MOST_RADIUS = 1.7, 7.0
MOST_BASE_RADIUS = 5.0
GROWTH = 0.5


def point_radius(view: Viewport, overview_scale: float, n: int) -> float:
    """How large a point is drawn, in logical pixels: a tenth of the window for all of them.

    More when zoomed in.

    Args:
        view: size and scale.
        overview_scale: scale at which the whole map is in view.
        n: points of the whole map.
    """
    area = COVERED_SHARE * view.width * view.height / (np.pi * max(n, 1))
    base = min(float(np.sqrt(area)), MOST_BASE_RADIUS)
    grown = base * (view.scale / overview_scale) ** GROWTH
    return min(max(grown, LEAST_RADIUS), MOST_RADIUS)


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


class RasterLayer(Layer):
    """The points."""

    def __init__(self, owner: QObject) -> None:
        super().__init__()
        self._scene: Scene | None = None
        self._style = RasterStyle(background=0xFF000000, colours=(0xFF000000,), ring=0)
        self._overview_scale = 1.0
        self._picture: Picture | None = None
        self._image = QImage()
        self._pictured: tuple[Viewport, float] | None = None
        self._is_exact_wanted = True
        self.last_ms = 0.0
        self._rest = QTimer(owner)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._on_rested)

    @property
    def picture(self) -> Picture | None:
        """The last exact image; none before the first paint."""
        return self._picture

    @property
    def is_exact(self) -> bool:
        """Whether the last image is of the present viewport."""
        return self._pictured is not None and self._pictured[0] == self.view

    def set_scene(self, scene: Scene, style: RasterStyle, overview_scale: float) -> None:
        """Draw other points or colours at the next paint."""
        self._scene, self._style, self._overview_scale = scene, style, overview_scale
        self.invalidate()

    def set_overview_scale(self, scale: float) -> None:
        """Say at which scale the whole map is in view, after a change of the window's size."""
        self._overview_scale = scale

    def invalidate(self) -> None:
        """Make the image anew at the next paint."""
        self._pictured = None
        self._is_exact_wanted = True
        self.update()

    def radius(self) -> float:
        """Of a point in the present viewport, logical pixels."""
        n = len(self._scene.tiles) if self._scene is not None else 0
        return point_radius(self.view, self._overview_scale, n)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the image, exact if there is time."""
        painter.resetTransform()
        ratio = widget.devicePixelRatioF() if widget is not None else 1.0
        window = QRectF(0, 0, self.view.width, self.view.height)
        if self._scene is None:
            painter.fillRect(window, QColor.fromRgb(self._style.background))
            return
        if self._pictured != (self.view, ratio):
            known = self._pictured is not None and self._pictured[1] == ratio
            if self._is_exact_wanted or not known or self.last_ms <= QUICK_MS:
                self._make(ratio)
            else:
                self._rest.start()
        self._is_exact_wanted = False
        assert self._picture is not None and self._pictured is not None
        source = QRectF(self._image.rect())
        margin = self._picture.margin
        if self.is_exact:
            source.adjust(margin, margin, -margin, -margin)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            painter.drawImage(window, self._image, source)
            return
        painter.fillRect(window, QColor.fromRgb(self._style.background))
        painter.drawImage(self._moved(margin / ratio), self._image, source)

    def _make(self, ratio: float) -> None:
        assert self._scene is not None
        started = perf_counter()
        picture = render(self._scene, self.view, self._style, radius=self.radius(), ratio=ratio)
        height, width = picture.pixels.shape
        # The image reads the array's memory: both are kept, the image is replaced first.
        self._image = QImage(
            picture.pixels.data, width, height, width * 4, QImage.Format.Format_RGB32
        )
        self._picture = picture
        self._pictured = (self.view, ratio)
        self.last_ms = (perf_counter() - started) * 1000

    def _moved(self, margin: float) -> QRectF:
        """Where the old image, with its margin, lies in the present viewport."""
        assert self._pictured is not None
        old = self._pictured[0]
        box = old.bounds
        left, top = self.view.to_screen(np.array(box.left), np.array(box.top))
        grown = self.view.scale / old.scale
        return QRectF(
            float(left) - margin * grown,
            float(top) - margin * grown,
            (old.width + 2 * margin) * grown,
            (old.height + 2 * margin) * grown,
        )

    def _on_rested(self) -> None:
        self._is_exact_wanted = True
        self.update()
