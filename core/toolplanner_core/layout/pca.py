"""The two directions in which the vectors differ most: quick, linear, always the same.

Shows the coarse order of a catalogue but tears no groups apart; the default is `umap`.
"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Report
from toolplanner_core.layout.layout import (
    LayoutPlugin,
    Neighbourhood,
    Positions,
    Vectors,
    centred,
)
from toolplanner_core.options.option import NoOptions


def fit(
    vectors: Vectors,
    neighbours: Neighbourhood,  # noqa: ARG001 - linear: neighbours play no part
    labels: NDArray[np.int32],  # noqa: ARG001
    *,
    options: NoOptions,  # noqa: ARG001
    seed: int,  # noqa: ARG001 - nothing here is random
    report: Report,
) -> Positions:
    """Place by the two first principal components."""
    report("Placing APIs", 0, len(vectors))
    positions = centred(principal_plane(vectors))
    report("Placing APIs", len(vectors), len(vectors))
    return positions


def principal_plane(vectors: Vectors) -> NDArray[np.float64]:
    """(n, 2) float64: the two first principal components, zeros where there are fewer."""
    moved = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    # The covariance matrix is small (dim x dim), whatever n is.
    values, directions = np.linalg.eigh(moved.T @ moved)
    plane = np.zeros((len(vectors), 2))
    axes = directions[:, ::-1][:, :2]
    axes = axes[:, values[::-1][: axes.shape[1]] > 1e-9]
    # The sign of an eigenvector is arbitrary: the largest entry is made positive.
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    plane[:, : axes.shape[1]] = moved @ (axes * signs)
    return plane


PLUGIN = LayoutPlugin(
    id="pca",
    title="Principal components",
    description="The two directions in which APIs differ most; quick, but groups overlap.",
    options=NoOptions,
    fit=fit,
    uses_labels=lambda _: False,
    legend=lambda _: "Placed by the two main directions",
)
