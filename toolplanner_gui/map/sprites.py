"""Discs as lists of pixels: what the rasteriser stamps for each point, computed once for a size.

A disc that moves by less than a pixel changes its edge, so there is one list for each of 4 x 4
places within a pixel; without them points jitter while zooming. Edge pixels are mixed with the
colour of the map, not with what lies below: overlapping points get a fine rim that keeps them
apart, and no pixel has to be read. Called by raster.py; no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

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


def mix(first: np.ndarray, second: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Mix colours: `share` (0 to 1, broadcast) of `first`, the rest of `second`.

    `(...,) uint32` 0xffRRGGBB.
    """
    result = np.zeros(np.broadcast_shapes(first.shape, second.shape, share.shape), np.uint32)
    for shift in (16, 8, 0):
        one = ((first >> np.uint32(shift)) & np.uint32(255)).astype(np.float32)
        other = ((second >> np.uint32(shift)) & np.uint32(255)).astype(np.float32)
        result |= (one * share + other * (1 - share) + 0.5).astype(np.uint32) << np.uint32(shift)
    return result | np.uint32(0xFF000000)
