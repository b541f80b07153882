"""Points to pixels: one image of the visible map, in numpy alone.

An image is the only thing that is as fast at a million points as at a thousand, and it can be
drawn again, moved or scaled, while the hand is still on the mouse. Three ways, by what is in view:

- *discs*, stamped point by point (sprites.py), while that writes few enough pixels;
- *dots* of one pixel, then widened over the whole image (about 3 ms at any number of points);
- *density*, where so many points share a pixel that only their number says anything.

One rule of order holds in all of them: hidden points lie lowest, selected ones highest, and
between equals the later one in tile order wins, whole disc over whole disc. It does not depend on
the zoom, so nothing flickers. Called by layer.py; pure functions of their arguments, so a worker
may call them; no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from toolplanner_gui.map.sprites import PHASES, disc, mix
from toolplanner_gui.map.tiles import TileIndex
from toolplanner_gui.map.viewport import Viewport

DISC_PIXELS = 5_000_000
DENSITY_POINTS = 200_000
DENSITY_LEVELS = 24
RING_WIDTH = 1.5
PIECE = 16_384
LEAST_SELECTED_RADIUS = 2.5
MARGIN_STEP = 8
PLAIN, FAINT, SOFT = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class RasterStyle:
    """Colours of an image, all uint32 0xffRRGGBB.

    Attributes:
        background: colour of the map.
        colours: at most 80.
        ring: outline of selected points.
        faint: share of its colour that a filtered-out point keeps.
        soft: share that a point keeps while others are selected.
    """

    background: int
    colours: tuple[int, ...]
    ring: int
    faint: float = 0.14
    soft: float = 0.42

    def look(self, state: int) -> np.ndarray:
        """`(c,) uint32`: the colours of points in a state (`PLAIN`, `FAINT`, `SOFT`)."""
        share = np.array((1.0, self.faint, self.soft)[state], np.float32)
        return mix(np.array(self.colours, np.uint32), np.array(self.background, np.uint32), share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is drawn: points with a colour and a state each, all in tile order.

    Attributes:
        tiles: the points.
        colour: `(n,) uint8`, index into the colours of the style.
        hidden: `(n,) bool`, filtered out, drawn faint below the others; none if all are shown.
        selected: `(n,) bool`; none if nothing is selected.
    """

    tiles: TileIndex
    colour: np.ndarray
    hidden: np.ndarray | None = None
    selected: np.ndarray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
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
    size = max(round(radius * ratio * 4) / 4, 0.5)
    ring = RING_WIDTH * ratio
    marked_size = max(size, LEAST_SELECTED_RADIUS * ratio)
    marked = disc(marked_size, ring)
    reach = marked.reach
    # A centre may lie `reach` outside and its disc reach as far again: no stamp needs clipping.
    margin = -(-(2 * reach + 1) // MARGIN_STEP) * MARGIN_STEP
    scale = view.scale * ratio
    places, column, row = _in_view(scene.tiles, view, scale, size=(width, height), reach=reach)
    count = len(column)
    stride = width + 2 * margin
    shape = (height + 2 * margin, stride)
    if count == 0:
        pixels = _ground(shape, style.background, into)
        return Picture(pixels=pixels, margin=margin, kind="empty", points=0)
    if kind is None:
        kind = "density" if count > DENSITY_POINTS else "dots"
        if count * disc(size).dx.shape[1] <= DISC_PIXELS:
            kind = "discs"
    groups = _groups(scene, places)
    whole_x, whole_y = np.floor(column), np.floor(row)
    base = (whole_y.astype(np.intp) + margin) * stride + (whole_x.astype(np.intp) + margin)
    phase = ((row - whole_y) * PHASES).astype(np.intp) * PHASES
    phase += ((column - whole_x) * PHASES).astype(np.intp)
    if kind == "discs":
        pixels = _ground(shape, style.background, into)
        for group in groups:
            wide, around = (marked_size, ring) if group.is_marked else (size, 0.0)
            _stamp(pixels, base, phase, group, style=style, radius=wide, ring=around)
    else:
        pixels = _dots(shape, base, groups, style, kind=kind, wide=max(round(size), 1))
        last = groups[-1]
        if last.is_marked and len(last.colour) * marked.dx.shape[1] <= DISC_PIXELS:
            _stamp(pixels, base, phase, last, style=style, radius=marked_size, ring=ring)
    return Picture(pixels=pixels, margin=margin, kind=kind, points=count)


def _ground(shape: tuple[int, int], colour: int, into: np.ndarray | None) -> np.ndarray:
    pixels = into if into is not None and into.shape == shape else np.empty(shape, np.uint32)
    pixels.fill(colour)
    return pixels


def _in_view(
    tiles: TileIndex, view: Viewport, scale: float, *, size: tuple[int, int], reach: int
) -> tuple[np.ndarray | slice, np.ndarray, np.ndarray]:
    """Sorted places of the points that reach into view, with their device columns and rows."""
    box = view.bounds.inflated((reach + 1) / scale)
    places = tiles.near(box)
    # Relative to the left top corner first: float32 then keeps its digits for the pixels.
    left, top = np.float32(view.bounds.left), np.float32(view.bounds.top)
    shift_x = np.float32((float(left) - view.bounds.left) * scale)
    shift_y = np.float32((view.bounds.top - float(top)) * scale)
    column = (tiles.x[places] - left) * np.float32(scale) + shift_x
    row = (top - tiles.y[places]) * np.float32(scale) + shift_y
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


class _Group(NamedTuple):
    """Points that are drawn alike, one group after the other.

    Attributes:
        chosen: which of those in view.
        colour: `(m,) intp` index into the colours.
        state: `PLAIN`, `FAINT` or `SOFT`.
        is_marked: with a ring.
    """

    chosen: np.ndarray | slice
    colour: np.ndarray
    state: int
    is_marked: bool


def _groups(scene: Scene, places: np.ndarray | slice) -> list[_Group]:
    colour = scene.colour[places].astype(np.intp)
    if scene.hidden is None and scene.selected is None:
        return [_Group(slice(None), colour, PLAIN, False)]
    nothing = np.zeros(len(colour), dtype=bool)
    hidden = nothing if scene.hidden is None else scene.hidden[places]
    selected = nothing if scene.selected is None else scene.selected[places]
    shown = PLAIN if scene.selected is None else SOFT
    parts = (
        (np.flatnonzero(hidden & ~selected), FAINT, False),
        (np.flatnonzero(~hidden & ~selected), shown, False),
        (np.flatnonzero(selected), PLAIN, True),
    )
    return [
        _Group(chosen, colour[chosen], state, is_marked)
        for chosen, state, is_marked in parts
        if len(chosen)
    ]


@lru_cache(maxsize=64)
def _table(style: RasterStyle, state: int, radius: float, ring: float) -> np.ndarray:
    """Pixels of a disc for each place within a pixel and each colour, `(phases, c, k) uint32`."""
    sprite = disc(radius, ring)
    ground = np.array(style.background, np.uint32)
    inner, around = sprite.inner[:, None, :], sprite.ring[:, None, :]
    colours = style.look(state)[None, :, None]
    if ring == 0:
        return mix(colours, ground, inner)
    covered = np.maximum(inner + around, 1e-6)
    inked = mix(np.array(style.ring, np.uint32), colours, around / covered)
    return mix(inked, ground, np.minimum(covered, 1))


def _stamp(
    pixels: np.ndarray,
    base: np.ndarray,
    phase: np.ndarray,
    group: _Group,
    *,
    style: RasterStyle,
    radius: float,
    ring: float,
) -> None:
    """Write all pixels of all discs, point after point: the last of equal targets wins in numpy."""
    sprite = disc(radius, ring)
    table = _table(style, group.state, radius, ring)
    offsets = sprite.dy * pixels.shape[1] + sprite.dx
    phases, bases = phase[group.chosen], base[group.chosen]
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


def _dots(
    shape: tuple[int, int],
    base: np.ndarray,
    groups: list[_Group],
    style: RasterStyle,
    *,
    kind: str,
    wide: int,
) -> np.ndarray:
    """One pixel a point, widened to `2 * wide - 1` pixels, or shaded by how many share it.

    A pixel holds rank << 8 | look until the end, so that widening by the maximum lets the later
    point win, not the later direction.
    """
    seen = np.zeros(shape, np.uint32)
    flat = seen.ravel()
    rank = 1
    for group in groups:
        target = base[group.chosen]
        ranks = np.arange(rank, rank + len(target), dtype=np.uint32)
        look = (group.colour + (1 + group.state * len(style.colours))).astype(np.uint32)
        flat[target] = (ranks << np.uint32(8)) | look
        rank += len(target)
    ground = np.array([style.background], np.uint32)
    looks = np.concatenate([ground, *(style.look(state) for state in (PLAIN, FAINT, SOFT))])
    if kind == "density":
        return _shaded(seen, np.bincount(base, minlength=flat.size), looks)
    for _ in range(wide - 1):
        seen = _widened(seen)
    return looks.take((seen & np.uint32(255)).astype(np.uint8))


def _shaded(seen: np.ndarray, count: np.ndarray, looks: np.ndarray) -> np.ndarray:
    """Colour of the last point of a pixel, stronger the more points share it.

    On a logarithmic scale.
    """
    filled = np.flatnonzero(count)
    level = np.log1p(count[filled])
    level = (level * ((DENSITY_LEVELS - 1) / max(float(level.max()), 1e-9))).astype(np.intp)
    shares = np.linspace(0.3, 1, DENSITY_LEVELS, dtype=np.float32)
    table = mix(looks[None, :], looks[0], shares[:, None])
    pixels = np.full(seen.shape, looks[0], np.uint32)
    pixels.ravel()[filled] = table[level, seen.ravel()[filled] & np.uint32(255)]
    return pixels


def _widened(seen: np.ndarray) -> np.ndarray:
    """Each pixel becomes the largest of itself and its eight neighbours."""
    across = seen.copy()
    np.maximum(across[:, 1:], seen[:, :-1], out=across[:, 1:])
    np.maximum(across[:, :-1], seen[:, 1:], out=across[:, :-1])
    both = across.copy()
    np.maximum(both[1:], across[:-1], out=both[1:])
    np.maximum(both[:-1], across[1:], out=both[:-1])
    return both
