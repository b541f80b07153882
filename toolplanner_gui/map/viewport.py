"""Where the map is looked at from: the one truth about pan and zoom, without Qt.

A viewport is a value. Panning, zooming and fitting make new ones, so an animation is a list of
viewports, a picture remembers the viewport it was drawn for, and every rule here is tested without
a window. Called by the canvas, the rasteriser,
picking and the labels. World: the plane of the layout, y upwards. Screen: logical pixels of the
canvas, y downwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

FLOAT = np.float64


class Bounds(NamedTuple):
    """A box of the world, both ends included."""

    left: float
    bottom: float
    right: float
    top: float

    def inflated(self, by: float) -> Bounds:
        """The same box, larger by `by` world units on each side."""
        return Bounds(self.left - by, self.bottom - by, self.right + by, self.top + by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewport:
    """A view of the world: centre in world units, scale in logical pixels a world unit.

    Size in logical pixels.
    """

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    width: float = 1.0
    height: float = 1.0

    @property
    def bounds(self) -> Bounds:
        """What of the world is seen."""
        half_w, half_h = self.width / self.scale / 2, self.height / self.scale / 2
        return Bounds(self.x - half_w, self.y - half_h, self.x + half_w, self.y + half_h)

    def to_screen(self, x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """World coordinates, any shape, to logical pixels."""
        return (
            (np.asarray(x, FLOAT) - self.x) * self.scale + self.width / 2,
            (self.y - np.asarray(y, FLOAT)) * self.scale + self.height / 2,
        )

    def to_world(self, px: float, py: float) -> tuple[float, float]:
        """A place on the screen to world coordinates."""
        return (
            self.x + (px - self.width / 2) / self.scale,
            self.y - (py - self.height / 2) / self.scale,
        )

    def panned(self, dx: float, dy: float) -> Viewport:
        """The world moved by `dx`, `dy` logical pixels, as by a dragging hand."""
        return replace(self, x=self.x - dx / self.scale, y=self.y + dy / self.scale)

    def zoomed(
        self,
        factor: float,
        at: tuple[float, float] | None = None,
        *,
        least: float = 1e-9,
        most: float = 1e9,
    ) -> Viewport:
        """Larger by `factor`, the place `at` (screen; the middle if none) staying under the cursor.

        Args:
            factor: over 1 zooms in.
            at: a place on the screen in logical pixels.
            least: lower limit of the scale.
            most: upper limit of the scale.
        """
        px, py = at if at is not None else (self.width / 2, self.height / 2)
        world_x, world_y = self.to_world(px, py)
        scale = min(max(self.scale * factor, least), most)
        return replace(
            self,
            x=world_x - (px - self.width / 2) / scale,
            y=world_y + (py - self.height / 2) / scale,
            scale=scale,
        )

    def resized(self, width: float, height: float) -> Viewport:
        """The same middle and scale in a window of another size."""
        return replace(self, width=max(width, 1.0), height=max(height, 1.0))

    def fitted(self, bounds: Bounds, *, padding: float = 0.06, edge: float = 0) -> Viewport:
        """All of `bounds` in view, with a share of the window left free on each side.

        Args:
            bounds: what must be seen; a box without an extent gets one of one unit.
            padding: free share of the window on each side, 0 to 0.4.
            edge: logical pixels that are free on each side at least, up to a quarter of it.
        """
        across = max(bounds.right - bounds.left, 0.0)
        up = max(bounds.top - bounds.bottom, 0.0)
        if across == 0 and up == 0:
            across = up = 1.0
        scales = [
            size * (1 - 2 * max(padding, min(edge / size, 0.25))) / extent
            for size, extent in ((self.width, across), (self.height, up))
            if extent > 0
        ]
        return replace(
            self,
            x=(bounds.left + bounds.right) / 2,
            y=(bounds.bottom + bounds.top) / 2,
            scale=min(scales),
        )

    def between(self, other: Viewport, share: float) -> Viewport:
        """The viewport `share` (0 to 1) of the way to `other`; scales move geometrically."""
        if share >= 1:
            return other
        return replace(
            other,
            x=self.x + (other.x - self.x) * share,
            y=self.y + (other.y - self.y) * share,
            scale=self.scale * (other.scale / self.scale) ** share,
        )


def central_bounds(x: np.ndarray, y: np.ndarray, share: float = 0.98) -> Bounds:
    """The box of the central `share` of the points in each direction.

    A layout has outliers far away; a view that fits them all leaves the middle crowded.

    Args:
        x: `(n,)` float.
        y: `(n,)` float.
        share: 0 to 1; 1 gives the box of all points.

    Returns:
        The box; a unit box around the origin when there are no points.
    """
    if len(x) == 0:
        return Bounds(-0.5, -0.5, 0.5, 0.5)
    cut = (1 - share) / 2
    low, high = round(cut * (len(x) - 1)), round((1 - cut) * (len(x) - 1))
    edges: list[float] = []
    for values in (x, y):
        parted = np.partition(values, [low, high])
        edges += [float(parted[low]), float(parted[high])]
    return Bounds(edges[0], edges[2], edges[1], edges[3])
