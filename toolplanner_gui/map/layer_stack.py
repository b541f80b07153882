"""The layers of the map, the camera in front of them, and the view that gets the mouse.

Points, names and marks lie above each other in the view; whenever the camera has moved all of them
look from the new place. The view itself stays in pixels: scaled with the map, a layer overflows
Qt's integers from a few hundred pixels a world unit on, and Qt then paints none of them again when
something changes. Called by the canvas.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, QPointF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QStyle, QWidget

from toolplanner_gui.map.camera import Camera
from toolplanner_gui.map.column_colours import ColumnColouring
from toolplanner_gui.map.label_layer import LabelLayer
from toolplanner_gui.map.layer import Layer
from toolplanner_gui.map.map_image_file import RESOLUTION, MapImage
from toolplanner_gui.map.map_view import MapView
from toolplanner_gui.map.mark_layer import MarkLayer
from toolplanner_gui.map.outline_layer import OutlineLayer
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.raster_layer import RasterLayer
from toolplanner_gui.map.rasteriser import RasterStyle, Scene
from toolplanner_gui.map.toolkit_colours import (
    NO_TOOLKIT,
    category_colours,
    scale_colours,
    toolkit_palette,
)
from toolplanner_gui.theme.tokens import Tokens

NAMED_WHEN_SELECTED = 3


class LayerStack(QObject):
    """Camera, view and layers of one canvas.

    Args:
        canvas: the widget they fill.
        tokens: colours.

    Attributes:
        points: what is shown.
        neighbours: `(n, k) int` rows of nearest points, itself first; none if they are not known.
        is_backdrop: whether something above the points matters more: they are dimmed.
        below_names: the layers between points and names, the lowest first.

    Signals:
        moved: the map is seen from another place, and the layers know.
    """

    moved = Signal()

    def __init__(self, canvas: QWidget, tokens: Tokens) -> None:
        super().__init__(canvas)
        self.canvas = canvas
        self.points = MapPoints(np.zeros((0, 2)), np.zeros(0, np.int32), [])
        self.neighbours: np.ndarray | None = None
        self.is_motion_reduced = False
        self.is_backdrop = False
        self.camera = Camera(self)
        self.view = MapView(canvas)
        self.raster = RasterLayer(self)
        self.outlines = OutlineLayer(tokens)
        self.labels = LabelLayer(tokens)
        self.marks = MarkLayer(tokens)
        self.below_names: list[Layer] = [self.outlines]
        self._layers = (self.raster, self.outlines, self.labels, self.marks)
        for height, layer in enumerate(self._layers):
            self.view.add_layer(layer, height)
        self.camera.moved.connect(self._on_moved)
        self.camera.overview_changed.connect(self._on_overview_changed)

    @property
    def is_settled(self) -> bool:
        """Whether nothing moves and the last image is made."""
        parts = (self.raster, self.labels)
        return not self.camera.is_moving and all(part.is_settled for part in parts)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme."""
        self.outlines.set_tokens(tokens)
        self.labels.set_tokens(tokens)
        self.marks.set_tokens(tokens)

    def draw(self, tokens: Tokens) -> tuple[Scene, RasterStyle]:
        """Draw the points as they are now; what was drawn, for the overview and for pictures."""
        points = self.points
        style = RasterStyle(
            background=QColor(tokens.map).rgb(),
            colours=tuple(colour.rgb() for colour in colours_of(points.colouring, tokens)),
            ring=QColor(tokens.text).rgb(),
            found=QColor(tokens.accent).rgb(),
        )
        scene = points.scene(is_backdrop=self.is_backdrop)
        self.raster.set_scene(scene, style, self.camera.overview_scale)
        self.labels.set_silenced(points.hidden_labels())
        self.labels.set_emphasised(points.selected_labels(NAMED_WHEN_SELECTED))
        return scene, style

    def picture(
        self,
        drawn: tuple[Scene, RasterStyle],
        tokens: Tokens,
        legend: str,
        explanation: QWidget | None = None,
    ) -> MapImage:
        """What is seen now, to be written to a file; what explains the colours stands in it."""
        view = self.camera.view
        size = QSizeF(view.width, view.height) * RESOLUTION
        over = QImage(size.toSize(), QImage.Format.Format_ARGB32_Premultiplied)
        over.setDevicePixelRatio(RESOLUTION)
        over.fill(Qt.GlobalColor.transparent)
        painter = QPainter(over)
        for layer in self.below_names:
            layer.draw(painter, RESOLUTION)
        if explanation is not None and not explanation.isHidden():
            explanation.render(painter, explanation.pos())
        painter.end()
        return MapImage(
            scene=drawn,
            view=view,
            radius=self.raster.radius(),
            names=self.labels.shown_texts(),
            fonts=self.labels.fonts,
            tokens=tokens,
            legend=legend,
            over=over,
        )

    def follow_system_motion(self) -> None:
        """Glide only if the system and the person want motion."""
        hint = QStyle.StyleHint.SH_Widget_Animation_Duration
        is_off = self.canvas.style().styleHint(hint, None, self.canvas) == 0
        self.camera.is_motion_reduced = self.is_motion_reduced or is_off

    def place_of(self, row: int) -> QPointF:
        """Where a point is on the canvas, logical pixels."""
        x, y = self.camera.view.to_screen(*self.points.xy[row])
        return QPointF(float(x), float(y))

    def _on_moved(self) -> None:
        view = self.camera.view
        for layer in self._layers:
            layer.set_view(view)
        self.labels.point_radius = self.outlines.point_radius = self.raster.radius()
        self.moved.emit()

    def _on_overview_changed(self) -> None:
        self.raster.set_overview_scale(self.camera.overview_scale)


def colours_of(colouring: ColumnColouring | None, tokens: Tokens) -> tuple[QColor, ...]:
    """The colours that a colouring's indices mean in a theme; of toolkits if there is none."""
    if colouring is None:
        return toolkit_palette(tokens)
    return scale_colours(tokens) if colouring.scheme == "ramp" else category_colours(tokens)


def point_colours(points: MapPoints, tokens: Tokens) -> np.ndarray:
    """The colour of each point, (n,) of "#rrggbb"."""
    names = np.array([colour.name() for colour in colours_of(points.colouring, tokens)])
    if points.colouring is not None:
        return names[points.colouring.index]
    # -1, no toolkit, reads the last entry.
    return names[np.append(points.colours, NO_TOOLKIT)[points.labels]]


def toolkit_colours(points: MapPoints, tokens: Tokens) -> list[QColor | None]:
    """The colour that each toolkit has on the map; none where its points differ in colour."""
    palette = colours_of(points.colouring, tokens)
    return [palette[i] if i >= 0 else None for i in toolkit_colour_places(points).tolist()]


def toolkit_colour_places(points: MapPoints) -> np.ndarray:
    """Which of the colours each toolkit has on the map, (k,) int; -1 where its points differ."""
    colouring = points.colouring
    if colouring is None:
        return points.colours
    known = points.labels >= 0
    labels, index = points.labels[known], colouring.index[known]
    # Every point writes its colour, the last one stays: where another point has another one, the
    # toolkit has none. A minimum by toolkit takes ten times as long.
    found = np.full(len(points.names), -1, np.int64)
    found[labels] = index
    found[labels[found[labels] != index]] = -1
    return found
