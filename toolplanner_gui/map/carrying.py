"""Dragging the selection: over the map onto a toolkit, or out of it onto a list.

No drag and drop of the system, whose own event loop would stop the window's. The canvas tells where
the hand is; whoever lies below the place, on the map or elsewhere in the window, takes it. Called
by the canvas.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QPointF, Signal
from PySide6.QtWidgets import QWidget

from toolplanner_core.words.wording import counted
from toolplanner_gui.map.hint import Hint
from toolplanner_gui.map.map_view import MapView
from toolplanner_gui.map.pointing import Pointing
from toolplanner_gui.map.points import MapPoints


class Carrying(QObject):
    """Follows a drag that took hold of the selection.

    Args:
        canvas: over which it begins.
        view: where gestures come from.
        pointing: finds points.
        hint: says what a drop would do.
        points: the present points.

    Signals:
        carried: global place of the hand; none when it has let go.
        dropped: global place and the number of the toolkit below it on the map, -1 for none.
    """

    carried = Signal(object)
    dropped = Signal(QPoint, int)

    def __init__(
        self,
        *,
        canvas: QWidget,
        view: MapView,
        pointing: Pointing,
        hint: Hint,
        points: Callable[[], MapPoints],
    ) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._pointing = pointing
        self._hint = hint
        self._points = points
        view.set_grip(self._is_grip)
        view.carried.connect(self._on_carried)
        view.dropped.connect(self._on_dropped)

    def _is_grip(self, place: QPointF) -> bool:
        row = self._pointing.pick(place)
        return row >= 0 and bool(self._points().selection.mask[row])

    def _label_at(self, place: QPointF) -> int:
        if not self._canvas.rect().contains(place.toPoint()):
            return -1
        row = self._pointing.pick(place)
        return int(self._points().labels[row]) if row >= 0 else -1

    def _on_carried(self, place: QPointF | None) -> None:
        if place is None:
            self._hint.say("")
            self.carried.emit(None)
            return
        points = self._points()
        count, label = points.selection.count, self._label_at(place)
        what = counted(count, "API")
        if label >= 0:
            self._hint.say(f"Move {what} to {points.names[label]}")
        else:
            self._hint.say(f"Carrying {what}: drop on an API or in the list of toolkits")
        self.carried.emit(self._canvas.mapToGlobal(place.toPoint()))

    def _on_dropped(self, place: QPointF) -> None:
        at = self._canvas.mapToGlobal(place.toPoint())
        self.dropped.emit(at, self._label_at(place))
