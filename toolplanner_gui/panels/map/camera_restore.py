"""The map is looked at from where it was looked at before: when its workspace was open last, before
a run moved it, or before the questions of Review did."""

from collections.abc import Callable

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
        is_elsewhere: whether it shows now what a question is about, which nobody comes back to.
    """

    def __init__(
        self, canvas: MapCanvas, view: ViewState, is_elsewhere: Callable[[], bool]
    ) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._view = view
        self._is_elsewhere = is_elsewhere
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
        if self._is_elsewhere():
            return
        place = self._canvas.camera.place
        self._view.put(MAP_VIEW, [] if place is None else [*place, *self._bounds()])

    def _bounds(self) -> list[float]:
        return [float(one) for one in self._canvas.points.everything]


class ReviewCamera:
    """Review sees the map from a place of its own: its questions move it, and who goes back to
    another layout finds it as it was there.

    Attributes:
        is_used: whether the map is seen from there now.
    """

    def __init__(self, canvas: MapCanvas) -> None:
        self._canvas = canvas
        self._other: CameraState | None = None
        self._seen: Bounds | None = None
        self.is_used = False

    def follow(self, *, is_review: bool) -> None:
        """Change places where the layout has changed; asked before anything moves the map."""
        if is_review == self.is_used:
            return
        camera, everything = self._canvas.camera, self._canvas.points.everything
        other = self._other if self._seen == everything else None
        self._other, self._seen, self.is_used = camera.state, everything, is_review
        # Laid out anew, the same place shows something else.
        if other is not None:
            camera.return_to(other)


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
