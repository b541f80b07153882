"""Stored nearest neighbours: computed once per point set and embedder, never changed.

Callers: `curation/neighbours.py`, which computes what is missing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.workspace.settings import put_setting
from toolplanner_core.workspace.workspace import Workspace

_INT, _FLOAT = np.dtype("<i4"), np.dtype("<f4")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredNeighbours:
    """Exact nearest neighbours of the points of a set.

    Attributes:
        id: its row.
        indices: (n, k) int32, positions in the point set, itself first.
        distances: (n, k) float32, cosine distance.
    """

    id: int
    indices: NDArray[np.int32]
    distances: NDArray[np.float32]


def find_neighbours(
    workspace: Workspace, point_set: int, embedder: str, k: int
) -> StoredNeighbours | None:
    """What is stored for these, None if nothing is."""
    row = (
        workspace.reader()
        .execute(
            "SELECT id, k, indices, distances FROM neighbours"
            " WHERE point_set = ? AND embedder = ? AND k = ?",
            [point_set, embedder, k],
        )
        .fetchone()
    )
    if row is None:
        return None
    return StoredNeighbours(
        id=row[0],
        indices=np.frombuffer(row[2], dtype=_INT).reshape(-1, row[1]),
        distances=np.frombuffer(row[3], dtype=_FLOAT).reshape(-1, row[1]),
    )


def put_neighbours(
    workspace: Workspace,
    point_set: int,
    embedder: str,
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
) -> StoredNeighbours:
    """Store them and make them the active ones; waits until they are on disk.

    Args:
        indices: (n, k) int32.
        distances: (n, k) float32.
    """
    indices = np.ascontiguousarray(indices, dtype=_INT)
    distances = np.ascontiguousarray(distances, dtype=_FLOAT)

    def work(db: Database) -> int:
        row = db.execute(
            "INSERT INTO neighbours(point_set, embedder, k, indices, distances)"
            " VALUES(?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET indices = excluded.indices,"
            " distances = excluded.distances RETURNING id",
            [point_set, embedder, indices.shape[1], indices.tobytes(), distances.tobytes()],
        ).fetchone()
        put_setting(db, "active_neighbours", row[0])
        return int(row[0])

    stored = workspace.writer.run(work)
    return StoredNeighbours(id=stored, indices=indices, distances=distances)
