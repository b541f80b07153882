"""The map is looked at from where it was looked at before: when its workspace was open last, or
before a run moved it."""

from PySide6.QtCore import QObject

from toolplanner_core.domain.ids import RunId
from toolplanner_gui.bridge.kept_view import KeptView
from toolplanner_gui.map.camera import CameraStand
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


class RunInView:
    """Brings the plan of a run into view, once for each: a person may move the map afterwards.

    Who did not finds it where it was when the run is left.
    """

    def __init__(self, canvas: MapCanvas) -> None:
        self._canvas = canvas
        self._run: RunId | None = None
        self._before: CameraStand | None = None
        self._there: tuple[float, float, float] | None = None

    def show(self, run: RunId | None) -> None:
        """Beside a run that has a plan."""
        if run == self._run:
            return
        camera = self._canvas.camera
        if self._before is None or camera.place != self._there:
            self._before = camera.stand
        self._run = run
        self._canvas.plan.bring_into_view()
        self._there = camera.place

    def leave(self) -> None:
        """Where no run is looked at."""
        camera, before = self._canvas.camera, self._before
        if before is not None and camera.place == self._there:
            camera.return_to(before)
            self._run = None  # it is brought into view again
        self._before = None
