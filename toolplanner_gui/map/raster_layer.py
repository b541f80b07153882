"""The layer of the map that shows the points as one image, made beside the GUI.

Makes exact images of the map beside the GUI: the newest wish counts, one is made at a time. Drawing
a million points takes 30 ms of a core, twice a frame; numpy lets go of the interpreter meanwhile,
so a thread is enough.

The points on the screen: one item of the scene that draws one image. The image is made by
rasteriser.py for one viewport and a border around it, and kept. While the map is dragged within the
border, copying another part of it is all there is to do. Beyond, and at another zoom, a new one is
made at once when that is quick; else the old image is drawn moved and scaled, and the exact one
comes from a thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import thread_time

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from toolplanner_gui.map.background_worker import BackgroundWorker
from toolplanner_gui.map.layer import Layer
from toolplanner_gui.map.rasteriser import (
    RasterImage,
    RasterStyle,
    Scene,
    estimated_render_ms,
    render,
)
from toolplanner_gui.map.viewport import Viewport


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRequest:
    """All that an image depends on.

    Attributes:
        scene: the points.
        style: colours.
        view: what is drawn, the border around the window included.
        radius: of a point, logical pixels.
        ratio: device pixels a logical pixel.
    """

    scene: Scene
    style: RasterStyle
    view: Viewport
    radius: float
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedImage:
    """An image, what it was made for, and what that cost its thread, in milliseconds."""

    wish: ImageRequest
    picture: RasterImage
    cost_ms: float


def render_image(wish: ImageRequest, into: np.ndarray | None = None) -> RenderedImage:
    """Draw at once, in the calling thread."""
    started = thread_time()
    picture = render(
        wish.scene, wish.view, wish.style, radius=wish.radius, ratio=wish.ratio, into=into
    )
    return RenderedImage(wish=wish, picture=picture, cost_ms=(thread_time() - started) * 1000)


class ImageRenderer:
    """Makes one image at a time in a thread.

    Args:
        owner: results that come after its end are dropped.
        then: called in the GUI thread with each image.
    """

    def __init__(self, owner: QObject, then: Callable[[RenderedImage], None]) -> None:
        self._then = then
        self._background = BackgroundWorker(owner)
        self._next: ImageRequest | None = None
        self._current: ImageRequest | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an image is being made."""
        return self._background.is_busy

    def want(self, wish: ImageRequest) -> None:
        """Make an image for this wish; one that waits is forgotten."""
        if not self.is_busy:
            self._start(wish)
        else:
            self._next = wish if wish != self._current else None

    def forget(self) -> None:
        """Nothing that was wished for is wanted any more."""
        self._next = None

    def _start(self, wish: ImageRequest) -> None:
        self._current = wish
        self._background.start("picture", lambda: render_image(wish), self._on_made)

    def _on_made(self, made: RenderedImage) -> None:
        wish, self._next = self._next, None
        if wish is not None:
            self._start(wish)
        self._then(made)


QUICK_MS = 6.0
BORDER = 64.0
OFF_BY = 0.02
REMEMBERED = 4
FIRST_PACE = 1.0
"""Measured against estimated cost before anything was measured."""
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


