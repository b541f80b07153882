"""Discs with soft edges, stamped point by point: how the map looks while few points are in view.

Called by raster.py; no Qt.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from toolplanner_gui.map.scene import Group, RasterStyle
from toolplanner_gui.map.sprites import PHASES, disc, mix

PIECE = 16_384


def stamp(
    pixels: np.ndarray,
    base: np.ndarray,
    over_x: np.ndarray,
    over_y: np.ndarray,
    *,
    group: Group,
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
        return mix(colours, ground, inner)
    covered = np.maximum(inner + around, 1e-6)
    inked = mix(np.array(mark, np.uint32), colours, around / covered)
    return mix(inked, ground, np.minimum(covered, 1))
