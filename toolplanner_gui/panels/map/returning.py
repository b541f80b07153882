"""The map is looked at from where it was looked at when its workspace was open last."""

from PySide6.QtCore import QObject

from toolplanner_gui.bridge.kept_view import KeptView
from toolplanner_gui.map.canvas import MapCanvas

_NAME = "map"


class Returning(QObject):
    """Keeps middle and scale of a canvas; nothing while the map is seen whole.

    Args:
        view: where they are kept.
    """

    def __init__(self, canvas: MapCanvas, view: KeptView) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._view = view
        self._is_back = False

    def go_back(self) -> None:
        """Go there; only the first time, when there are points."""
        if self._is_back:
            return
        self._is_back = True
        found, camera = self._view.numbers(_NAME, 7), self._canvas.camera
        # Laid out anew, the same place shows something else.
        if found is not None and found[2] > 0 and found[3:] == self._bounds():
            camera.go_to(*found[:3])
        camera.moved.connect(self._on_moved)

    def _on_moved(self) -> None:
        place = self._canvas.camera.place
        self._view.put(_NAME, [] if place is None else [*place, *self._bounds()])

    def _bounds(self) -> list[float]:
        return [float(one) for one in self._canvas.points.everything]
