"""Where the points of a layout begin if they are in regions: each region on a disc of its own.

A layout by neighbours moves points by little steps, so that what begins strewn over the map stays
strewn. Here the regions lie beside those that they resemble, none over another, and the points of
each inside of it by what sets them apart from one another.

Source: classical scaling by Torgerson 1952 for the places of regions.
"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.layout.layout import Vectors
from toolplanner_core.layout.pca import principal_plane

_REACH = 10.0
"""The start lies within about this distance of the middle."""
_FILLED = 0.7
"""Radius of a disc as a share of what would fill the map."""
_STEPS = 400
_PUSH, _PULL = 0.25, 0.003
"""Share of an overlap that one step undoes, and of the way to the middle that it goes."""
_NEARLY_ALL = 0.9
_INSIDE = 0.7
"""Share of the radius within which nearly all points of a region begin."""
_NOISE = 0.01
"""So that equal points part."""


def start_by_region(vectors: Vectors, regions: NDArray[np.int32], seed: int) -> NDArray[np.float32]:
    """(n, 2) float32: every region on its disc, whose area is in proportion to its points.

    Args:
        regions: (n,) region of each point, -1 for none: those lie together, too.
        seed: of the noise.
    """
    _, of = np.unique(regions, return_inverse=True)
    counts = np.bincount(of)
    radii = _REACH * _FILLED * np.sqrt(counts / counts.sum())
    places = _places(_middles(vectors, of, len(counts)), radii)
    start = np.empty((len(vectors), 2))
    for region, (place, radius) in enumerate(zip(places, radii, strict=True)):
        own = np.flatnonzero(of == region)
        start[own] = place + _on_disc(principal_plane(vectors[own]), radius)
    start += np.random.RandomState(seed).normal(scale=_NOISE, size=start.shape)
    return start.astype(np.float32)


def _middles(vectors: Vectors, of: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """(count, dim) direction of each region, of length 1."""
    order = np.argsort(of, kind="stable")
    begins = np.searchsorted(of[order], np.arange(count))
    sums = np.add.reduceat(vectors[order].astype(np.float64), begins, axis=0)
    return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)


def _places(middles: NDArray[np.float64], radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """(r, 2) where the discs lie: like regions beside one another, hardly any over another."""
    count = len(middles)
    angles = np.arccos(np.clip(middles @ middles.T, -1, 1))
    away = np.eye(count) - 1 / count
    values, directions = np.linalg.eigh(-0.5 * away @ angles**2 @ away)
    places = np.zeros((count, 2))
    axes = directions[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
    # The sign of an eigenvector is arbitrary: the largest entry is made positive.
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1, 1)
    places[:, : axes.shape[1]] = axes
    places *= _REACH * (1 - _INSIDE / 2) / max(float(np.abs(places).max()), 1e-12)
    # Regions with equal middles would have no direction to part in.
    angle = np.arange(count) * np.pi * (3 - np.sqrt(5))
    places += 1e-3 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    for _ in range(_STEPS):
        between = places[:, None] - places[None]
        distance = np.linalg.norm(between, axis=2) + 1e-9
        overlap = np.maximum(radii[:, None] + radii[None] - distance, 0)
        np.fill_diagonal(overlap, 0)
        places += _PUSH * (between / distance[..., None] * overlap[..., None]).sum(axis=1)
        places *= 1 - _PULL
    return places


def _on_disc(plane: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
    """The points of a plane around the middle, none farther from it than the radius."""
    usual = float(np.quantile(np.linalg.norm(plane, axis=1), _NEARLY_ALL))
    plane = plane * (radius * _INSIDE / max(usual, 1e-12))
    far = np.linalg.norm(plane, axis=1, keepdims=True)
    return plane * np.minimum(1, radius / np.maximum(far, 1e-12))
