"""The plan of a run on one canvas: layer, legend line, card of a stop, pulse, and the switch.

The map's panel gives trails, everything else happens here. Made by the canvas.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPointF, QRectF, QSizeF, QTimer, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QToolButton

from toolplanner_gui.map.camera import CameraState
from toolplanner_gui.map.layer_stack import LayerStack
from toolplanner_gui.map.legend import MapTextLine
from toolplanner_gui.map.overlay_cards import HoverCard
from toolplanner_gui.map.plan_layer import PHASES, PlanLayer
from toolplanner_gui.map.plan_trail import Trail, TrailStop
from toolplanner_gui.map.viewport import Bounds
from toolplanner_gui.theme.tokens import EDGE, SPACE, Tokens

PULSE_MS = 150
"""One step of the halo: under a fifth of a second, as for all motion."""


_FOOT = 32
"""Pixels above the lower edge of the canvas that belong to the line on what is shown."""


class PlanView(QObject):
    """Shows trails while the switch is on.

    Args:
        stage: camera, view and layers.
        card: shows what a stop says.
        switch: the button that shows and hides plans.

    Signals:
        changed: stops are elsewhere, names have to make room.
        stop_chosen: key of a stop that was clicked.
    """

    changed = Signal()
    stop_chosen = Signal(str)

    def __init__(
        self, stage: LayerStack, card: HoverCard, switch: QToolButton, tokens: Tokens
    ) -> None:
        super().__init__(stage)
        self._stage = stage
        self._card = card
        self._switch = switch
        self._trails: list[Trail] = []
        self._words = ""
        self._pointed: TrailStop | None = None
        self.layer = PlanLayer(tokens)
        stage.view.add_layer(self.layer, 1.5)
        stage.below_names.append(self.layer)
        self.legend = MapTextLine(stage.canvas)
        self.legend.hide()
        switch.hide()
        switch.setChecked(True)
        self._pulse = QTimer(self, interval=PULSE_MS)
        self._pulse.timeout.connect(self._on_pulse)
        stage.moved.connect(self._on_moved)
        stage.view.pointed.connect(self._on_pointed)
        switch.toggled.connect(lambda _on: self._show())

    @property
    def is_shown(self) -> bool:
        """Whether there is a plan over the map."""
        return bool(self.layer.trails)

    @property
    def words(self) -> str:
        """What is shown, in one line; "" when nothing is."""
        return self._words if self.is_shown else ""

    def set_trails(self, trails: Sequence[Trail], words: str) -> None:
        """Show plans.

        Args:
            trails: older plans first; none when there is nothing to show.
            words: what they are, in one line.
        """
        if list(trails) == self._trails and words == self._words:
            return
        self._trails, self._words = list(trails), words
        self._switch.setVisible(bool(trails))
        self._show()

    @property
    def bounds(self) -> Bounds | None:
        """The box of the newest plan's stops; None when it has none."""
        stops = [(stop.x, stop.y) for trail in self._trails[-1:] for stop in trail.stops]
        if not stops:
            return None
        xs, ys = zip(*stops, strict=True)
        return Bounds(min(xs), min(ys), max(xs), max(ys))

    def bring_into_view(self, *, coming_from: CameraState) -> None:
        """Show the stops of the newest plan with what lies around them.

        Args:
            coming_from: where the map was seen from before a run moved it.
        """
        bounds = self.bounds
        if bounds is not None:
            self._stage.follow_system_motion()
            self._stage.camera.centre_on(bounds, coming_from=coming_from)

    def set_tokens(self, tokens: Tokens, font: QFont) -> None:
        """Take the colours of another theme."""
        self.layer.set_tokens(tokens, font)
        self.legend.set_colours(tokens.map, tokens.text)

    def covers(self, place: QPointF) -> bool:
        """Whether a stop is above what else is at a place."""
        return self.layer.stop_at(place) is not None

    def choose_at(self, place: QPointF) -> None:
        """A click at a place."""
        stop = self.layer.stop_at(place)
        if stop is not None:
            self.stop_chosen.emit(stop.key)

    def place(self, room: int) -> None:
        """Put the legend where it covers no stop: top left, else below; `room` pixels at most."""
        self.legend.fit(self._words, room)
        self.legend.setAccessibleName(self._words)
        left = top = EDGE - SPACE
        bottom = self._stage.canvas.height() - self.legend.height() - _FOOT
        stops = self.layer.boxes()
        size = QSizeF(self.legend.size())
        is_free = {
            y: not any(QRectF(QPointF(left, y), size).intersects(stop) for stop in stops)
            for y in (top, bottom)
        }
        self.legend.move(left, bottom if is_free[bottom] and not is_free[top] else top)

    def boxes(self) -> list[QRectF]:
        """Where names would be covered."""
        if not self.is_shown:
            return []
        return [*self.layer.boxes(), QRectF(self.legend.geometry())]

    def _show(self) -> None:
        trails = self._trails if self._switch.isChecked() else []
        was_shown = self.is_shown
        self.layer.set_trails(trails)
        self.legend.setVisible(bool(trails))
        if was_shown != self.is_shown:
            self._pointed = None
        is_active = any(stop.is_active for trail in trails for stop in trail.stops)
        self._stage.follow_system_motion()
        if is_active and not self._stage.camera.is_motion_reduced:
            self._pulse.start()
        else:
            self._pulse.stop()
            self.layer.phase = None
        self.changed.emit()

    def _on_pulse(self) -> None:
        if self._stage.canvas.isVisible():
            self.layer.phase = ((self.layer.phase or 0) + 1) % PHASES
            self.layer.update()

    def _on_moved(self) -> None:
        self.layer.set_view(self._stage.camera.view)
        self._pointed = None

    def _on_pointed(self, place: QPointF | None) -> None:
        stop = None if place is None or not self.is_shown else self.layer.stop_at(place)
        if stop == self._pointed:
            return
        self._pointed = stop
        if stop is None:
            self._card.hide()
        else:
            self._card.show_at(self.layer.place_of(stop), list(stop.lines))
