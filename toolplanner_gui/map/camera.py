"""Moves the viewport: limits, fitting, short animations; one signal when it has moved.

Called by the canvas, whose stage hands each new viewport to the layers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation, Signal

from toolplanner_gui.map.viewport import Bounds, Viewport

ANIMATION_MS = 160
MOST_ZOOM = 3000.0
LEAST_ZOOM = 0.2
CLOSEST_FOR_SELECTION = 2.0, 8.0
POINTS_AROUND = 50
SELECTION_PADDING = 0.28
EDGE_PX = 36.0
"""Kept free around a map that is seen whole: the legend covers its lowest line."""


class CameraStand(NamedTuple):
    """Where a map is seen from: the part that fills the window, or else the view."""

    fitted: Bounds | None
    view: Viewport


class Camera(QObject):
    """The viewport of one canvas.

    Signals:
        moved: the viewport changed.
        overview_changed: the scale at which the whole map is in view changed.
    """

    moved = Signal()
    overview_changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_motion_reduced = False
        self._view = Viewport()
        self._central = Bounds(-0.5, -0.5, 0.5, 0.5)
        self._everything = self._central
        self._fitted: Bounds | None = self._central
        self._from = self._to = self._view
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setDuration(ANIMATION_MS)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._on_animated)
        self.closest = CLOSEST_FOR_SELECTION[1]

    @property
    def view(self) -> Viewport:
        """Where the map is seen from now."""
        return self._view

    @property
    def target(self) -> Viewport:
        """Where it will be seen from when the animation under way has ended."""
        return self._to if self.is_moving else self._view

    @property
    def place(self) -> tuple[float, float, float] | None:
        """Middle and scale that a person went to; None while the map is seen whole."""
        view = self.target
        return None if self._fitted is not None else (view.x, view.y, view.scale)

    def go_to(self, x: float, y: float, scale: float) -> None:
        """Look from a place of before, at once; the window may not have its size yet."""
        self._go(replace(self._view, x=x, y=y, scale=scale), by_hand=True)

    @property
    def stand(self) -> CameraStand:
        """What `return_to` comes back to."""
        return CameraStand(self._fitted, self.target)

    def return_to(self, stand: CameraStand) -> None:
        """Look again as before, at once; the window may have another size now."""
        if stand.fitted is not None:
            self._fitted = stand.fitted
            self._go(self._view.fitted(stand.fitted, edge=EDGE_PX))
        else:
            self.go_to(stand.view.x, stand.view.y, stand.view.scale)

    @property
    def overview_scale(self) -> float:
        """The scale at which the central part of the map fills the window."""
        return self._view.fitted(self._central, edge=EDGE_PX).scale

    @property
    def is_moving(self) -> bool:
        """Whether an animation is under way."""
        return self._animation.state() == QVariantAnimation.State.Running

    def set_bounds(self, central: Bounds, everything: Bounds, *, keep: bool) -> None:
        """Say where the points are; fit to the central part unless the view is to be kept."""
        self._central, self._everything = central, everything
        self.overview_changed.emit()
        if not keep or self._fitted is not None:
            self._fitted = central
            self._go(self._view.fitted(central, edge=EDGE_PX))

    def resize(self, width: float, height: float) -> None:
        """Follow the window; a view that was fitted stays fitted, an animation goes on."""
        if self.is_moving:
            self._from, self._to = self._from.resized(width, height), self._resized(width, height)
            self._set(self._view.resized(width, height))
        else:
            self._set(self._resized(width, height))
        self.overview_changed.emit()

    def _resized(self, width: float, height: float) -> Viewport:
        view = self.target.resized(width, height)
        return view if self._fitted is None else view.fitted(self._fitted, edge=EDGE_PX)

    def fit(self) -> None:
        """Show the central part of the map; if that is what is seen, show everything."""
        bounds = self._central
        if self._fitted == self._central:
            bounds = self._everything
        self._animate(self.target.fitted(bounds, edge=EDGE_PX))
        self._fitted = bounds

    def pan(self, dx: float, dy: float) -> None:
        """Move the world by logical pixels."""
        self._go(self.target.panned(dx, dy), by_hand=True)

    def zoom(self, factor: float, at: tuple[float, float] | None = None) -> None:
        """Enlarge around a place of the screen, its middle if none."""
        overview = self.overview_scale
        view = self._view.zoomed(factor, at, least=overview * LEAST_ZOOM, most=overview * MOST_ZOOM)
        self._go(view, by_hand=True)

    def look_at(self, x: float, y: float) -> None:
        """Bring a place of the world to the middle, at the same scale."""
        self._go(replace(self._view, x=x, y=y), by_hand=True)

    def set_point_count(self, n: int) -> None:
        """Say how many points there are: with few, a selection is shown from farther away."""
        least, most = CLOSEST_FOR_SELECTION
        self.closest = min(max((n / POINTS_AROUND) ** 0.5, least), most)

    def centre_on(self, bounds: Bounds) -> None:
        """Bring a part of the map to the middle, closer if it is small.

        Never so close that its surroundings are lost.
        """
        wanted = self.target.fitted(bounds, padding=SELECTION_PADDING)
        most = max(self.target.scale, self.overview_scale * self.closest)
        # Points strewn over the whole map would otherwise be shown from farther away than the map
        # itself.
        scale = min(max(wanted.scale, self.overview_scale), most)
        wanted = wanted.zoomed(scale / wanted.scale)
        self._fitted = None
        self._animate(wanted)

    def _animate(self, view: Viewport) -> None:
        self._animation.stop()
        if self.is_motion_reduced:
            self._go(view)
            return
        self._from, self._to = self._view, view
        self._animation.start()

    def _go(self, view: Viewport, *, by_hand: bool = False) -> None:
        self._animation.stop()
        if by_hand:
            self._fitted = None
        self._set(view)

    def _set(self, view: Viewport) -> None:
        if view != self._view:
            self._view = view
            self.moved.emit()

    def _on_animated(self, share: float) -> None:
        self._set(self._from.between(self._to, float(share)))
