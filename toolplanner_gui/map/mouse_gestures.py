"""What the mouse points at: hover with dwell, click, double click, rectangle, lasso.

Between the view, which knows only pixels, and the canvas, which knows only points. Called by the
canvas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal

from toolplanner_core.curation.looking.map_finding import coherence
from toolplanner_gui.map.background_worker import BackgroundWorker
from toolplanner_gui.map.lasso import points_inside_shape
from toolplanner_gui.map.layer_stack import LayerStack
from toolplanner_gui.map.points import MapPoints, Mode
from toolplanner_gui.map.viewport import Bounds

DWELL_MS = 90
PICK_PIXELS = 5.0
AROUND_POINT = 2.0
AT_ONCE = 200_000
"""Up to so many points a lasso is filled in the GUI thread: 10 ms."""
DIGITS = 4


class MouseGestures(QObject):
    """Follows the cursor over the points.

    Args:
        stage: the points, and the view that gestures come from.
        is_covered: whether something else lies above the points at a place.

    Signals:
        pointed: row of the point under the cursor, -1 for none; at once.
        dwelt: the same when the cursor has rested on it; -1 when it leaves.
        selected: mask `(n,) bool`, mode, and how it was made, that a gesture means.
        measured: how many points a shape holds that is being drawn, and their coherence (none if
            it is not known).
        activated: row that was double-clicked.
        pressed: the mouse was used on the map.
    """

    pointed = Signal(int)
    dwelt = Signal(int)
    selected = Signal(object, str, object)
    measured = Signal(int, object)
    activated = Signal(int)
    pressed = Signal()

    def __init__(self, stage: LayerStack, is_covered: Callable[[QPointF], bool]) -> None:
        super().__init__(stage)
        self._stage = stage
        self._is_covered = is_covered
        view = stage.view
        self._background = BackgroundWorker(self)
        self.row = -1
        """The point under the cursor, -1 for none."""
        self._told = -1
        self._dwell = QTimer(self, singleShot=True, interval=DWELL_MS)
        self._dwell.timeout.connect(self._on_dwelt)
        view.pointed.connect(self._on_pointed)
        view.clicked.connect(self._on_clicked)
        view.double_clicked.connect(self._on_double_clicked)
        view.rectangle_changed.connect(self._on_rectangle_changed)
        view.rectangle_drawn.connect(self._on_rectangle_drawn)
        view.lasso_changed.connect(self._on_lasso_changed)
        view.lasso_drawn.connect(self._on_lasso_drawn)

    @property
    def is_settled(self) -> bool:
        """Whether no gesture is still being worked out."""
        return not self._background.is_busy

    def pick(self, place: QPointF) -> int:
        """The point at a place of the canvas, -1 for none."""
        if self._is_covered(place):
            return -1
        view = self._stage.camera.view
        x, y = view.to_world(place.x(), place.y())
        reach = max(PICK_PIXELS, self._stage.raster.radius() + AROUND_POINT)
        return self._stage.points.pick(x, y, reach / view.scale)

    def set_row(self, row: int) -> None:
        """Take a point as the one under the cursor; -1 when the map has moved away."""
        if row == self.row:
            return
        self.row = row
        self.pointed.emit(row)
        if row >= 0:
            self._dwell.start()
            return
        self._dwell.stop()
        if self._told >= 0:
            self._told = -1
            self.dwelt.emit(-1)

    def _on_dwelt(self) -> None:
        self._told = self.row
        self.dwelt.emit(self.row)

    def _on_pointed(self, place: QPointF | None) -> None:
        is_name = place is not None and self._name_at(place) >= 0
        self._stage.view.show_hand(is_name)
        self.set_row(-1 if place is None or is_name else self.pick(place))

    def _name_at(self, place: QPointF) -> int:
        """The toolkit whose name can be clicked there, -1 for none."""
        is_free = self._stage.view.tool == "pan" and not self._is_covered(place)
        return self._stage.labels.toolkit_at(place) if is_free else -1

    def _on_clicked(self, place: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        self.pressed.emit()
        if self._is_covered(place):
            return
        mode = mode_of(modifiers)
        points, label = self._stage.points, self._name_at(place)
        if label >= 0:
            made = {"by": "toolkit", "toolkit": int(points.keys[label])}
            self.selected.emit((points.labels == label) & points.shown(), mode, made)
            return
        row = self.pick(place)
        if row >= 0 or mode == "replace":
            mask = self._stage.points.selection.mask_of(
                np.array([row] if row >= 0 else [], np.int64)
            )
            self.selected.emit(mask, mode, {"by": "click"})

    def _on_double_clicked(self, place: QPointF) -> None:
        row = self.pick(place)
        if row >= 0:
            self.activated.emit(row)

    def _on_rectangle_changed(self, box: QRectF | None) -> None:
        if box is not None:
            self._measure(partial(_in_box, self._stage.points, self._bounds(box)))

    def _on_rectangle_drawn(self, box: QRectF, modifiers: Qt.KeyboardModifier) -> None:
        self.pressed.emit()
        bounds = self._bounds(box)
        corners = [_rounded(bounds.left, bounds.bottom), _rounded(bounds.right, bounds.top)]
        made = {"by": "rectangle", "points": corners}
        self._finish(partial(_in_box, self._stage.points, bounds), mode_of(modifiers), made)

    def _on_lasso_changed(self, shape: list[QPointF] | None) -> None:
        if shape is not None:
            self._measure(partial(_in_shape, self._stage.points, self._world(shape)))

    def _on_lasso_drawn(self, shape: list[QPointF], modifiers: Qt.KeyboardModifier) -> None:
        self.pressed.emit()
        world = self._world(shape)
        made = {"by": "lasso", "points": [_rounded(x, y) for x, y in world.tolist()]}
        self._finish(partial(_in_shape, self._stage.points, world), mode_of(modifiers), made)

    def _measure(self, find: Callable[[], np.ndarray]) -> None:
        near = self._stage.neighbours

        def work() -> tuple[int, float | None]:
            mask = find()
            held = None if near is None or len(near) != len(mask) else coherence(near, mask)
            return int(np.count_nonzero(mask)), held

        def tell(found: tuple[int, float | None]) -> None:
            if self._stage.view.is_dragging:
                self.measured.emit(*found)

        self._background.start("measure", work, tell)

    def _finish(self, find: Callable[[], np.ndarray], mode: Mode, made: Mapping[str, Any]) -> None:
        points = self._stage.points
        if len(points) <= AT_ONCE:
            self.selected.emit(find(), mode, made)
            return

        def tell(mask: np.ndarray) -> None:
            if points is self._stage.points:
                self.selected.emit(mask, mode, made)

        self._background.start("select", find, tell)

    def _bounds(self, box: QRectF) -> Bounds:
        view = self._stage.camera.view
        left, top = view.to_world(box.left(), box.top())
        right, bottom = view.to_world(box.right(), box.bottom())
        return Bounds(left, bottom, right, top)

    def _world(self, shape: list[QPointF]) -> np.ndarray:
        view = self._stage.camera.view
        return np.array([view.to_world(place.x(), place.y()) for place in shape])


def _in_box(points: MapPoints, box: Bounds) -> np.ndarray:
    return points.inside(box)


def _in_shape(points: MapPoints, shape: np.ndarray) -> np.ndarray:
    return points.mask_of_places(points_inside_shape(points.tiles, shape))


def _rounded(x: float, y: float) -> list[float]:
    return [round(x, DIGITS), round(y, DIGITS)]


def mode_of(modifiers: Qt.KeyboardModifier) -> Mode:
    """What held keys make of a gesture: Shift adds, Alt removes, Ctrl turns round."""
    if modifiers & Qt.KeyboardModifier.AltModifier:
        return "remove"
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return "add"
    return "toggle" if modifiers & Qt.KeyboardModifier.ControlModifier else "replace"
