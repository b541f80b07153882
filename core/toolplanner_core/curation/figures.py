"""Sums of the vectors of toolkits: from them follow cohesion, similarity and what a merge would do.

A toolkit's centroid, its cohesion and the cohesion of several together need nothing but the sum of
the members' vectors and their number; 5,000 toolkits are 8 MB. The window keeps them and asks
again only for those that an edit touched. Blocks; not for the GUI thread.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import labels_by_rowid, member_rowids
from toolplanner_core.workspace.vectors import load_vectors

_BLOCK = 8192
"""APIs whose vectors are held at once: 12 MB."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolkitSums:
    """Sums by toolkit.

    Attributes:
        toolkits: (t,) ids.
        sums: (t, dim) float32, sum of the members' vectors.
        counts: (t,) int64, members that have a vector.
    """

    toolkits: tuple[ToolkitId, ...]
    sums: NDArray[np.float32]
    counts: NDArray[np.int64]


def toolkit_sums(
    workspace: Workspace, toolkits: Collection[ToolkitId] | None = None
) -> ToolkitSums | None:
    """The sums of these toolkits, or of all; None before anything is embedded.

    45,000 APIs take about a second, a toolkit of ten a millisecond.
    """
    embedder: str | None = get_setting(workspace, "active_embedder")
    if embedder is None:
        return None
    if toolkits is None:
        owners = labels_by_rowid(workspace)
        rowids = list(owners)
        of = list(owners.values())
        ids = sorted(set(of))
    else:
        ids = sorted(toolkits)
        members = [(rowid, t) for t in ids for rowid in member_rowids(workspace, t)]
        rowids = [rowid for rowid, _ in members]
        of = [toolkit for _, toolkit in members]
    place = {toolkit: i for i, toolkit in enumerate(ids)}
    rows = np.fromiter((place[toolkit] for toolkit in of), np.int64, len(of))
    dim = load_vectors(workspace, embedder, []).vectors.shape[1]
    sums = np.zeros((len(ids), dim), dtype=np.float32)
    counts = np.zeros(len(ids), dtype=np.int64)
    for begin in range(0, len(rowids), _BLOCK):
        chunk = rows[begin : begin + _BLOCK]
        vectors, missing = load_vectors(workspace, embedder, rowids[begin : begin + _BLOCK])
        np.add.at(sums, chunk, vectors)
        is_there = np.ones(len(chunk), dtype=np.bool_)
        is_there[missing] = False
        counts += np.bincount(chunk[is_there], minlength=len(ids))
    return ToolkitSums(toolkits=tuple(ids), sums=sums, counts=counts)


def sum_of_apis(workspace: Workspace, rowids: Sequence[int]) -> tuple[NDArray[np.float32], int]:
    """The sum (dim,) float32 of the vectors of some APIs, and how many have one."""
    embedder: str | None = get_setting(workspace, "active_embedder")
    if embedder is None:
        return np.zeros(0, dtype=np.float32), 0
    vectors, missing = load_vectors(workspace, embedder, rowids)
    return vectors.sum(axis=0), len(rowids) - len(missing)
