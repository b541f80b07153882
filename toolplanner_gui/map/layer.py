"""The points on the screen: one item of the scene that draws one image.

The image is made by raster.py for one viewport and a border around it, and kept. While the map is
dragged within the border, copying another part of it is all there is to do. Beyond, and at another
zoom, a new one is made when that is known to be quick; else the old image is drawn moved and
scaled, and the exact one follows as soon as the hand rests. Called by the canvas, painted by Qt.
"""

from __future__ import annotations

from collections import deque
from time import perf_counter

import numpy as np
from pyqtgraph import GraphicsObject
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from toolplanner_gui.map.raster import Picture, RasterStyle, Scene, render
from toolplanner_gui.map.viewport import Viewport

EVERYWHERE = QRectF(-1e7, -1e7, 2e7, 2e7)
QUICK_MS = 6.0
BORDER = 64.0
OFF_BY = 0.02
REMEMBERED = 4
REST_MS = 40
COVERED_SHARE = 0.12
LEAST_RADIUS, MOST_RADIUS = 1.15, 7.0
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
        self._pictured: Viewport | None = None
        self._ratio = 0.0
        self._is_exact_wanted = True
        self.costs_ms: deque[float] = deque([0.0], maxlen=REMEMBERED)
        self._rest = QTimer(owner)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._on_rested)

    @property
    def picture(self) -> Picture | None:
        """The last exact image; none before the first paint."""
        return self._picture

    @property
    def is_quick(self) -> bool:
        """Whether an exact image fits into a frame.

        The best of the last few counts: a single slow one says that the machine was busy.
        """
        return min(self.costs_ms) <= QUICK_MS

    @property
    def is_exact(self) -> bool:
        """Whether the last image shows the present viewport as a new one would."""
        return self._corner() is not None

    def set_scene(self, scene: Scene, style: RasterStyle, overview_scale: float) -> None:
        """Draw other points or colours at the next paint."""
        self._scene, self._style, self._overview_scale = scene, style, overview_scale
        self.invalidate()

    def set_overview_scale(self, scale: float) -> None:
        """Say at which scale the whole map is in view, after a change of the window's size."""
        if scale != self._overview_scale:
            self._overview_scale = scale
            self.invalidate()

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
        corner = self._corner() if self._ratio == ratio else None
        if corner is None:
            if self._is_exact_wanted or self._ratio != ratio or self.is_quick:
                self._make(ratio)
                corner = self._corner()
            else:
                self._rest.start()
        self._is_exact_wanted = False
        assert self._picture is not None
        margin = self._picture.margin
        if corner is not None:
            # Drawn at a point, not into a rectangle: a plain copy, no scaling by one.
            size = window.size() * ratio
            source = QRectF(corner + QPointF(margin, margin), size)
            painter.drawImage(QPointF(0, 0), self._image, source)
            return
        painter.fillRect(window, QColor.fromRgb(self._style.background))
        painter.drawImage(self._moved(margin / ratio), self._image, QRectF(self._image.rect()))

    def _make(self, ratio: float) -> None:
        assert self._scene is not None
        started = perf_counter()
        # The image lets go of the old pixels before they are written to again.
        self._image = QImage()
        wide = self.view.resized(self.view.width + 2 * BORDER, self.view.height + 2 * BORDER)
        picture = render(
            self._scene,
            wide,
            self._style,
            radius=self.radius(),
            ratio=ratio,
            into=None if self._picture is None else self._picture.pixels,
        )
        height, width = picture.pixels.shape
        # The image reads the array's memory: both are kept.
        self._image = QImage(
            picture.pixels.data, width, height, width * 4, QImage.Format.Format_RGB32
        )
        self._image.setDevicePixelRatio(ratio)
        self._picture = picture
        self._pictured, self._ratio = wide, ratio
        self.costs_ms.append((perf_counter() - started) * 1000)

    def _corner(self) -> QPointF | None:
        """Device pixels from the image's corner to that of the window.

        None if the image has another scale, does not reach, or is off by a part of a pixel.
        """
        old = self._pictured
        if old is None or old.scale != self.view.scale:
            return None
        moved = self._moved(0.0)
        left, top = -moved.left() * self._ratio, -moved.top() * self._ratio
        column, row = round(left), round(top)
        if max(abs(left - column), abs(top - row)) > OFF_BY:
            return None
        right = column + self.view.width * self._ratio
        bottom = row + self.view.height * self._ratio
        reaches = min(column, row) >= 0
        reaches &= right <= old.width * self._ratio + OFF_BY
        reaches &= bottom <= old.height * self._ratio + OFF_BY
        return QPointF(column, row) if reaches else None

    def _moved(self, margin: float) -> QRectF:
        """Where the old image, with its margin, lies in the present viewport, logical pixels."""
        old = self._pictured
        assert old is not None
        grown = self.view.scale / old.scale
        x = (old.x - self.view.x) * self.view.scale + self.view.width / 2
        y = (self.view.y - old.y) * self.view.scale + self.view.height / 2
        width = (old.width + 2 * margin) * grown
        height = (old.height + 2 * margin) * grown
        return QRectF(x - width / 2, y - height / 2, width, height)

    def _on_rested(self) -> None:
        self._is_exact_wanted = True
        self.update()
