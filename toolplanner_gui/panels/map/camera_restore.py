"""The map is looked at from where it was looked at before: when its workspace was open last, or
before a run moved it."""

from PySide6.QtCore import QObject

from toolplanner_core.domain.ids import RunId
from toolplanner_gui.bridge.view_state import ViewState
from toolplanner_gui.map.camera import CameraState, Framing
from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.map.viewport import Bounds
from toolplanner_gui.viewmodels.curate.first_map import MAP_VIEW


class CameraRestore(QObject):
    """Keeps middle and scale of a canvas; nothing while the map is seen whole.

    Args:
        view: where they are kept.
    """

    def __init__(self, canvas: MapCanvas, view: ViewState) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._view = view
        self._is_back = False

    def go_back(self) -> None:
        """Go there; only the first time, when there are points."""
        if self._is_back:
            return
        self._is_back = True
        found, camera = self._view.numbers(MAP_VIEW, 7), self._canvas.camera
        # Laid out anew, the same place shows something else.
        if found is not None and found[2] > 0 and found[3:] == self._bounds():
            camera.go_to(*found[:3])
        camera.moved.connect(self._on_moved)

    def _on_moved(self) -> None:
        place = self._canvas.camera.place
        self._view.put(MAP_VIEW, [] if place is None else [*place, *self._bounds()])

    def _bounds(self) -> list[float]:
        return [float(one) for one in self._canvas.points.everything]


class RunInView:
    """Keeps the plan of a run in view until a person moves the map.

    It is the newest plan as far as it is known: a run that goes on adds stops. Who did not move the
    map finds it where it was when the run is left.
    """

    def __init__(self, canvas: MapCanvas) -> None:
        self._canvas = canvas
        self._run: RunId | None = None
        self._before: CameraState | None = None
        self._there: Framing | None = None
        self._plan: Bounds | None = None

    def show(self, run: RunId | None) -> None:
        """Beside a run that has a plan."""
        camera, plan = self._canvas.camera, self._canvas.plan.bounds
        is_moved = self._there is None or camera.framing != self._there
        is_same = run == self._run
        if plan is None or (is_same and (is_moved or plan == self._plan)):
            return
        if self._before is None or is_moved:
            self._before = camera.state
        self._run, self._plan = run, plan
        self._canvas.plan.bring_into_view(coming_from=self._before)
        self._there = camera.framing

    def leave(self) -> None:
        """Where no run is looked at."""
        camera, before = self._canvas.camera, self._before
        if before is not None and camera.framing == self._there:
            camera.return_to(before)
            self._run = self._there = None  # it is brought into view again
        self._before = None
