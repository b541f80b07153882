"""Points to pixels: one image of the visible map, in numpy alone.

Discs as lists of pixels: what the rasteriser stamps for each point, computed once for a size. A
disc that moves by less than a pixel changes its edge, so there is one list for each of 4 x 4 places
within a pixel; without them points jitter while zooming. Edge pixels are mixed with the colour of
the map, not with what lies below: overlapping points get a fine rim that keeps them apart, and no
pixel has to be read.

What the rasteriser is given and gives back: a style, a scene of points, a picture. Values of
arrays, never changed after they are made, so that a worker draws one scene while the next is put
together.

Many points: one pixel each, widened over the whole image, or shaded by how many share a pixel. The
cost is that of the image, not of the points.

An image is the only thing that is as fast at a million points as at a thousand, and it can be
drawn again, moved or scaled, while the hand is still on the mouse. Three ways, by what is in view:

- *discs*, stamped point by point , while that writes few enough pixels;
- *dots* of one pixel, then widened over the whole image (3 ms at any number of points);
- *density*, where so many points share a pixel that only their number says anything .

One rule of order holds in all of them: hidden points lie lowest, found ones above the others,
selected ones highest, and
between equals the later one in tile order wins, whole disc over whole disc. It does not depend on
the zoom, so nothing flickers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from toolplanner_gui.map.tile_index import TileIndex
from toolplanner_gui.map.viewport import Viewport

PHASES = 4
LEAST_COVERAGE = 0.16


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprite:
    """One disc at all places within a pixel.

    Attributes:
        dx: `(PHASES ** 2, k) int`, pixel offsets from the pixel that holds the centre.
        dy: the same downwards.
        inner: `(PHASES ** 2, k) float32`, share of the pixel covered by the disc.
        ring: the same for the ring around it; zeros without one.
        reach: largest offset.
    """

    dx: np.ndarray
    dy: np.ndarray
    inner: np.ndarray
    ring: np.ndarray
    reach: int


@lru_cache(maxsize=64)
def disc(radius: float, ring: float = 0.0) -> Sprite:
    """A disc, optionally with a ring outside of it.

    Args:
        radius: device pixels, of the disc alone.
        ring: width of the ring, device pixels.

    Returns:
        Pixel lists padded to one length by repeating the pixel of the centre.
    """
    outer = radius + ring
    reach = int(np.ceil(outer)) + 1
    offsets = np.arange(-reach, reach + 1)
    steps = (np.arange(PHASES) + 0.5) / PHASES - 0.5
    across = np.tile(steps, PHASES)[:, None] - offsets
    down = np.repeat(steps, PHASES)[:, None] - offsets
    distance = np.sqrt(down[:, :, None] ** 2 + across[:, None, :] ** 2)
    distance = distance.reshape(PHASES * PHASES, -1)
    # The share of a pixel under a round edge, to a few hundredths: how far the edge is from its
    # middle.
    inner = np.clip(radius + 0.5 - distance, 0, 1)
    both = np.clip(outer + 0.5 - distance, 0, 1)
    # Pixels of the disc first, that of the centre foremost; what is too faint becomes the centre
    # again.
    order = np.argsort(distance, axis=1, kind="stable")
    longest = int((both >= LEAST_COVERAGE).sum(axis=1).max())
    order = order[:, : max(longest, 1)]
    covered = np.take_along_axis(both, order, axis=1)
    order = np.where(covered >= LEAST_COVERAGE, order, order[:, :1])
    inside = np.take_along_axis(inner, order, axis=1)
    around = np.take_along_axis(both, order, axis=1) - inside
    rows, columns = np.divmod(order, len(offsets))
    return Sprite(
        dx=offsets[columns],
        dy=offsets[rows],
        inner=inside.astype(np.float32),
        ring=around.astype(np.float32),
        reach=reach,
    )


def mix_colours(first: np.ndarray, second: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Mix colours: `share` (0 to 1, broadcast) of `first`, the rest of `second`.

    `(...,) uint32` 0xffRRGGBB.
    """
    result = np.zeros(np.broadcast_shapes(first.shape, second.shape, share.shape), np.uint32)
    for shift in (16, 8, 0):
        one = ((first >> np.uint32(shift)) & np.uint32(255)).astype(np.float32)
        other = ((second >> np.uint32(shift)) & np.uint32(255)).astype(np.float32)
        result |= (one * share + other * (1 - share) + 0.5).astype(np.uint32) << np.uint32(shift)
    return result | np.uint32(0xFF000000)


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
        return mix_colours(
            np.array(self.colours, np.uint32), np.array(self.background, np.uint32), share
        )


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
class RasterImage:
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


