"""Sums of the vectors of toolkits as they are stored: true whenever they are there.

Triggers of the schema remove the rows of toolkits whose members or vectors change, so a reader
works out only what is missing. Used by `curation/grouping/toolkit_sums.py`.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace.search_index import CatalogueState, catalogue_state
from toolplanner_core.workspace.workspace import Workspace

_FLOAT = np.dtype("<f4")


class SumsState(NamedTuple):
    """Changes whenever a sum that was worked out may be of before a change."""

    catalogue: CatalogueState
    toolkits_version: str


class StoredSums(NamedTuple):
    """Sums by toolkit.

    Attributes:
        toolkits: t ids.
        counts: (t,) int64, members that have a vector.
        sums: (t, dim) float32.
    """

    toolkits: Sequence[ToolkitId]
    counts: NDArray[np.int64]
    sums: NDArray[np.float32]


def sums_state(db: Database, embedder: str) -> SumsState:
    """What the workspace stands at; read it before the vectors."""
    row = db.execute("SELECT value FROM settings WHERE key = 'toolkits_version'").fetchone()
    return SumsState(catalogue_state(db, embedder), "" if row is None else str(row[0]))


def load_sums(workspace: Workspace, embedder: str, dim: int) -> StoredSums:
    """All sums that are there for an embedder."""
    rows = (
        workspace.reader()
        .execute(
            "SELECT toolkit_id, known, total FROM toolkit_sums WHERE embedder = ? ORDER BY 1",
            [embedder],
        )
        .fetchall()
    )
    return StoredSums(
        [ToolkitId(row[0]) for row in rows],
        np.fromiter((row[1] for row in rows), np.int64, len(rows)),
        np.frombuffer(b"".join(row[2] for row in rows), _FLOAT).reshape(-1, dim).copy(),
    )


def queue_sums(workspace: Workspace, embedder: str, state: SumsState, found: StoredSums) -> None:
    """Store sums that were worked out at `state`, unless something has changed since. Does not
    wait."""
    raw = np.ascontiguousarray(found.sums, _FLOAT)
    rows = [
        (toolkit, embedder, count, own.tobytes())
        for toolkit, count, own in zip(found.toolkits, found.counts.tolist(), raw, strict=True)
        if count
    ]

    def work(db: Database) -> None:
        if sums_state(db, embedder) == state:
            db.conn.executemany("INSERT OR REPLACE INTO toolkit_sums VALUES(?, ?, ?, ?)", rows)

    workspace.writer.submit(work)


def toolkits_with_members(workspace: Workspace) -> list[ToolkitId]:
    """Ids of the toolkits that have members, rising."""
    rows = workspace.reader().execute("SELECT DISTINCT toolkit_id FROM toolkit_members ORDER BY 1")
    return [ToolkitId(row[0]) for row in rows]


def memberships(workspace: Workspace, toolkits: Sequence[ToolkitId]) -> list[tuple[int, ToolkitId]]:
    """Row ids of the APIs of some toolkits, each with its toolkit, by row id."""
    rows = workspace.reader().execute(
        "SELECT m.api_rowid, m.toolkit_id FROM json_each(?) j"
        " CROSS JOIN toolkit_members m ON m.toolkit_id = j.value ORDER BY m.api_rowid",
        [json.dumps(toolkits)],
    )
    return [(row[0], ToolkitId(row[1])) for row in rows]
