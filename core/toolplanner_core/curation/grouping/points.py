"""The points that clustering and layout work on: all APIs that have a vector."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.neighbours import NEIGHBOURS, NearestNeighbours, nearest_neighbours
from toolplanner_core.clustering.renewed_neighbours import renew_neighbours
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.words.window_places import IMPORT_APIS, MAKE_VECTORS
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.point_sets import (
    PointSet,
    active_neighbours,
    ensure_point_set,
    load_point_set,
    put_neighbours,
    stored_neighbours,
)
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import labels_by_rowid
from toolplanner_core.workspace.vectors import load_vectors


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Points:
    """What is clustered and laid out.

    Attributes:
        embedder: storage id of the active embedder.
        vectors: (n, dim) float32, rows of length 1.
    """

    point_set: PointSet
    embedder: str
    vectors: NDArray[np.float32]

    def made_of(self, method: str, options: Any, seed: int, **more: Any) -> dict[str, Any]:
        """What a clustering or layout of them is stored with and found by: equal inputs, equal
        result."""
        return {
            "point_set": self.point_set.id,
            "embedder": self.embedder,
            "method": method,
            "options": inputs_of(options, seed) | more,
        }


def inputs_of(options: Any, seed: int) -> dict[str, Any]:
    """Options and seed as they are stored with a result."""
    return {**asdict(options), "seed": seed}


def load_points(workspace: Workspace) -> Points:
    """All APIs with a vector of the active embedder, in catalogue order.

    Raises:
        BadInput: there are no APIs.
        NotFound: nothing was embedded yet.
    """
    rowids = all_rowids(workspace)
    if not rowids:
        raise BadInput("There are no APIs yet", todo=IMPORT_APIS)
    found = with_vectors(workspace, rowids)
    point_set = ensure_point_set(workspace, found.rowids)
    return Points(point_set=point_set, embedder=found.embedder, vectors=found.vectors)


class WithVectors(NamedTuple):
    """APIs that have a vector of the embedder in use, and (n, dim) these."""

    embedder: str
    rowids: list[int]
    vectors: NDArray[np.float32]


def with_vectors(workspace: Workspace, rowids: Sequence[int]) -> WithVectors:
    """Those of some APIs that have a vector.

    Raises:
        NotFound: none has one.
    """
    embedder: str | None = get_setting(workspace, "active_embedder")
    loaded = None if embedder is None else load_vectors(workspace, embedder, rowids)
    if embedder is None or loaded is None or len(loaded.missing) == len(rowids):
        raise NotFound("The APIs have no vectors yet", todo=MAKE_VECTORS)
    there = np.setdiff1d(np.arange(len(rowids)), loaded.missing)
    return WithVectors(embedder, [rowids[place] for place in there], loaded.vectors[there])


class ToolkitLabels(NamedTuple):
    """Toolkits in the order in which they appear, and (n,) int32 of each API, -1 without one."""

    toolkits: list[ToolkitId]
    labels: NDArray[np.int32]


def toolkit_labels(workspace: Workspace, rowids: Sequence[int]) -> ToolkitLabels:
    """The toolkits of these APIs as labels."""
    toolkit_of = labels_by_rowid(workspace)
    numbers: dict[ToolkitId, int] = {}
    labels = [
        numbers.setdefault(toolkit_of[rowid], len(numbers)) if rowid in toolkit_of else -1
        for rowid in rowids
    ]
    return ToolkitLabels(list(numbers), np.array(labels, dtype=np.int32))


def ensure_neighbours(
    workspace: Workspace, points: Points, *, progress: Progress
) -> NearestNeighbours:
    """The nearest neighbours of the points: stored ones, else computed in a worker process
    and stored; where neighbours of nearly the same points are known, only what is other is.

    Raises:
        Cancelled, WorkerDied: nothing was stored.
    """
    k = min(NEIGHBOURS, len(points.vectors))
    stored = stored_neighbours(workspace, points.point_set.id, points.embedder, k)
    if stored is not None:
        return NearestNeighbours(*stored)
    known = active_neighbours(workspace, points.embedder, k)
    if known is None:
        found = run_in_worker(
            nearest_neighbours, points.vectors, k, progress=progress, what="neighbours"
        )
    else:
        before = load_point_set(workspace, known[0]).rowids
        places = _places_of(points.point_set.rowids, before)
        found = run_in_worker(
            renew_neighbours,
            NearestNeighbours(*known[1]),
            places,
            points.vectors,
            progress=progress,
            what="neighbours",
        )
    put_neighbours(workspace, points.point_set.id, points.embedder, *found)
    return found


def _places_of(rowids: NDArray[np.int32], before: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where each API stood before, -1 for a new one."""
    order = np.argsort(before, kind="stable")
    at = np.minimum(np.searchsorted(before, rowids, sorter=order), len(before) - 1)
    found = order[at]
    return np.where(before[found] == rowids, found, -1)
