"""Sums of the vectors of toolkits, and how central each API is in its toolkit.

Lists of members and the planner's candidates are ordered by it.

Triggers of the schema remove the rows of toolkits whose members or vectors change, so a reader
works out only what is missing.
"""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace.rows import FLOAT
from toolplanner_core.workspace.search_index import CatalogueState, catalogue_state
from toolplanner_core.workspace.workspace import Workspace

_AT_ONCE = 500
"""Toolkits whose vectors are held at once: some 5 MB."""
_CLOSE = 1e-5
"""Sums of the same vectors in another order differ by less."""


class _Members(NamedTuple):
    """Members of toolkits, those of one side by side.

    Attributes:
        toolkits, rowids, stored: (n,) with the centralities as they are in the file.
        cosines: (n,) as they should be; 0 without a vector of the active embedder.
    """

    toolkits: NDArray[np.int64]
    rowids: NDArray[np.int64]
    stored: NDArray[np.float64]
    cosines: NDArray[np.float32]


def refresh_centrality(db: Database, toolkits: Iterable[ToolkitId]) -> None:
    """Compute it again for the members of these toolkits; inside a writer's transaction.

    APIs without a vector of the active embedder get 0. About 5 ms for 100 members.
    """
    wanted = sorted(toolkits)
    if not wanted:
        return
    found = _members(db, wanted)
    db.conn.executemany(
        "UPDATE toolkit_members SET centrality = ? WHERE api_rowid = ?",
        list(zip(found.cosines.tolist(), found.rowids.tolist(), strict=True)),
    )


def refresh_stale_centralities(workspace: Workspace) -> None:
    """Compute again those that are not of the texts and the embedder of now; blocks, half a second
    for 45,000 members.

    Found by comparing, not by remembering what was encoded: a text may have got its vector in an
    embedding that was cancelled, or have had it before it changed back, and another embedder
    changes them all.
    """
    db = workspace.reader()
    rows = db.execute("SELECT DISTINCT toolkit_id FROM toolkit_members ORDER BY 1").fetchall()
    stale: set[int] = set()
    for begin in range(0, len(rows), _AT_ONCE):
        found = _members(db, [ToolkitId(row[0]) for row in rows[begin : begin + _AT_ONCE]])
        stale.update(found.toolkits[np.abs(found.cosines - found.stored) > _CLOSE].tolist())
    if stale:
        toolkits = [ToolkitId(number) for number in stale]
        workspace.writer.run(lambda db: refresh_centrality(db, toolkits))


def _members(db: Database, toolkits: Sequence[ToolkitId]) -> _Members:
    """The members of these toolkits, which are in rising order."""
    rows = db.execute(
        "SELECT m.toolkit_id, m.api_rowid, m.centrality, v.vector FROM json_each(?) j"
        " CROSS JOIN toolkit_members m ON m.toolkit_id = j.value"
        " JOIN apis a ON a.rowid = m.api_rowid"
        " LEFT JOIN vectors v ON v.text_hash = a.text_hash AND v.embedder ="
        "  (SELECT json_extract(value, '$') FROM settings WHERE key = 'active_embedder')"
        " ORDER BY m.toolkit_id",
        [json.dumps(toolkits)],
    ).fetchall()
    numbers = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    is_known = np.fromiter((row[3] is not None for row in rows), np.bool_, len(rows))
    cosines = np.zeros(len(rows), np.float32)
    if is_known.any():
        vectors = np.frombuffer(b"".join(row[3] for row in rows if row[3] is not None), FLOAT)
        cosines[is_known] = _cosines_to_centroid(
            vectors.reshape(int(is_known.sum()), -1), numbers[is_known]
        )
    return _Members(
        numbers,
        np.fromiter((row[1] for row in rows), np.int64, len(rows)),
        np.fromiter((row[2] for row in rows), np.float64, len(rows)),
        cosines,
    )


def _cosines_to_centroid(
    vectors: NDArray[np.float32], groups: NDArray[np.int64]
) -> NDArray[np.float32]:
    """(n,) float32.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        groups: (n,) ascending: equal numbers are one toolkit.
    """
    begins = np.flatnonzero(np.diff(groups, prepend=groups[0] - 1))
    sums = np.add.reduceat(vectors, begins, axis=0)
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    sizes = np.diff(np.append(begins, len(groups)))
    return np.einsum("ij,ij->i", vectors, np.repeat(sums, sizes, axis=0))


def most_central(db: Database, groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """The row ids of each group, most central first, as if each were a toolkit; those without a
    vector of the active embedder last."""
    found = [(group, rowid) for group, rowids in enumerate(groups) for rowid in rowids]
    rows = db.execute(
        "SELECT v.vector FROM json_each(?) j JOIN apis a ON a.rowid = j.value"
        " LEFT JOIN vectors v ON v.text_hash = a.text_hash AND v.embedder ="
        "  (SELECT json_extract(value, '$') FROM settings WHERE key = 'active_embedder')"
        " ORDER BY j.key",
        [json.dumps([rowid for _, rowid in found])],
    ).fetchall()
    known = [(place, row[0]) for place, row in enumerate(rows) if row[0] is not None]
    cosines = [-1.0] * len(found)
    if known:
        numbers = np.array([found[place][0] for place, _ in known])
        vectors = np.frombuffer(b"".join(vector for _, vector in known), dtype=FLOAT)
        near = _cosines_to_centroid(vectors.reshape(len(known), -1), numbers)
        for (place, _), cosine in zip(known, near.tolist(), strict=True):
            cosines[place] = cosine
    ordered: list[list[int]] = [[] for _ in groups]
    for place in sorted(range(len(found)), key=lambda place: -cosines[place]):
        group, rowid = found[place]
        ordered[group].append(rowid)
    return ordered


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
