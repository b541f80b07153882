"""The overview in the corner: the whole map, small, and a frame around what is in view.

Its picture is made once for each change of points or colours, beside the GUI; a frame of it is one
copy and one rectangle. Click and drag go to a place. Called by the canvas.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from toolplanner_gui.map.raster_layer import ImageRenderer, ImageRequest, RenderedImage
from toolplanner_gui.map.rasteriser import RasterStyle, Scene
from toolplanner_gui.map.viewport import Bounds, Viewport
from toolplanner_gui.theme.tokens import Tokens

SIZE = QSize(176, 124)
DOT = 0.6
LEAST_FRAME = 8.0


class Minimap(QWidget):
    """A small opaque picture.

    Signals:
        place_chosen: world x, y.
    """

    place_chosen = Signal(float, float)

    def __init__(self, parent: QWidget, tokens: Tokens) -> None:
        super().__init__(parent)
        self.setFixedSize(SIZE)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Overview of the map")
        self.setToolTip("The whole map; click or drag to go there (O hides it)")
        self._tokens = tokens
        self._maker = ImageRenderer(self, self._on_made)
        self._wish: ImageRequest | None = None
        self._made: RenderedImage | None = None
        self._image = QImage()
        self._view = Viewport(width=SIZE.width(), height=SIZE.height())
        self._seen = Bounds(0, 0, 0, 0)
        self.hide()

    @property
    def is_settled(self) -> bool:
        """Whether the picture is up to date."""
        return not self._maker.is_busy

    def show_points(
        self, scene: Scene, style: RasterStyle, everything: Bounds, tokens: Tokens
    ) -> None:
        """Show other points or colours; worked out only while it is to be seen."""
        self._tokens = tokens
        self._view = self._view.fitted(everything)
        plain = replace(scene, selected=None, found=None)
        self._wish = ImageRequest(
            scene=plain, style=style, view=self._view, radius=DOT, ratio=self.devicePixelRatioF()
        )
        if not self.isHidden():
            self._maker.want(self._wish)

    def turn(self, on: bool) -> None:
        """Show or hide it."""
        self.setVisible(on)
        if on and self._wish is not None:
            self._maker.want(self._wish)

    def set_seen(self, seen: Bounds) -> None:
        """Say what part of the world the map shows."""
        if seen != self._seen:
            self._seen = seen
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Copy the picture and draw the frame."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._tokens.map))
        if self._made is not None:
            margin = self._made.picture.margin
            ratio = self._made.wish.ratio
            source = QRectF(margin, margin, self.width() * ratio, self.height() * ratio)
            painter.drawImage(QRectF(self.rect()), self._image, source)
        edges = self._view.to_screen(
            [self._seen.left, self._seen.right], [self._seen.top, self._seen.bottom]
        )
        (left, right), (top, bottom) = edges
        frame = QRectF(QPointF(left, top), QPointF(right, bottom))
        # Deep inside the frame would be smaller than its line.
        wide, tall = max(LEAST_FRAME - frame.width(), 0), max(LEAST_FRAME - frame.height(), 0)
        frame.adjust(-wide / 2, -tall / 2, wide / 2, tall / 2)
        painter.setPen(QPen(QColor(self._tokens.accent), 1.5))
        painter.drawRect(frame.intersected(QRectF(self.rect()).adjusted(1, 1, -2, -2)))
        painter.setPen(QColor(self._tokens.field_line))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go along."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        place = event.position()
        self.place_chosen.emit(*self._view.to_world(place.x(), place.y()))
        event.accept()

    def _on_made(self, made: RenderedImage) -> None:
        pixels = made.picture.pixels
        height, width = pixels.shape
        self._image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
        self._made = made
        self.update()
