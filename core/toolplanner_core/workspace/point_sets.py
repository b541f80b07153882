"""Point sets (APIs with their texts, in order), and the neighbours, clusterings and layouts of
them.

Neighbours, clusterings and layouts hold arrays by position; a point set says which API each
position is. It is never changed: other APIs, or an API whose text has changed, make another set, so
a result that was computed for a set stays true of it.

Toolkits are made from a clustering and then live on their own (`workspace/toolkit_replacement.py`).
"""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import NotFound
from toolplanner_core.words.window_places import MAKE_LAYOUT
from toolplanner_core.workspace.rows import (
    FLOAT,
    INT,
    as_key,
    as_stored,
    insert,
    read_one,
    read_row,
    row_of,
)
from toolplanner_core.workspace.settings import put_setting
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointSet:
    """APIs in a fixed order.

    Attributes:
        id: its row.
        rowids: (n,) int32, row ids of APIs.
    """

    id: int
    rowids: NDArray[np.int32]


def ensure_point_set(workspace: Workspace, rowids: Sequence[int]) -> PointSet:
    """The point set of these APIs with their texts as they are now; stored if it is new.

    Args:
        rowids: row ids of existing APIs, in the order wanted.
    """
    array = np.asarray(rowids, dtype=INT)
    digest = hashlib.sha256(array.tobytes())
    # The texts are part of it: vectors belong to texts, and a re-import can change one.
    rows = workspace.reader().execute(
        "SELECT a.text_hash FROM json_each(?) j JOIN apis a ON a.rowid = j.value ORDER BY j.key",
        [json.dumps(array.tolist())],
    )
    for (text_hash,) in rows:
        digest.update(str(text_hash).encode())
    found = digest.hexdigest()

    def work(db: Database) -> int:
        db.execute(
            "INSERT OR IGNORE INTO point_sets(hash, n, api_rowids) VALUES(?, ?, ?)",
            [found, len(array), array.tobytes()],
        )
        return int(db.execute("SELECT id FROM point_sets WHERE hash = ?", [found]).fetchone()[0])

    row = workspace.one_row("SELECT id FROM point_sets WHERE hash = ?", [found])
    point_set = int(row[0]) if row is not None else workspace.writer.run(work)
    return PointSet(id=point_set, rowids=array)


def load_point_set(workspace: Workspace, point_set: int) -> PointSet:
    """A stored point set.

    Raises:
        NotFound: there is none with this id.
    """
    row = workspace.one_row("SELECT api_rowids FROM point_sets WHERE id = ?", [point_set])
    if row is None:
        raise NotFound(f"There is no point set {point_set}")
    return PointSet(id=point_set, rowids=np.frombuffer(row[0], dtype=INT))


class StoredNeighbours(NamedTuple):
    """Nearest neighbours of a point set, as of `clustering/neighbours.py`: (n, k) each."""

    indices: NDArray[np.int32]
    distances: NDArray[np.float32]