class RasterLayer(Layer):
    """The points.

    Args:
        owner: the canvas.
    """

    def __init__(self, owner: QObject) -> None:
        super().__init__()
        self._scene: Scene | None = None
        self._style = RasterStyle(background=0xFF000000, colours=(0xFF000000,), ring=0, found=0)
        self._overview_scale = 1.0
        self._made: RenderedImage | None = None
        self._image = QImage()
        self._is_new_wanted = True
        self._maker = ImageRenderer(owner, self._on_made)
        self.paces: deque[float] = deque([FIRST_PACE], maxlen=REMEMBERED)

    @property
    def picture(self) -> RasterImage | None:
        """The last exact image; none before the first paint."""
        return None if self._made is None else self._made.picture

    @property
    def is_settled(self) -> bool:
        """Whether nothing is being drawn beside the GUI."""
        return not self._maker.is_busy

    @property
    def is_exact(self) -> bool:
        """Whether the last image shows the present viewport as a new one would."""
        return not self._is_new_wanted and self._corner() is not None

    @property
    def is_quick(self) -> bool:
        """Whether an exact image of the present viewport fits into a frame.

        The best pace of the last few counts: a single slow one says that the machine was busy.
        """
        if self._scene is None:
            return True
        ratio = 1.0 if self._made is None else self._made.wish.ratio
        view = self._wide()
        count = self._scene.tiles.count_near(view.bounds)
        expected = estimated_render_ms(count, view, radius=self.radius(), ratio=ratio)
        return min(self.paces) * expected <= QUICK_MS

    def set_scene(self, scene: Scene, style: RasterStyle, overview_scale: float) -> None:
        """Draw other points or colours at the next paint."""
        if self._scene is not None and scene.tiles is not self._scene.tiles:
            # An image of other points would be a lie even for a moment.
            self._made = None
        self._scene, self._style, self._overview_scale = scene, style, overview_scale
        self.invalidate()

    def set_overview_scale(self, scale: float) -> None:
        """Say at which scale the whole map is in view, after a change of the window's size."""
        if scale != self._overview_scale:
            self._overview_scale = scale
            self.invalidate()

    def invalidate(self) -> None:
        """Make the image anew at the next paint."""
        self._is_new_wanted = True
        self.update()

    def radius(self) -> float:
        """Of a point in the present viewport, logical pixels."""
        n = len(self._scene.tiles) if self._scene is not None else 0
        return point_radius(self.view, self._overview_scale, n)

    def draw(self, painter: QPainter, ratio: float) -> None:
        """Draw the image, exact if there is time."""
        window = QRectF(0, 0, self.view.width, self.view.height)
        if self._made is not None and self._made.wish.ratio != ratio:
            self._made = None
        corner = None if self._is_new_wanted else self._corner()
        if corner is None and self._scene is not None:
            wish = self._wish(self._scene, ratio)
            self._is_new_wanted = False
            if self.is_quick:
                self._maker.forget()
                self._take(render_image(wish, self._spare()))
            else:
                self._maker.want(wish)
            corner = self._corner()
        if self._made is None:
            painter.fillRect(window, QColor.fromRgb(self._style.background))
            return
        margin = self._made.picture.margin
        if corner is not None:
            # Drawn at a point, not into a rectangle: a plain copy, no scaling by one.
            source = QRectF(corner + QPointF(margin, margin), window.size() * ratio)
            painter.drawImage(QPointF(0, 0), self._image, source)
            return
        painter.fillRect(window, QColor.fromRgb(self._style.background))
        painter.drawImage(self._moved(margin / ratio), self._image, QRectF(self._image.rect()))

    def _wide(self) -> Viewport:
        """The viewport with a border around it."""
        return self.view.resized(self.view.width + 2 * BORDER, self.view.height + 2 * BORDER)

    def _wish(self, scene: Scene, ratio: float) -> ImageRequest:
        return ImageRequest(
            scene=scene, style=self._style, view=self._wide(), radius=self.radius(), ratio=ratio
        )

    def _spare(self) -> np.ndarray | None:
        # The image lets go of the old pixels before they are written to again.
        self._image = QImage()
        return None if self._made is None else self._made.picture.pixels

    def _take(self, made: RenderedImage) -> None:
        pixels = made.picture.pixels
        height, width = pixels.shape
        # The image reads the array's memory: both are kept.
        image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(made.wish.ratio)
        self._image, self._made = image, made
        wish = made.wish
        expected = estimated_render_ms(
            made.picture.points, wish.view, radius=wish.radius, ratio=wish.ratio
        )
        self.paces.append(made.cost_ms / expected)

    def _on_made(self, made: RenderedImage) -> None:
        scene = self._scene
        if scene is None or made.wish.scene.tiles is not scene.tiles:
            return
        is_of_now = made.wish.scene is scene and made.wish.style == self._style
        # Of two old images the one of the present points and colours is nearer to the truth.
        if is_of_now or self._made is None or self._made.wish.scene is not scene:
            self._take(made)
            self.update()

    def _corner(self) -> QPointF | None:
        """Device pixels from the image's corner to that of the window.

        None if the image is of another scene or scale, does not reach, or is off by a part of a
        pixel.
        """
        made = self._made
        if made is None or made.wish.scene is not self._scene:
            return None
        old, ratio = made.wish.view, made.wish.ratio
        wanted = replace(made.wish, style=self._style, radius=self.radius())
        if old.scale != self.view.scale or made.wish != wanted:
            return None
        moved = self._moved(0.0)
        left, top = -moved.left() * ratio, -moved.top() * ratio
        column, row = round(left), round(top)
        if max(abs(left - column), abs(top - row)) > OFF_BY:
            return None
        right = column + self.view.width * ratio
        bottom = row + self.view.height * ratio
        reaches = min(column, row) >= 0
        reaches &= right <= old.width * ratio + OFF_BY
        reaches &= bottom <= old.height * ratio + OFF_BY
        return QPointF(column, row) if reaches else None

    def _moved(self, margin: float) -> QRectF:
        """Where the old image, with its margin, lies in the present viewport, logical pixels."""
        assert self._made is not None
        old = self._made.wish.view
        grown = self.view.scale / old.scale
        x = (old.x - self.view.x) * self.view.scale + self.view.width / 2
        y = (self.view.y - old.y) * self.view.scale + self.view.height / 2
        width = (old.width + 2 * margin) * grown
        height = (old.height + 2 * margin) * grown
        return QRectF(x - width / 2, y - height / 2, width, height)
