"""Stored layouts: where each point of a set lies on the map, never changed."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.words.places import MAKE_LAYOUT
from toolplanner_core.workspace.rows import as_key, insert, read_one, row_of
from toolplanner_core.workspace.settings import put_setting
from toolplanner_core.workspace.workspace import Workspace


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
