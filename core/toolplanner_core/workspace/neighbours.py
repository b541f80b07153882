"""Stored nearest neighbours: computed once per point set and embedder, never changed."""

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
    row = workspace.one_row(
        "SELECT id, k, indices, distances FROM neighbours"
        " WHERE point_set = ? AND embedder = ? AND k = ?",
        [point_set, embedder, k],
    )
    if row is None:
        return None
    return StoredNeighbours(
        id=row[0],
        indices=np.frombuffer(row[2], dtype=_INT).reshape(-1, row[1]),
        distances=np.frombuffer(row[3], dtype=_FLOAT).reshape(-1, row[1]),
    )


def neighbours_of_api(workspace: Workspace, rowid: int) -> list[tuple[int, float]]:
    """Row ids of the stored nearest neighbours of one API with their cosines, the nearest first.

    Reads a few hundred bytes, not the whole arrays. Empty before a layout or clustering stored any.
    """
    row = workspace.one_row(
        "SELECT n.id, n.k, p.api_rowids FROM neighbours n JOIN point_sets p"
        " ON p.id = n.point_set WHERE n.id ="
        " (SELECT value FROM settings WHERE key = 'active_neighbours')"
    )
    if row is None:
        return []
    rowids = np.frombuffer(row[2], dtype=_INT)
    places = np.flatnonzero(rowids == rowid)
    if not len(places):
        return []
    width = int(row[1]) * _INT.itemsize
    begin = int(places[0]) * width + 1  # SQLite counts bytes from one
    found = workspace.one_row(
        "SELECT substr(indices, ?, ?), substr(distances, ?, ?) FROM neighbours WHERE id = ?",
        [begin, width, begin, width, row[0]],
    )
    near = rowids[np.frombuffer(found[0], dtype=_INT)]
    cosines = 1 - np.frombuffer(found[1], dtype=_FLOAT)
    return [
        (int(other), float(cosine))
        for other, cosine in zip(near, cosines, strict=True)
        if other != rowid
    ]


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
