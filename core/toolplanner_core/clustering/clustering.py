"""What a clustering plug-in is, and the registry of clusterings.

A clustering turns vectors into groups of APIs that can stand in for one another. It runs in a
worker process (`curation/cluster.py` starts it), so `fit` is a module-level function and everything
it takes can be pickled.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Report
from toolplanner_core.registry import Registry

if TYPE_CHECKING:
    from toolplanner_core.clustering.constraints import Constraints

Vectors = NDArray[np.float32]
"""(n, dim) float32, rows of length 1 (a row of zeros stands for a text without any known word)."""

Labels = NDArray[np.int32]
"""(n,) int32: 0, 1, 2 ... without gaps, -1 for a point that belongs to no group."""


class Fit(Protocol):
    """The function that groups."""

    def __call__(
        self,
        vectors: Vectors,
        *,
        options: Any,
        seed: int,
        report: Report,
        constraints: "Constraints | None" = None,
    ) -> Labels:
        """Group the rows of `vectors`.

        Args:
            vectors: (n, dim) float32, n >= 1.
            options: an instance of the plug-in's `options` class.
            seed: the same vectors, options and seed give the same labels.
            report: told the stage and how far it is.
            constraints: what a person has settled; it holds in the result, whatever the vectors
                say (`constraints.fit_constrained`).

        Raises:
            BadInput: an option is out of its range, or constraints contradict each other.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteringPlugin:
    """A clustering method. `options` is a frozen dataclass with defaults: the CLI makes flags and
    the GUI a form of it."""

    id: str
    title: str
    description: str
    options: type
    fit: Fit


clusterings: Registry[ClusteringPlugin] = Registry("toolplanner_core.clustering", "clustering")


def number_by_size(labels: NDArray[np.integer[Any]]) -> Labels:
    """The same groups, numbered 0, 1, 2 ... from the largest to the smallest; empty ones vanish.

    Args:
        labels: (n,) any integers, negative for no group.

    Returns:
        (n,) int32. Equally large groups keep the order of their first points.
    """
    numbered = np.full(len(labels), -1, dtype=np.int32)
    grouped = labels >= 0
    if not grouped.any():
        return numbered
    _, first, inverse, sizes = np.unique(
        labels[grouped], return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    numbered[grouped] = rank[inverse]
    return numbered
