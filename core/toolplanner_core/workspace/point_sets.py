"""Point sets: which APIs, with which texts and in which order, an array is about.

Neighbours, clusterings and layouts hold arrays by position; a point set says which API each
position is. It is never changed: other APIs, or an API whose text has changed, make another set, so
a result that was computed for a set stays true of it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.errors import NotFound
from toolplanner_core.workspace.rows import INT
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
