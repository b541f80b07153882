"""Sums of the vectors of toolkits: from them follow cohesion, similarity and what a merge would do.

A toolkit's centroid, its cohesion and the cohesion of several together need nothing but the sum of
the members' vectors and their number; 5,000 toolkits are 8 MB. Kept while a workspace is open, and
stored in it; only those of toolkits that an edit touched are worked out again. Reading blocks; not
for the GUI thread.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import mean_cosines, nearest_groups, unit
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkit_centroids import (
    StoredSums,
    load_sums,
    memberships,
    queue_sums,
    sums_state,
    toolkits_with_members,
)
from toolplanner_core.workspace.vectors import embedder_state, load_vectors

WORTH_STORING = 2_000
"""Fewer APIs are worked out as quickly as they are read."""
_BLOCK = 8192
"""APIs whose vectors are held at once: 12 MB."""


class Similar(NamedTuple):
    """A toolkit and the cosine of its centroid to what was asked about."""

    toolkit: ToolkitId
    cosine: float


class ToolkitSums:
    """Sums by toolkit.

    Attributes:
        toolkits: (t,) ids.
        sums: (t, dim) float32, sum of the members' vectors.
        counts: (t,) int64, members that have a vector.
    """

    def __init__(
        self,
        toolkits: Sequence[ToolkitId],
        sums: NDArray[np.float32],
        counts: NDArray[np.int64],
    ) -> None:
        self.toolkits = tuple(toolkits)
        self.sums = sums
        self.counts = counts
        self._row = {toolkit: row for row, toolkit in enumerate(self.toolkits)}
        self._cohesions: Sequence[float] = ()

    def renew(self, newer: "ToolkitSums") -> None:
        """Take the sums of some toolkits, known and new ones, from a later reading."""
        new = [toolkit for toolkit in newer.toolkits if toolkit not in self._row]
        for toolkit in new:
            self._row[toolkit] = len(self._row)
        if new:
            self.toolkits = (*self.toolkits, *new)
            blank = np.zeros((len(new), self.sums.shape[1]), np.float32)
            self.sums = np.concatenate([self.sums, blank])
            self.counts = np.concatenate([self.counts, np.zeros(len(new), np.int64)])
        rows = [self._row[toolkit] for toolkit in newer.toolkits]
        self.sums[rows], self.counts[rows] = newer.sums, newer.counts
        self._cohesions = ()

    def cohesion(self, toolkit: ToolkitId) -> float | None:
        """Mean cosine of the members to their centroid, 0 to 1; None if it is not known."""
        row = self._row.get(toolkit)
        if row is None or not self.counts[row]:
            return None
        # All at once: a list that is sorted by it asks for thousands.
        if not self._cohesions:
            self._cohesions = mean_cosines(self.sums, self.counts).tolist()
        return self._cohesions[row]

    def cohesion_of_all(self, toolkits: Iterable[ToolkitId]) -> float | None:
        """The cohesion that these toolkits would have as one; None if none is known."""
        rows = [self._row[toolkit] for toolkit in toolkits if toolkit in self._row]
        count = self.counts[rows].sum(keepdims=True)
        if not count[0]:
            return None
        return float(mean_cosines(self.sums[rows].sum(axis=0, keepdims=True), count)[0])

    def similarity(self, one: ToolkitId, other: ToolkitId) -> float | None:
        """Cosine of the centroids of two toolkits; None if one is not known."""
        if one not in self._row or other not in self._row:
            return None
        return float(unit(self.sums[self._row[one]]) @ unit(self.sums[self._row[other]]))

    def nearest(self, toolkit: ToolkitId, n: int) -> list[Similar]:
        """The toolkits most similar to one, itself left out."""
        row = self._row.get(toolkit)
        return [] if row is None else self._ranked(self.sums[row], n, without=row)

    def nearest_to(self, vector: NDArray[np.float32], n: int) -> list[Similar]:
        """The toolkits most similar to a vector (dim,) of any length, the best first."""
        return self._ranked(vector, n) if len(vector) == self.sums.shape[1] else []

    def _ranked(self, vector: NDArray[np.float32], n: int, *, without: int = -1) -> list[Similar]:
        near = nearest_groups(self.sums, self.counts, vector, most=n, without=without)
        return [Similar(self.toolkits[row], cosine) for row, cosine in near]


NO_SUMS = ToolkitSums((), np.zeros((0, 0), np.float32), np.zeros(0, np.int64))
"""Before anything is embedded."""


def toolkit_sums(
    workspace: Workspace, toolkits: Collection[ToolkitId] | None = None
) -> ToolkitSums | None:
    """The sums of these toolkits, or of all; None before anything is embedded.

    What is stored is read (5,000 toolkits: 20 ms); what is not is worked out (45,000 APIs: about a
    second) and stored.
    """
    embedder: str | None = get_setting(workspace, "active_embedder")
    if embedder is None:
        return None
    state = sums_state(workspace.reader(), embedder)
    dim = embedder_state(workspace, embedder).dim
    if toolkits is not None:
        known = ToolkitSums((), np.zeros((0, dim), np.float32), np.zeros(0, np.int64))
        missing = sorted(toolkits)
    else:
        stored = load_sums(workspace, embedder, dim)
        known = ToolkitSums(stored.toolkits, stored.sums, stored.counts)
        missing = sorted(set(toolkits_with_members(workspace)).difference(stored.toolkits))
    if missing:
        found = _work_out(workspace, embedder, dim, missing)
        if found.counts.sum() >= WORTH_STORING:
            queue_sums(workspace, embedder, state, found)
        known.renew(ToolkitSums(found.toolkits, found.sums, found.counts))
    return known


def _work_out(
    workspace: Workspace, embedder: str, dim: int, toolkits: Sequence[ToolkitId]
) -> StoredSums:
    """Sums from the vectors of the members of some toolkits."""
    place = {toolkit: i for i, toolkit in enumerate(toolkits)}
    members = memberships(workspace, toolkits)
    sums = np.zeros((len(toolkits), dim), dtype=np.float32)
    counts = np.zeros(len(toolkits), dtype=np.int64)
    for begin in range(0, len(members), _BLOCK):
        chunk = members[begin : begin + _BLOCK]
        rows = np.fromiter((place[toolkit] for _, toolkit in chunk), np.int64, len(chunk))
        vectors, missing = load_vectors(workspace, embedder, [rowid for rowid, _ in chunk])
        np.add.at(sums, rows, vectors)
        is_there = np.ones(len(chunk), dtype=np.bool_)
        is_there[missing] = False
        counts += np.bincount(rows[is_there], minlength=len(toolkits))
    return StoredSums(toolkits, counts, sums)


def sum_of_apis(workspace: Workspace, rowids: Sequence[int]) -> tuple[NDArray[np.float32], int]:
    """The sum (dim,) float32 of the vectors of some APIs, and how many have one."""
    embedder: str | None = get_setting(workspace, "active_embedder")
    if embedder is None:
        return np.zeros(0, dtype=np.float32), 0
    vectors, missing = load_vectors(workspace, embedder, rowids)
    return vectors.sum(axis=0), len(rowids) - len(missing)
