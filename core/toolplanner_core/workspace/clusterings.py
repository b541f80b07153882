"""Stored clusterings: which group each point of a set was given, never changed.

Toolkits are made from a clustering and then live on their own (`workspace/toolkit_writing.py`).
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.workspace.rows import as_key, insert, read_row, row_of
from toolplanner_core.workspace.workspace import Workspace


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