class DrawGroup(NamedTuple):
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


PIECE = 16_384


def draw_discs(
    pixels: np.ndarray,
    base: np.ndarray,
    over_x: np.ndarray,
    over_y: np.ndarray,
    *,
    group: DrawGroup,
    style: RasterStyle,
    radius: float,
    ring: float,
) -> None:
    """Write all pixels of all discs, point after point: the last of equal targets wins in numpy.

    Args:
        pixels: `(h, w) uint32`, written to.
        base: `(m,) intp`, flat pixel of each centre.
        over_x: `(m,)` in [0, 1), where in its pixel the centre lies.
        over_y: the same downwards.
        group: which of the `m`, and how they look.
        style: colours.
        radius: device pixels.
        ring: width of the ring around, device pixels.
    """
    sprite = disc(radius, ring)
    table = _table(style, group.state, radius, ring, group.mark)
    offsets = sprite.dy * pixels.shape[1] + sprite.dx
    phases = (over_y[group.chosen] * PHASES).astype(np.intp) * PHASES
    phases += (over_x[group.chosen] * PHASES).astype(np.intp)
    bases = base[group.chosen]
    rows = table.reshape(-1, table.shape[2])
    looks = phases * table.shape[1] + group.colour
    flat = pixels.ravel()
    # In pieces that stay in the cache of a core: twice as fast beside busy neighbours.
    step = max(PIECE // offsets.shape[1], 1)
    for start in range(0, len(bases), step):
        piece = slice(start, start + step)
        target = offsets.take(phases[piece], axis=0)
        target += bases[piece, None]
        flat[target.ravel()] = rows.take(looks[piece], axis=0).ravel()


@lru_cache(maxsize=64)
def _table(
    style: RasterStyle, state: int, radius: float, ring: float, mark: int | None
) -> np.ndarray:
    """Pixels of a disc for each place within a pixel and each colour, `(phases, c, k) uint32`."""
    sprite = disc(radius, ring)
    ground = np.array(style.background, np.uint32)
    inner, around = sprite.inner[:, None, :], sprite.ring[:, None, :]
    colours = style.look(state)[None, :, None]
    if ring == 0 or mark is None:
        return mix_colours(colours, ground, inner)
    covered = np.maximum(inner + around, 1e-6)
    inked = mix_colours(np.array(mark, np.uint32), colours, around / covered)
    return mix_colours(inked, ground, np.minimum(covered, 1))


DENSITY_LEVELS = 24
FAINTEST = 0.3


def draw_dots(
    shape: tuple[int, int],
    base: np.ndarray,
    groups: list[DrawGroup],
    style: RasterStyle,
    *,
    wide: int,
) -> np.ndarray:
    """Squares of `2 * wide - 1` pixels, `shape uint32`.

    A pixel holds rank << 8 | look until the end, so that widening by the maximum lets the later
    point win, not the later direction.
    """
    seen = np.zeros(shape, np.uint32)
    flat = seen.ravel()
    rank = 1
    for group in groups:
        ranks = np.arange(rank, rank + len(group.colour), dtype=np.uint32)
        ranks <<= np.uint32(8)
        ranks |= _look(group, style)
        flat[base[group.chosen]] = ranks
        rank += len(ranks)
    for _ in range(wide - 1):
        seen = dilated(seen)
    return _looks(style).take((seen & np.uint32(255)).astype(np.uint8))


def draw_density(
    shape: tuple[int, int], base: np.ndarray, groups: list[DrawGroup], style: RasterStyle
) -> np.ndarray:
    """The colour of the last point of a pixel, stronger the more points share it, `shape uint32`.

    On a logarithmic scale.
    """
    size = shape[0] * shape[1]
    seen = np.zeros(size, np.uint8)
    for group in groups:
        seen[base[group.chosen]] = _look(group, style)
    count = np.bincount(base, minlength=size)
    most = int(count.max())
    steps = np.log1p(np.arange(most + 1))
    level = (steps * ((DENSITY_LEVELS - 1) / max(float(steps[-1]), 1e-9))).astype(np.uint16)
    looks = _looks(style)
    shares = np.linspace(FAINTEST, 1, DENSITY_LEVELS, dtype=np.float32)
    # One table of level and look: an empty pixel has look 0, which is the ground at every level.
    table = mix_colours(looks[None, :], looks[0], shares[:, None]).ravel()
    index = level.take(count)
    index *= np.uint16(len(looks))
    index += seen
    return table.take(index).reshape(shape)


def _look(group: DrawGroup, style: RasterStyle) -> np.ndarray:
    """`(m,) uint8`, where the looks of `_looks` begin with the ground."""
    return group.colour + np.uint8(1 + group.state * len(style.colours))


def _looks(style: RasterStyle) -> np.ndarray:
    ground = np.array([style.background], np.uint32)
    return np.concatenate([ground, *(style.look(state) for state in (PLAIN, FAINT, SOFT))])


def dilated(seen: np.ndarray, *, has_corners: bool = True) -> np.ndarray:
    """Each pixel becomes the largest of itself and its eight neighbours, or four."""
    across = seen.copy()
    np.maximum(across[:, 1:], seen[:, :-1], out=across[:, 1:])
    np.maximum(across[:, :-1], seen[:, 1:], out=across[:, :-1])
    source = across if has_corners else seen
    both = across.copy()
    np.maximum(both[1:], source[:-1], out=both[1:])
    np.maximum(both[:-1], source[1:], out=both[:-1])
    return both


DISC_PIXELS = 5_000_000
DENSITY_POINTS = 200_000
RING_WIDTH = 1.5
FINE_RING_WIDTH = 1.0
LEAST_SELECTED_RADIUS = 2.5
MARGIN_STEP = 8


NS_A_POINT, NS_A_DISC_PIXEL, NS_AN_IMAGE_PIXEL, NS_A_DENSE_PIXEL = 20.0, 6.0, 1.5, 6.0
"""What drawing costs on the slower of the machines it was measured on, in nanoseconds."""


def estimated_render_ms(count: int, view: Viewport, *, radius: float, ratio: float = 1.0) -> float:
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
) -> RasterImage:
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
        return RasterImage(pixels=pixels, margin=margin, kind="empty", points=0)
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
        draw_discs(
            pixels, base, column - whole_x, row - whole_y,
            group=group, style=style, radius=wide, ring=around,
        )  # fmt: skip
    return RasterImage(pixels=pixels, margin=margin, kind=kind, points=count)


def _painted(
    kind: str,
    shape: tuple[int, int],
    base: np.ndarray,
    groups: list[DrawGroup],
    style: RasterStyle,
    *,
    brush: _Brush,
    into: np.ndarray | None,
) -> tuple[np.ndarray, list[DrawGroup]]:
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

    def can_mark(self, group: DrawGroup) -> bool:
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


def _groups(scene: Scene, places: np.ndarray | slice, style: RasterStyle) -> list[DrawGroup]:
    colour = scene.colour[places]
    if scene.hidden is None and scene.selected is None and scene.found is None:
        return [DrawGroup(slice(None), colour, PLAIN, None)]
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
        DrawGroup(chosen, colour[chosen], state, mark)
        for chosen, state, mark in parts
        if len(chosen)
    ]
