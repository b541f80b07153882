"""What the rasteriser is given and gives back: a style, a scene of points, a picture.

Values of arrays, never changed after they are made, so that a worker draws one scene while the
next is put together. Called by points.py (makes scenes), raster.py, layer.py; no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toolplanner_gui.map.sprites import mix
from toolplanner_gui.map.tiles import TileIndex

PLAIN, FAINT, SOFT = range(3)
MOST_COLOURS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class RasterStyle:
    """Colours of an image, all uint32 0xffRRGGBB.

    Attributes:
        background: colour of the map.
        colours: at most `MOST_COLOURS`.
        ring: outline of selected points.
        found: outline of found ones.
        faint: share of its colour that a filtered-out point keeps.
        soft: share that a point keeps while others are selected or found.
    """

    background: int
    colours: tuple[int, ...]
    ring: int
    found: int
    faint: float = 0.14
    soft: float = 0.42

    def look(self, state: int) -> np.ndarray:
        """`(c,) uint32`: the colours of points in a state (`PLAIN`, `FAINT`, `SOFT`)."""
        share = np.array((1.0, self.faint, self.soft)[state], np.float32)
        return mix(np.array(self.colours, np.uint32), np.array(self.background, np.uint32), share)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """What is drawn: points with a colour and a state each, all in tile order.

    Attributes:
        tiles: the points.
        colour: `(n,) uint8`, index into the colours of the style.
        hidden: `(n,) bool`, filtered out, drawn faint below the others; none if all are shown.
        selected: `(n,) bool`; none if nothing is selected.
        found: `(n,) bool`, what a search has found; none if nothing is found.
    """

    tiles: TileIndex
    colour: np.ndarray
    hidden: np.ndarray | None = None
    selected: np.ndarray | None = None
    found: np.ndarray | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """An image and how it was made.

    Attributes:
        pixels: `(height + 2 margin, width + 2 margin) uint32` 0xffRRGGBB, rows downwards.
        margin: device pixels on each side that are not seen.
        kind: `discs`, `dots`, `density` or `empty`.
        points: points in view.
    """

    pixels: np.ndarray
    margin: int
    kind: str
    points: int


class Group(NamedTuple):
    """Points that are drawn alike, one group after the other.

    Attributes:
        chosen: which of those in view.
        colour: `(m,) uint8` index into the colours.
        state: `PLAIN`, `FAINT` or `SOFT`.
        mark: colour of the ring around, uint32 0xffRRGGBB; none without one.
    """

    chosen: np.ndarray | slice
    colour: np.ndarray
    state: int
    mark: int | None
