"""What a clustering plug-in is, and the registry of clusterings.

A clustering turns vectors into groups of APIs that can stand in for one another. It runs in a
worker process (`curation/grouping/cluster.py` starts it), so `fit` is a module-level function and
everything it takes can be pickled.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from toolplanner_core.clustering.constraints import Constraints
from toolplanner_core.clustering.labels import Labels, Vectors
from toolplanner_core.jobs.progress import Report
from toolplanner_core.registry import Registry


class ClusteringFit(Protocol):
    """The function that groups."""

    def __call__(
        self,
        vectors: Vectors,
        *,
        options: Any,
        seed: int,
        report: Report,
        constraints: Constraints | None = None,
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
    fit: ClusteringFit


clusterings = Registry(
    ClusteringPlugin, package="toolplanner_core.clustering", kind="clusterings", what="clustering"
)
