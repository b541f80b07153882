"""Moves the viewport: limits, fitting, short animations; one signal when it has moved.

What somebody asked to see is kept as a `Framing` until a hand moves the map, and where the camera
stands is always worked out from it and from the size of the window. So it arrives at the same place
whether the window gets its size before, during or after the animation, as when the layout changes.

Called by the canvas, whose stage hands each new viewport to the layers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """A part of the map that stays in view at any size of the window.

    Attributes:
        bounds: the part.
        is_whole: whether it fills the window, as the whole map does; else it is brought to the
            middle, with what lies around it.
        by_hand: scale that a person had chosen before: it may be as close as that; 0 for none.
        widest: extents across and up of what was framed since then, world units.
    """

    bounds: Bounds
    is_whole: bool = False
    by_hand: float = 0.0
    widest: tuple[float, float] = (0.0, 0.0)


class CameraState(NamedTuple):
    """Where a map is seen from: what is framed, or else the view."""

    framing: Framing | None
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
        self._framing: Framing | None = Framing(bounds=self._central, is_whole=True)
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
        is_whole = self._framing is not None and self._framing.is_whole
        return None if is_whole else (view.x, view.y, view.scale)

    @property
    def framing(self) -> Framing | None:
        """What is kept in view; None when a hand has moved the map."""
        return self._framing

    def go_to(self, x: float, y: float, scale: float) -> None:
        """Look from a place of before, at once; the window may not have its size yet."""
        self._go(replace(self._view, x=x, y=y, scale=scale), by_hand=True)

    @property
    def state(self) -> CameraState:
        """What `return_to` comes back to."""
        return CameraState(self._framing, self.target)

    def return_to(self, state: CameraState) -> None:
        """Look again as before, at once; the window may have another size now."""
        if state.framing is not None:
            self._framing = state.framing
            self._go(self._framed(state.framing, self._view))
        else:
            self.go_to(state.view.x, state.view.y, state.view.scale)

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
        if not keep or (self._framing is not None and self._framing.is_whole):
            self._framing = Framing(bounds=central, is_whole=True)
            self._go(self._framed(self._framing, self._view))

    def resize(self, width: float, height: float) -> None:
        """Follow the window; what is framed stays framed, an animation goes on."""
        if self.is_moving:
            self._from, self._to = self._from.resized(width, height), self._resized(width, height)
            self._set(self._view.resized(width, height))
        else:
            self._set(self._resized(width, height))
        self.overview_changed.emit()

    def _resized(self, width: float, height: float) -> Viewport:
        view = self.target.resized(width, height)
        return view if self._framing is None else self._framed(self._framing, view)

    def fit(self) -> None:
        """Show the central part of the map; if that is what is seen, show everything."""
        framing = Framing(bounds=self._central, is_whole=True)
        if self._framing == framing:
            framing = Framing(bounds=self._everything, is_whole=True)
        self._animate(framing)

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

    def centre_on(self, bounds: Bounds, *, coming_from: CameraState | None = None) -> None:
        """Bring a part of the map to the middle, closer if it is small.

        Never so close that its surroundings are lost.

        Args:
            bounds: the part.
            coming_from: it may be seen from as close as this; as now if none.
        """
        before, view = self.state if coming_from is None else coming_from
        if before is None:
            framing = Framing(bounds=bounds, by_hand=view.scale)
        elif before.is_whole:
            framing = Framing(bounds=bounds)
        else:
            framing = replace(before, bounds=bounds, widest=_widest(before))
        self._animate(framing)

    def _framed(self, framing: Framing, view: Viewport) -> Viewport:
        """From where a part of the map is seen in a window of the size of `view`."""
        if framing.is_whole:
            return view.fitted(framing.bounds, edge=EDGE_PX)
        overview = view.fitted(self._central, edge=EDGE_PX).scale
        wanted = view.fitted(framing.bounds, padding=SELECTION_PADDING)
        before, widest = framing.by_hand, Bounds(0, 0, *framing.widest)
        if any(framing.widest):
            before = min(before, view.fitted(widest, padding=SELECTION_PADDING).scale)
        most = max(before, overview * self.closest)
        # Points strewn over the whole map would otherwise be shown from farther away than the map
        # itself.
        return replace(wanted, scale=min(max(wanted.scale, overview), most))

    def _animate(self, framing: Framing) -> None:
        self._animation.stop()
        self._framing = framing
        view = self._framed(framing, self._view)
        if self.is_motion_reduced:
            self._go(view)
            return
        self._from, self._to = self._view, view
        self._animation.start()

    def _go(self, view: Viewport, *, by_hand: bool = False) -> None:
        self._animation.stop()
        if by_hand:
            self._framing = None
        self._set(view)

    def _set(self, view: Viewport) -> None:
        if view != self._view:
            self._view = view
            self.moved.emit()

    def _on_animated(self, share: float) -> None:
        self._set(self._from.between(self._to, float(share)))


def _widest(framing: Framing) -> tuple[float, float]:
    """Extents of what was framed since a hand moved the map, the last part included."""
    across = framing.bounds.right - framing.bounds.left
    up = framing.bounds.top - framing.bounds.bottom
    if across <= 0 and up <= 0:
        across = up = 1.0  # as `Viewport.fitted` sees a single point
    return max(across, framing.widest[0]), max(up, framing.widest[1])
