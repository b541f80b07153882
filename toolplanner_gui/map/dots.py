"""Many points: one pixel each, widened over the whole image, or shaded by how many share a pixel.

The cost is that of the image, not of the points. Called by raster.py; no Qt.
"""

from __future__ import annotations

import numpy as np

from toolplanner_gui.map.scene import FAINT, PLAIN, SOFT, Group, RasterStyle
from toolplanner_gui.map.sprites import mix

DENSITY_LEVELS = 24
FAINTEST = 0.3


def draw_dots(
    shape: tuple[int, int],
    base: np.ndarray,
    groups: list[Group],
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
        seen = widened(seen)
    return _looks(style).take((seen & np.uint32(255)).astype(np.uint8))


def draw_density(
    shape: tuple[int, int], base: np.ndarray, groups: list[Group], style: RasterStyle
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
    table = mix(looks[None, :], looks[0], shares[:, None]).ravel()
    index = level.take(count)
    index *= np.uint16(len(looks))
    index += seen
    return table.take(index).reshape(shape)


def _look(group: Group, style: RasterStyle) -> np.ndarray:
    """`(m,) uint8`, where the looks of `_looks` begin with the ground."""
    return group.colour + np.uint8(1 + group.state * len(style.colours))


def _looks(style: RasterStyle) -> np.ndarray:
    ground = np.array([style.background], np.uint32)
    return np.concatenate([ground, *(style.look(state) for state in (PLAIN, FAINT, SOFT))])


def widened(seen: np.ndarray, *, has_corners: bool = True) -> np.ndarray:
    """Each pixel becomes the largest of itself and its eight neighbours, or four."""
    across = seen.copy()
    np.maximum(across[:, 1:], seen[:, :-1], out=across[:, 1:])
    np.maximum(across[:, :-1], seen[:, 1:], out=across[:, :-1])
    source = across if has_corners else seen
    both = across.copy()
    np.maximum(both[1:], source[:-1], out=both[1:])
    np.maximum(both[:-1], source[1:], out=both[:-1])
    return both
