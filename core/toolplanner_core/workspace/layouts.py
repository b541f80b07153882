"""Stored layouts: where each point of a set lies on the map, never changed."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.errors import NotFound
from toolplanner_core.workspace.settings import put_setting
from toolplanner_core.workspace.workspace import Workspace

_FLOAT = np.dtype("<f4")


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
        [point_set, embedder, method, _json(options)],
    )
    return None if row is None else load_layout(workspace, row[0])


def load_layout(workspace: Workspace, layout: int) -> StoredLayout:
    """A stored layout.

    Raises:
        NotFound: there is none with this id.
    """
    row = workspace.one_row(
        "SELECT point_set, embedder, method, options, xy FROM layouts WHERE id = ?", [layout]
    )
    if row is None:
        raise NotFound(f"There is no layout {layout}", todo="Make one with: toolplanner layout")
    return StoredLayout(
        id=layout,
        point_set=row[0],
        embedder=row[1],
        method=row[2],
        options=json.loads(row[3]),
        xy=np.frombuffer(row[4], dtype=_FLOAT).reshape(-1, 2),
    )


def put_layout(workspace: Workspace, layout: StoredLayout) -> int:
    """Store a layout and make it the active one; waits until it is on disk. Its row id."""

    def work(db: Database) -> int:
        row = db.execute(
            "INSERT INTO layouts(point_set, embedder, method, options, xy, created_us)"
            " VALUES(?, ?, ?, ?, ?, ?) RETURNING id",
            [
                layout.point_set,
                layout.embedder,
                layout.method,
                _json(layout.options),
                np.ascontiguousarray(layout.xy, dtype=_FLOAT).tobytes(),
                time.time_ns() // 1000,
            ],
        ).fetchone()
        put_setting(db, "active_layout", row[0])
        return int(row[0])

    return workspace.writer.run(work)


def _json(options: Mapping[str, Any]) -> str:
    return json.dumps(dict(options), sort_keys=True)
