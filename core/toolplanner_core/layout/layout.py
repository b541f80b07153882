"""What a layout plug-in is, and the registry of layouts.

A layout places every API on the plane, so that what does the same lies together. It runs in a
worker process (`curation/grouping/lay_out.py` starts it), so `fit` is a module-level function and
everything it takes can be pickled.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Report
from toolplanner_core.registry import Registry

Vectors = NDArray[np.float32]
"""(n, dim) float32, rows of length 1."""

Positions = NDArray[np.float32]
"""(n, 2) float32, finite, centred; the middle 98 % lie within about -10 to 10."""


class Neighbourhood(NamedTuple):
    """Exact nearest neighbours, itself first.

    Attributes:
        indices: (n, k) int32.
        distances: (n, k) float32, cosine distance.
    """

    indices: NDArray[np.int32]
    distances: NDArray[np.float32]


class LayoutFit(Protocol):
    """The function that places."""

    def __call__(
        self,
        vectors: Vectors,
        neighbours: Neighbourhood,
        labels: NDArray[np.int32],
        *,
        options: Any,
        seed: int,
        report: Report,
    ) -> Positions:
        """Place the rows of `vectors`.

        Args:
            vectors: (n, dim) float32, n >= 1.
            neighbours: of the same rows.
            labels: (n,) toolkit of each row, -1 for none; a layout may leave them out.
            options: an instance of the plug-in's `options` class.
            seed: the same arguments and seed give the same positions.
            report: told the stage and how far it is.

        A plug-in that uses regions has one keyword more: `regions`, (n,) int32 of each row, -1 for
        none.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutPlugin:
    """A layout. `options` is a frozen dataclass with defaults: the CLI makes flags and the GUI a
    form of it.

    Attributes:
        uses_labels: whether positions depend on the toolkits, for these options.
        uses_regions: whether they depend on the regions, too; those are found first, then.
        legend: one phrase for the map's legend that says what nearness means.
        first_places: where the points of a layout by regions begin, found in a second or two: what
            is shown while `fit` works; None if it begins with nothing to be seen. Called as
            `first_places(vectors, regions, seed=, report=)`.
        compile_all: what compiles the code that `fit` runs, in a worker; None if nothing is.
    """

    id: str
    title: str
    description: str
    options: type
    fit: LayoutFit
    uses_labels: Callable[[Any], bool]
    legend: Callable[[Any], str]
    first_places: Callable[..., Positions] | None = None
    compile_all: Callable[..., None] | None = None
    uses_regions: Callable[[Any], bool] = lambda _: False


layouts = Registry(LayoutPlugin, package="toolplanner_core.layout", kind="layouts", what="layout")


def centred(positions: NDArray[np.floating[Any]]) -> Positions:
    """Centred and scaled so that the middle 98 % lie within -10 to 10; x and y keep their ratio.

    Points that all lie on one spot are spread over a small disc, for a map on which nothing can be
    told apart helps nobody.
    """
    xy = np.asarray(positions, dtype=np.float64)
    low, high = np.quantile(xy, (0.01, 0.99), axis=0)
    extent = float((high - low).max())
    if extent <= 1e-9:
        low, high = xy.min(axis=0), xy.max(axis=0)
        extent = float((high - low).max())
    if extent <= 1e-9:
        return _disc(len(xy))
    return ((xy - (low + high) / 2) * (20 / extent)).astype(np.float32)


def _disc(n: int) -> Positions:
    """Sunflower arrangement (Vogel 1979): even, and the same for the same n."""
    index = np.arange(n)
    radius = np.sqrt(index / max(1, n))
    angle = index * np.pi * (3 - np.sqrt(5))
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1).astype(np.float32)
