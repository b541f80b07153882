"""Make toolkits of a workspace's APIs: cluster, name, store.

The computing is done in a worker process; everything is stored in one transaction, so a killed
worker or a cancel changes nothing.

`make_toolkits` is the part that computes: it runs in a worker process and sees no workspace.
"""

import re
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.clustering.constraints import Constraints
from toolplanner_core.clustering.groups import unit
from toolplanner_core.clustering.memory import check_memory
from toolplanner_core.clustering.quality import Quality, centroids, measure
from toolplanner_core.curation.grouping.points import Points, load_points
from toolplanner_core.curation.naming.toolkit_names import ToolkitText, name_toolkits
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.isolation import Isolation, PartFailure
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.options.values import check_options
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ApiText, load_documentation
from toolplanner_core.workspace.point_sets import StoredClustering, find_clustering
from toolplanner_core.workspace.toolkit_replacement import (
    ToolkitToWrite,
    check_no_toolkit_is_protected,
    members_by_toolkit,
    replace_toolkits,
)

_NUMBER = re.compile(r"\d+")
_SAME = 0.5
"""A group continues an old toolkit if more than this share of their joint members is common
(Jaccard). Above one half at most one group can continue a toolkit, and one toolkit a group."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MadeToolkits:
    """Groups with their names.

    Attributes:
        labels: (n,) int32, -1 for none.
        groups: positions of each group's members, most central first.
        centrality: (n,) float32, cosine of each point to its group's centroid; 0 for noise.
        texts: name and description of each group.
        failures: names and descriptions that no rule could make.
    """

    labels: NDArray[np.int32]
    groups: list[NDArray[np.int64]]
    centrality: NDArray[np.float32]
    texts: list[ToolkitText]
    quality: Quality
    failures: tuple[PartFailure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterReport:
    """What `cluster` did.

    Attributes:
        clustering: its row, now the active one.
        toolkits: how many there are now.
        kept: how many of them continue an old toolkit under its id.
        alone: toolkits of one API: no fallback is possible.
        noise: APIs that belong to no toolkit.
        mean_size: mean number of APIs in a toolkit.
        silhouette: -1 to 1 on a sample; None with fewer than two toolkits.
        failures: names and descriptions that no rule could make.
    """

    clustering: int
    method: str
    toolkits: int
    kept: int
    alone: int
    noise: int
    mean_size: float
    silhouette: float | None
    seconds: float
    failures: tuple[PartFailure, ...] = ()


def cluster(
    workspace: Workspace,
    *,
    method: str = "kmeans",
    options: Any = None,
    seed: int = 0,
    progress: Progress,
) -> ClusterReport:
    """Replace the toolkits made by rule with those of a new clustering.

    Blocks; the work is done in a worker process. APIs imported after the last `embed` have no
    vector and get no toolkit.

    Args:
        method: id of a clustering plug-in.
        options: an instance of its options class; None takes the defaults.
        seed: same APIs, options and seed: same toolkits.

    Raises:
        NotFound: no such method, or nothing is embedded.
        BadInput: an option is out of range, there are no APIs, a person has pinned or edited
            toolkits, or there is not enough memory.
        Cancelled, WorkerDied: nothing was changed.
    """
    began_s = time.monotonic()
    plugin = clusterings.get(method)
    options = check_options(plugin.options, options, of=f"clustering {method}")
    check_no_toolkit_is_protected(workspace)
    progress.report("Loading vectors", 0, None)
    points = load_points(workspace)
    made_of = points.made_of(method, options, seed)
    stored = find_clustering(workspace, **made_of)
    if stored is None:
        check_memory(plugin, len(points.vectors))
    made = run_in_worker(
        make_toolkits,
        points.vectors,
        load_documentation(workspace, points.point_set.rowids.tolist()),
        method=method,
        options=options,
        seed=seed,
        labels=None if stored is None else np.array(stored.labels),
        progress=progress,
        what="clustering",
    )
    progress.report("Storing toolkits", 0, len(made.groups), "toolkits")
    toolkits = _continued(made, points, members_by_toolkit(workspace))
    clustering = stored or StoredClustering(
        **made_of, labels=made.labels, silhouette=made.quality.silhouette
    )
    written = replace_toolkits(workspace, toolkits, clustering=clustering)
    return _report(written, method, toolkits, made, seconds=time.monotonic() - began_s)


def _report(
    clustering: int,
    method: str,
    toolkits: Sequence[ToolkitToWrite],
    made: MadeToolkits,
    *,
    seconds: float,
) -> ClusterReport:
    return ClusterReport(
        clustering=clustering,
        method=method,
        toolkits=len(toolkits),
        kept=sum(toolkit.id is not None for toolkit in toolkits),
        alone=sum(len(toolkit.members) == 1 for toolkit in toolkits),
        noise=made.quality.noise,
        mean_size=made.quality.mean_size,
        silhouette=made.quality.silhouette,
        seconds=seconds,
        failures=made.failures,
    )


def _continued(
    made: MadeToolkits, points: Points, old: Mapping[ToolkitId, set[int]]
) -> list[ToolkitToWrite]:
    """The groups as toolkits, each with the id of the old toolkit that it continues."""
    toolkit_of = {rowid: toolkit for toolkit, members in old.items() for rowid in members}
    toolkits: list[ToolkitToWrite] = []
    for group, text in zip(made.groups, made.texts, strict=True):
        rowids: list[int] = points.point_set.rowids[group].tolist()
        toolkits.append(
            ToolkitToWrite(
                id=_same_toolkit(rowids, toolkit_of, old),
                name=text.name,
                description=text.description,
                members=rowids,
                centrality=made.centrality[group].tolist(),
            )
        )
    return toolkits


def _same_toolkit(
    rowids: Sequence[int],
    toolkit_of: Mapping[int, ToolkitId],
    old: Mapping[ToolkitId, set[int]],
) -> ToolkitId | None:
    common = Counter(toolkit_of[rowid] for rowid in rowids if rowid in toolkit_of)
    for toolkit, n in common.items():
        if n > _SAME * (len(rowids) + len(old[toolkit]) - n):
            return toolkit
    return None


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
            with_numbered_copies_joined(vectors, documentation),
            options=options,
            seed=seed,
            report=report,
            constraints=constraints,
        )
    quality = measure(vectors, labels, seed=seed, report=report)
    centrality = _centrality(vectors, labels)
    groups = _groups(labels, centrality)
    members = [group.tolist() for group in groups]
    isolation = Isolation()
    texts = name_toolkits(documentation, members, taken=taken, report=report, isolation=isolation)
    return MadeToolkits(
        labels=labels,
        groups=groups,
        centrality=centrality,
        texts=texts,
        quality=quality,
        failures=isolation.failures,
    )


def with_numbered_copies_joined(
    vectors: NDArray[np.float32], documentation: Sequence[ApiText]
) -> NDArray[np.float32]:
    """The vectors, with one for all APIs whose documentation differs in nothing but numbers.

    "Service 1: ping" to "Service 300: ping" are one API three hundred times; a clustering that is
    asked for one group for every nine would part them by their numbers.

    Args:
        vectors: (n, dim) float32, rows of length 1; not changed.
    """
    copies: dict[str, list[int]] = {}
    for i, each in enumerate(documentation):
        said = f"{each.category}\n{each.tool}\n{each.name}\n{each.description}"
        copies.setdefault(_NUMBER.sub("#", said), []).append(i)
    joined = vectors.copy()
    for alike in copies.values():
        if len(alike) > 1:
            joined[alike] = unit(vectors[alike].mean(axis=0, keepdims=True))
    return joined


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
