"""Place new APIs on a map whose old places never move.

A person finds things on the map by where they lie, so an import must not shift anything: new points
go among the nearest of the frozen ones. Their place is the weighted median of their neighbours'
places, not the mean: the mean of two far groups is a spot where neither lives. UMAP's own
`transform` needs 58 s the first time (design/map.md, "Layout").

Source: geometric median by Weiszfeld 1937, with a floor on distances (Vardi and Zhang 2000).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Report
from toolplanner_core.layout.layout import Positions, Vectors

NEIGHBOURS = 8
"""As many as the layout itself keeps near (`layout/umap.py`)."""

_ROUNDS = 12
_SHARPNESS = 0.05
"""Cosine distance by which a neighbour's weight falls to 1 / e."""

_JITTER = 0.02
"""Step aside from a taken spot, in map units (the map is about 20 wide)."""

_BLOCK_CELLS = 8_000_000


class Placed(NamedTuple):
    """Where new points lie and what they were placed by.

    Attributes:
        xy: (m, 2) float32, each spot different from all frozen and all other new ones.
        neighbours: (m, k) int32, positions of the frozen points, the nearest first.
        distances: (m, k) float32, cosine distance, 0 to 2.
    """

    xy: Positions
    neighbours: NDArray[np.int32]
    distances: NDArray[np.float32]


def place(
    vectors: Vectors, frozen: Vectors, frozen_xy: Positions, *, k: int = NEIGHBOURS, report: Report
) -> Placed:
    """Place new points among frozen ones.

    Args:
        vectors: (m, dim) float32, rows of length 1: the new points.
        frozen: (n, dim) float32, n >= 1: the points of the map.
        frozen_xy: (n, 2) float32, only read.
        k: neighbours that each new point is placed by.
        report: told how many points are done.
    """
    m, k = len(vectors), min(k, len(frozen))
    neighbours = np.empty((m, k), dtype=np.int32)
    distances = np.empty((m, k), dtype=np.float32)
    height = max(16, _BLOCK_CELLS // len(frozen))
    for begin in range(0, m, height):
        report("Placing new APIs", begin, m)
        part = slice(begin, begin + height)
        distance = 1 - vectors[part] @ frozen.T
        near = np.argpartition(distance, k - 1, axis=1)[:, :k]
        # By distance, then by position: ties come out the same on every machine.
        order = np.lexsort((near, np.take_along_axis(distance, near, axis=1)), axis=1)
        neighbours[part] = np.take_along_axis(near, order, axis=1)
        distances[part] = np.take_along_axis(distance, neighbours[part], axis=1)
    weights = np.exp(-(distances - distances[:, :1]) / _SHARPNESS)
    xy = _weighted_median(frozen_xy[neighbours], weights)
    report("Placing new APIs", m, m)
    return Placed(_stepped_aside(xy, frozen_xy), neighbours, np.clip(distances, 0, 2))


def _weighted_median(
    places: NDArray[np.float32], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(m, 2): for each row of (m, k, 2) places the spot with the least sum of distances."""
    spot = (places * weights[:, :, None]).sum(axis=1) / weights.sum(axis=1)[:, None]
    for _ in range(_ROUNDS):
        distance = np.linalg.norm(places - spot[:, None], axis=2)
        pull = weights / np.maximum(distance, 1e-3)
        spot = (places * pull[:, :, None]).sum(axis=1) / pull.sum(axis=1)[:, None]
    return spot.astype(np.float32)


def _stepped_aside(xy: NDArray[np.float32], frozen_xy: Positions) -> Positions:
    """The same spots; a taken one is left along a spiral, one step further for each that is there.

    Copies of a text would otherwise lie under one another and only one could be clicked.
    """
    taken = {spot.tobytes() for spot in np.ascontiguousarray(frozen_xy)}
    steps: dict[bytes, int] = {}
    for number, spot in enumerate(xy):
        first = spot.tobytes()
        free = spot
        while free.tobytes() in taken:
            step = steps[first] = steps.get(first, 0) + 1
            angle, radius = step * np.pi * (3 - np.sqrt(5)), _JITTER * np.sqrt(step)
            aside = (radius * np.cos(angle), radius * np.sin(angle))
            free = (spot + np.array(aside)).astype(np.float32)
        xy[number] = free
        taken.add(free.tobytes())
    return xy