def stored_neighbours(
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
    found = stored_neighbours(workspace, row[0], embedder, k)
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredClustering:
    """A clustering as it is stored.

    Attributes:
        id: its row; 0 before it is stored.
        options: of the plug-in, and the seed.
        labels: (n,) int32, 0 ... without gaps, -1 for none.
        silhouette: -1 to 1, None with fewer than two groups.
    """

    id: int = 0
    point_set: int
    embedder: str
    method: str
    options: Mapping[str, Any]
    labels: NDArray[np.int32]
    silhouette: float | None

    @property
    def n_clusters(self) -> int:
        """Number of groups."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def noise(self) -> int:
        """Number of points in no group."""
        return int((self.labels < 0).sum())


def find_clustering(
    workspace: Workspace, *, point_set: int, embedder: str, method: str, options: Mapping[str, Any]
) -> StoredClustering | None:
    """The newest clustering that was made with the same inputs, None if there is none."""
    return read_row(
        workspace.reader(),
        StoredClustering,
        "SELECT * FROM clusterings WHERE point_set = ? AND embedder = ? AND method = ?"
        " AND options = ? ORDER BY id DESC LIMIT 1",
        [point_set, embedder, method, as_key(options)],
    )


def put_clustering(db: Database, clustering: StoredClustering) -> int:
    """Store one inside a writer's transaction; its row id."""
    row = row_of(clustering, without=("id",)) | {
        "options": as_key(clustering.options),
        "n_clusters": clustering.n_clusters,
        "noise": clustering.noise,
        "created_us": time.time_ns() // 1000,
    }
    return insert(db, "clusterings", row)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredLayout:
    """A layout as it is stored.

    Attributes:
        id: its row; 0 before it is stored.
        options: of the plug-in, the seed, "labels" (hash of the toolkits it used, "" if none) and
            "legend" (what nearness means, for people).
        xy: (n, 2) float32.
    """

    id: int = 0
    point_set: int
    embedder: str
    method: str
    options: Mapping[str, Any]
    xy: NDArray[np.float32]


def find_layout(
    workspace: Workspace, *, point_set: int, embedder: str, method: str, options: Mapping[str, Any]
) -> StoredLayout | None:
    """The newest layout that was made with the same inputs, None if there is none."""
    row = workspace.one_row(
        "SELECT id FROM layouts WHERE point_set = ? AND embedder = ? AND method = ?"
        " AND options = ? ORDER BY id DESC LIMIT 1",
        [point_set, embedder, method, as_key(options)],
    )
    return None if row is None else load_layout(workspace, row[0])


def load_layout(workspace: Workspace, layout: int) -> StoredLayout:
    """A stored layout.

    Raises:
        NotFound: there is none with this id.
    """
    missing, todo = f"There is no layout {layout}", MAKE_LAYOUT
    sql = "SELECT * FROM layouts WHERE id = ?"
    db = workspace.reader()
    found = read_one(db, StoredLayout, sql, [layout], missing=missing, todo=todo)
    return replace(found, xy=found.xy.reshape(-1, 2))


def put_layout(workspace: Workspace, layout: StoredLayout) -> int:
    """Store a layout and make it the active one; waits until it is on disk. Its row id."""

    def work(db: Database) -> int:
        made = {"options": as_key(layout.options), "created_us": time.time_ns() // 1000}
        number = insert(db, "layouts", row_of(layout, without=("id",)) | made)
        put_setting(db, "active_layout", number)
        return number

    return workspace.writer.run(work)


class Placement(NamedTuple):
    """Where a new API came to lie.

    Attributes:
        toolkit: the toolkit it fits best, whether it was put there or not; None without any.
        confidence: 0 to 1: share of such answers that are right.
    """

    rowid: int
    toolkit: ToolkitId | None
    confidence: float


def put_placements(db: Database, placements: Sequence[Placement]) -> None:
    """Store them; inside a writer's transaction."""
    now_us = time.time_ns() // 1000
    db.conn.executemany(
        "INSERT OR REPLACE INTO placed_apis(api_rowid, toolkit, confidence, placed_us)"
        " VALUES(?, ?, ?, ?)",
        [(p.rowid, p.toolkit, p.confidence, now_us) for p in placements],
    )


def load_placements(workspace: Workspace) -> dict[int, Placement]:
    """All of them, by API row id."""
    rows = workspace.reader().execute("SELECT api_rowid, toolkit, confidence FROM placed_apis")
    return {row[0]: Placement(*row) for row in rows}


def last_placed(workspace: Workspace) -> list[int]:
    """Row ids of the APIs that were placed last, all at once."""
    newest = "(SELECT max(placed_us) FROM placed_apis)"
    rows = workspace.reader().execute(
        f"SELECT api_rowid FROM placed_apis WHERE placed_us = {newest} ORDER BY api_rowid"
    )
    return [row[0] for row in rows]


def has_placements(workspace: Workspace) -> bool:
    """Whether any API was ever put beside the others."""
    return workspace.one_row("SELECT 1 FROM placed_apis LIMIT 1") is not None
