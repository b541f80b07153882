"""Stored nearest neighbours: computed once per point set and embedder, never changed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.workspace.rows import FLOAT, INT, as_stored
from toolplanner_core.workspace.settings import put_setting
from toolplanner_core.workspace.workspace import Workspace


class StoredNeighbours(NamedTuple):
    """Nearest neighbours of a point set, as of `clustering/neighbours.py`: (n, k) each."""

    indices: NDArray[np.int32]
    distances: NDArray[np.float32]


def find_neighbours(
    workspace: Workspace, point_set: int, embedder: str, k: int
) -> StoredNeighbours | None:
    """What is stored for these, None if nothing is."""
    row = workspace.one_row(
        "SELECT indices, distances FROM neighbours WHERE point_set = ? AND embedder = ? AND k = ?",
        [point_set, embedder, k],
    )
    if row is None:
        return None
    indices, distances = np.frombuffer(row[0], dtype=INT), np.frombuffer(row[1], dtype=FLOAT)
    return StoredNeighbours(indices.reshape(-1, k), distances.reshape(-1, k))


def active_neighbours(
    workspace: Workspace, embedder: str, k: int
) -> tuple[int, StoredNeighbours] | None:
    """The point set of the active neighbours with them, if they are of this embedder and width."""
    row = workspace.one_row(
        "SELECT point_set FROM neighbours WHERE embedder = ? AND k = ? AND id ="
        " (SELECT value FROM settings WHERE key = 'active_neighbours')",
        [embedder, k],
    )
    if row is None:
        return None
    found = find_neighbours(workspace, row[0], embedder, k)
    return None if found is None else (int(row[0]), found)


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
    rowids = np.frombuffer(row[2], dtype=INT)
    places = np.flatnonzero(rowids == rowid)
    if not len(places):
        return []
    width = int(row[1]) * INT.itemsize
    begin = int(places[0]) * width + 1  # SQLite counts bytes from one
    found = workspace.one_row(
        "SELECT substr(indices, ?, ?), substr(distances, ?, ?) FROM neighbours WHERE id = ?",
        [begin, width, begin, width, row[0]],
    )
    near = rowids[np.frombuffer(found[0], dtype=INT)]
    cosines = 1 - np.frombuffer(found[1], dtype=FLOAT)
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
) -> None:
    """Store them and make them the active ones; waits until they are on disk.

    Those of other points that no map and no clustering was made of are dropped: each accepted
    description makes another set of points.

    Args:
        indices: (n, k) int32.
        distances: (n, k) float32.
    """
    row = [point_set, embedder, indices.shape[1], as_stored(indices), as_stored(distances)]

    def work(db: Database) -> None:
        number = db.execute(
            "INSERT INTO neighbours(point_set, embedder, k, indices, distances)"
            " VALUES(?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET indices = excluded.indices,"
            " distances = excluded.distances RETURNING id",
            row,
        ).fetchone()[0]
        put_setting(db, "active_neighbours", number)
        db.execute(
            "DELETE FROM neighbours WHERE id <> ? AND embedder = ?"
            " AND point_set NOT IN (SELECT point_set FROM layouts"
            " UNION SELECT point_set FROM clusterings)",
            [number, embedder],
        )

    workspace.writer.run(work)
