"""What the mouse points at: hover with dwell, click, double click, rectangle.

Between the view, which knows only pixels, and the canvas, which knows only rows. Called by the
canvas.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal

from toolplanner_gui.map.camera import Camera
from toolplanner_gui.map.map_view import MapView
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.selection import Mode
from toolplanner_gui.map.viewport import Bounds

DWELL_MS = 90
PICK_PIXELS = 5.0
AROUND_POINT = 2.0


class Pointing(QObject):
    """Follows the cursor over the points.

    Args:
        view: where gestures come from.
        camera: where the map is seen from.
        points: the present points.
        radius: of a point on the screen, logical pixels.
        parent: the canvas.

    Signals:
        pointed: row of the point under the cursor, -1 for none; at once.
        dwelt: the same when the cursor has rested on it; -1 when it leaves.
        selected: rows and mode that a click or rectangle means.
        activated: row that was double-clicked.
        pressed: the mouse was used on the map.
    """

    pointed = Signal(int)
    dwelt = Signal(int)
    selected = Signal(object, str)
    activated = Signal(int)
    pressed = Signal()

    def __init__(
        self,
        *,
        view: MapView,
        camera: Camera,
        points: Callable[[], MapPoints],
        radius: Callable[[], float],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._camera = camera
        self._points = points
        self._radius = radius
        self._row = -1
        self._told = -1
        self._dwell = QTimer(self)
        self._dwell.setSingleShot(True)
        self._dwell.setInterval(DWELL_MS)
        self._dwell.timeout.connect(self._on_dwelt)
        view.pointed.connect(self._on_pointed)
        view.clicked.connect(self._on_clicked)
        view.double_clicked.connect(self._on_double_clicked)
        view.rectangle_drawn.connect(self._on_rectangle_drawn)

    @property
    def row(self) -> int:
        """The point under the cursor, -1 for none."""
        return self._row

    def pick(self, place: QPointF) -> int:
        """The point at a place of the canvas, -1 for none."""
        view = self._camera.view
        x, y = view.to_world(place.x(), place.y())
        reach = max(PICK_PIXELS, self._radius() + AROUND_POINT)
        return self._points().pick(x, y, reach / view.scale)

    def set_row(self, row: int) -> None:
        """Take a point as the one under the cursor; -1 when the map has moved away."""
        if row == self._row:
            return
        self._row = row
        self.pointed.emit(row)
        if row >= 0:
            self._dwell.start()
            return
        self._dwell.stop()
        if self._told >= 0:
            self._told = -1
            self.dwelt.emit(-1)

    def _on_dwelt(self) -> None:
        self._told = self._row
        self.dwelt.emit(self._row)

    def _on_pointed(self, place: QPointF | None) -> None:
        self.set_row(-1 if place is None else self.pick(place))

    def _on_clicked(self, place: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        self.pressed.emit()
        row = self.pick(place)
        mode = mode_of(modifiers)
        if row >= 0 or mode == "replace":
            self.selected.emit([row] if row >= 0 else [], mode)

    def _on_double_clicked(self, place: QPointF) -> None:
        row = self.pick(place)
        if row >= 0:
            self.activated.emit(row)

    def _on_rectangle_drawn(self, box: QRectF, modifiers: Qt.KeyboardModifier) -> None:
        self.pressed.emit()
        view = self._camera.view
        left, top = view.to_world(box.left(), box.top())
        right, bottom = view.to_world(box.right(), box.bottom())
        rows = self._points().inside(Bounds(left, bottom, right, top))
        self.selected.emit(rows, mode_of(modifiers))


def mode_of(modifiers: Qt.KeyboardModifier) -> Mode:
    """What held keys make of a click: Shift adds, Alt removes."""
    if modifiers & Qt.KeyboardModifier.AltModifier:
        return "remove"
    return "add" if modifiers & Qt.KeyboardModifier.ShiftModifier else "replace"
