"""From vectors and documentation to named toolkits: the part of clustering that computes.

Runs in a worker process, started by `curation/grouping/cluster.py`; sees no workspace.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.clustering.constraints import Constraints
from toolplanner_core.clustering.groups import unit
from toolplanner_core.clustering.quality import Quality, centroids, measure
from toolplanner_core.curation.naming.toolkit_names import ToolkitText, name_toolkits
from toolplanner_core.jobs.progress import Report
from toolplanner_core.workspace.documentation import ApiText


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MadeToolkits:
    """Groups with their names.

    Attributes:
        labels: (n,) int32, -1 for none.
        groups: positions of each group's members, most central first.
        centrality: (n,) float32, cosine of each point to its group's centroid; 0 for noise.
        texts: name and description of each group.
    """

    labels: NDArray[np.int32]
    groups: list[NDArray[np.int64]]
    centrality: NDArray[np.float32]
    texts: list[ToolkitText]
    quality: Quality


def make_toolkits(
    vectors: NDArray[np.float32],
    documentation: Sequence[ApiText],
    *,
    method: str,
    options: Any,
    seed: int,
    labels: NDArray[np.int32] | None,
    constraints: Constraints | None = None,
    taken: Collection[str] = (),
    report: Report,
) -> MadeToolkits:
    """Group the points and name the groups.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        documentation: (n,) texts of the same APIs.
        labels: an earlier result of the same inputs; None computes it.
        constraints: what a person has settled about these points.
        taken: names that other toolkits have already.
    """
    if labels is None:
        labels = clusterings.get(method).fit(
            vectors, options=options, seed=seed, report=report, constraints=constraints
        )
    quality = measure(vectors, labels, seed=seed, report=report)
    centrality = _centrality(vectors, labels)
    groups = _groups(labels, centrality)
    members = [group.tolist() for group in groups]
    return MadeToolkits(
        labels=labels,
        groups=groups,
        centrality=centrality,
        texts=name_toolkits(documentation, members, taken=taken, report=report),
        quality=quality,
    )


def _centrality(vectors: NDArray[np.float32], labels: NDArray[np.int32]) -> NDArray[np.float32]:
    centrality = np.zeros(len(labels), dtype=np.float32)
    grouped = np.flatnonzero(labels >= 0)
    if not len(grouped):
        return centrality
    centres = unit(centroids(vectors, labels))
    centrality[grouped] = (vectors[grouped] * centres[labels[grouped]]).sum(axis=1)
    return centrality


def _groups(labels: NDArray[np.int32], centrality: NDArray[np.float32]) -> list[NDArray[np.int64]]:
    # Ties in centrality (equal texts) keep catalogue order: lexsort is stable.
    order = np.lexsort((-centrality, labels))
    order = order[labels[order] >= 0]
    sizes = np.bincount(labels[labels >= 0])
    return np.split(order, np.cumsum(sizes)[:-1]) if len(sizes) else []
