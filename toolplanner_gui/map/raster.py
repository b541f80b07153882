"""Points to pixels: one image of the visible map, in numpy alone.

An image is the only thing that is as fast at a million points as at a thousand, and it can be
drawn again, moved or scaled, while the hand is still on the mouse. Three ways, by what is in view:

- *discs*, stamped point by point (stamping.py), while that writes few enough pixels;
- *dots* of one pixel, then widened over the whole image (dots.py; 3 ms at any number of points);
- *density*, where so many points share a pixel that only their number says anything (dots.py).

One rule of order holds in all of them: hidden points lie lowest, found ones above the others,
selected ones highest, and
between equals the later one in tile order wins, whole disc over whole disc. It does not depend on
the zoom, so nothing flickers. Called by layer.py, export and the minimap; pure functions of their
arguments, so a worker may call them (numpy lets go of the interpreter: the window never waits more
than 6 ms while a million points are drawn); no Qt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toolplanner_gui.map.dots import draw_density, draw_dots
from toolplanner_gui.map.scene import FAINT, PLAIN, SOFT, Group, Picture, RasterStyle, Scene
from toolplanner_gui.map.sprites import disc
from toolplanner_gui.map.stamping import stamp
from toolplanner_gui.map.tiles import TileIndex
from toolplanner_gui.map.viewport import Viewport

DISC_PIXELS = 5_000_000
DENSITY_POINTS = 200_000
RING_WIDTH = 1.5
FINE_RING_WIDTH = 1.0
LEAST_SELECTED_RADIUS = 2.5
MARGIN_STEP = 8


NS_A_POINT, NS_A_DISC_PIXEL, NS_AN_IMAGE_PIXEL, NS_A_DENSE_PIXEL = 20.0, 6.0, 1.5, 6.0
"""What drawing costs on the slower of the machines it was measured on, in nanoseconds."""


def estimated_ms(count: int, view: Viewport, *, radius: float, ratio: float = 1.0) -> float:
    """What `render` of so many points will cost its thread, milliseconds, within a factor of two.

    Args:
        count: points in view.
        view: its size counts.
        radius: of a point, logical pixels.
        ratio: device pixels a logical pixel.
    """
    image = view.width * view.height * ratio * ratio
    written = count * disc(_size(radius, ratio)).dx.shape[1]
    cost = count * NS_A_POINT + image * NS_AN_IMAGE_PIXEL
    cost += written * NS_A_DISC_PIXEL if written <= DISC_PIXELS else image * NS_A_DENSE_PIXEL
    return cost / 1e6


def render(
    scene: Scene,
    view: Viewport,
    style: RasterStyle,
    *,
    radius: float,
    ratio: float = 1.0,
    kind: str | None = None,
    into: np.ndarray | None = None,
) -> Picture:
    """Draw what is in view.

    Args:
        scene: the points.
        view: from where; its size in logical pixels.
        style: colours.
        radius: of a point, logical pixels.
        ratio: device pixels a logical pixel.
        kind: insist on one of the three ways; the fitting one if none.
        into: the pixels of an older picture that nobody looks at any more; used again if they have
            the right size, which saves the system from handing out four megabytes a frame.

    Returns:
        The image. Points whose centre is outside but whose disc reaches in are drawn.
    """
    width, height = round(view.width * ratio), round(view.height * ratio)
    brush = _brush(radius, ratio)
    margin, scale = brush.margin, view.scale * ratio
    places, column, row = _in_view(
        scene.tiles, view, scale, size=(width, height), reach=brush.reach
    )
    count = len(column)
    stride = width + 2 * margin
    shape = (height + 2 * margin, stride)
    if count == 0:
        pixels = _ground(shape, style.background, into)
        return Picture(pixels=pixels, margin=margin, kind="empty", points=0)
    kind = kind or _fitting_kind(count, brush)
    groups = _groups(scene, places, style)
    # In place, the arrays are ours: moved by the margin all are positive, so cutting is rounding
    # down.
    column += np.float32(margin)
    row += np.float32(margin)
    whole_x, whole_y = column.astype(np.intp), row.astype(np.intp)
    base = whole_y * stride
    base += whole_x
    pixels, left = _painted(kind, shape, base, groups, style, brush=brush, into=into)
    for group in left:
        is_marked = group.mark is not None
        wide, around = (brush.marked_size, brush.ring) if is_marked else (brush.size, 0.0)
        stamp(
            pixels, base, column - whole_x, row - whole_y,
            group=group, style=style, radius=wide, ring=around,
        )  # fmt: skip
    return Picture(pixels=pixels, margin=margin, kind=kind, points=count)


def _painted(
    kind: str,
    shape: tuple[int, int],
    base: np.ndarray,
    groups: list[Group],
    style: RasterStyle,
    *,
    brush: _Brush,
    into: np.ndarray | None,
) -> tuple[np.ndarray, list[Group]]:
    """The image with what is not drawn disc by disc, and the groups that are left to be stamped."""
    if kind == "discs":
        return _ground(shape, style.background, into), groups
    if kind == "density":
        pixels = draw_density(shape, base, groups, style)
    else:
        pixels = draw_dots(shape, base, groups, style, wide=max(round(brush.size), 1))
    return pixels, [group for group in groups if brush.can_mark(group)]


class _Brush(NamedTuple):
    """How large points are drawn, in device pixels.

    Attributes:
        size: radius of a point.
        marked_size: of a selected or found one.
        ring: width of what stands around such a one.
        marked_pixels: that such a one writes.
        reach: how far it reaches from its centre.
        margin: around the image. A centre may lie `reach` outside and its disc reach as far again:
            no stamp needs clipping.
    """

    size: float
    marked_size: float
    ring: float
    marked_pixels: int
    reach: int
    margin: int

    def can_mark(self, group: Group) -> bool:
        """Whether a group is to be stamped over an image of dots, and few enough for it."""
        return group.mark is not None and len(group.colour) * self.marked_pixels <= DISC_PIXELS


def _brush(radius: float, ratio: float) -> _Brush:
    size = _size(radius, ratio)
    # Around small dots a wide ring would hide their colours.
    is_small = size < LEAST_SELECTED_RADIUS * ratio
    ring = (FINE_RING_WIDTH if is_small else RING_WIDTH) * ratio
    marked_size = max(size, LEAST_SELECTED_RADIUS * ratio)
    marked = disc(marked_size, ring)
    margin = -(-(2 * marked.reach + 1) // MARGIN_STEP) * MARGIN_STEP
    return _Brush(size, marked_size, ring, marked.dx.shape[1], marked.reach, margin)


def _fitting_kind(count: int, brush: _Brush) -> str:
    if count > DENSITY_POINTS:
        return "density"
    return "discs" if count * disc(brush.size).dx.shape[1] <= DISC_PIXELS else "dots"


def _size(radius: float, ratio: float) -> float:
    """The radius in device pixels, in quarters, so that few lists of pixels are made."""
    return max(round(radius * ratio * 4) / 4, 0.5)


def _ground(shape: tuple[int, int], colour: int, into: np.ndarray | None) -> np.ndarray:
    pixels = into if into is not None and into.shape == shape else np.empty(shape, np.uint32)
    pixels.fill(colour)
    return pixels


def _in_view(
    tiles: TileIndex, view: Viewport, scale: float, *, size: tuple[int, int], reach: int
) -> tuple[np.ndarray | slice, np.ndarray, np.ndarray]:
    """Sorted places of the points that reach into view, with their device columns and rows.

    Columns and rows, `(m,) float32`, are new arrays.
    """
    box = view.bounds.inflated((reach + 1) / scale)
    places = tiles.near(box)
    # Relative to the left top corner first: float32 then keeps its digits for the pixels.
    left, top = np.float32(view.bounds.left), np.float32(view.bounds.top)
    shift_x = np.float32((float(left) - view.bounds.left) * scale)
    shift_y = np.float32((view.bounds.top - float(top)) * scale)
    column = tiles.x[places] - left
    column *= np.float32(scale)
    column += shift_x
    row = top - tiles.y[places]
    row *= np.float32(scale)
    row += shift_y
    if isinstance(places, slice) and _holds(box, tiles):
        return places, column, row
    near = (column >= -reach) & (column < size[0] + reach)
    near &= (row >= -reach) & (row < size[1] + reach)
    kept = np.flatnonzero(near)
    if isinstance(places, slice):
        return kept + places.start, column[kept], row[kept]
    return places[kept], column[kept], row[kept]


def _holds(box: tuple[float, float, float, float], tiles: TileIndex) -> bool:
    left, bottom, right, top = box
    inner = tiles.bounds
    return left < inner.left and right > inner.right and bottom < inner.bottom and top > inner.top


def _groups(scene: Scene, places: np.ndarray | slice, style: RasterStyle) -> list[Group]:
    colour = scene.colour[places]
    if scene.hidden is None and scene.selected is None and scene.found is None:
        return [Group(slice(None), colour, PLAIN, None)]
    nothing = np.zeros(len(colour), dtype=bool)
    hidden = nothing if scene.hidden is None else scene.hidden[places]
    selected = nothing if scene.selected is None else scene.selected[places]
    found = nothing if scene.found is None else scene.found[places] & ~hidden & ~selected
    shown = PLAIN if scene.selected is None and scene.found is None else SOFT
    parts = (
        (np.flatnonzero(hidden & ~selected), FAINT, None),
        (np.flatnonzero(~(hidden | selected | found)), shown, None),
        (np.flatnonzero(found), PLAIN, style.found),
        (np.flatnonzero(selected), PLAIN, style.ring),
    )
    return [
        Group(chosen, colour[chosen], state, mark) for chosen, state, mark in parts if len(chosen)
    ]
