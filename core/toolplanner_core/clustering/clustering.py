"""What a clustering plug-in is, and the registry of clusterings.

A clustering turns vectors into groups of APIs that can stand in for one another. It runs in a
worker process (`curation/grouping/cluster.py` starts it), so `group` is a module-level function and
everything it takes can be pickled.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from toolplanner_core.clustering.constraints import Constraints, fit_constrained
from toolplanner_core.clustering.groups import Labels, Vectors
from toolplanner_core.jobs.progress import Report
from toolplanner_core.options.published import PublishedSettings
from toolplanner_core.registry import Registry


class ClusteringGroup(Protocol):
    """The function that groups what is free to be grouped."""

    def __call__(
        self, vectors: Vectors, n_given: int, *, options: Any, seed: int, report: Report
    ) -> Labels:
        """Group the rows of `vectors`.

        Args:
            vectors: (n, dim) float32, n >= 1.
            n_given: groups that a person has settled; they count towards a number of groups that
                was asked for.
            options: an instance of the plug-in's `options` class.
            seed: the same vectors, options and seed give the same labels.
            report: told the stage and how far it is.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteringPlugin:
    """A clustering method. `options` is a frozen dataclass with defaults: the CLI makes flags and
    the GUI a form of it; `published` are the settings of the paper, None = it has none;
    `bytes_per_api` is the memory that a large catalogue takes for each API, toolkits named: with
    k-means 7.0 GB for a million."""

    id: str
    title: str
    description: str
    options: type
    group: ClusteringGroup
    published: PublishedSettings | None = None
    bytes_per_api: int = 7_000

    def fit(
        self,
        vectors: Vectors,
        *,
        options: Any,
        seed: int,
        report: Report,
        constraints: Constraints | None = None,
    ) -> Labels:
        """Labels of the rows of `vectors`, in which all holds that a person has settled.

        Raises:
            BadInput: constraints contradict each other.
        """
        return fit_constrained(
            vectors,
            constraints,
            lambda free, given: self.group(free, given, options=options, seed=seed, report=report),
        )


clusterings = Registry(
    ClusteringPlugin, package="toolplanner_core.clustering", kind="clusterings", what="clustering"
)
