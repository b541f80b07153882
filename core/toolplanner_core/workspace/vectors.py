"""Vectors of the APIs' functionality texts, and the embedders that made them.

Vectors are stored once per (embedder, text hash): APIs with the same text share a row, and a
changed text simply has no vector yet.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.words.window_places import MAKE_VECTORS
from toolplanner_core.workspace.rows import FLOAT, dump, read_one, read_rows
from toolplanner_core.workspace.workspace import Workspace


class LoadedVectors(NamedTuple):
    """Vectors in the order asked for.

    Attributes:
        vectors: (n, dim) float32, rows of length 1; zeros where missing.
        missing: (m,) int64, positions without a vector, ascending.
    """

    vectors: NDArray[np.float32]
    missing: NDArray[np.int64]


class TextToEmbed(NamedTuple):
    """A distinct text that has no vector yet."""

    text_hash: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderState:
    """An embedder as it is stored.

    Attributes:
        id: storage id, such as "minilm" or "lsa@3f9a…".
        kind: id of the plug-in that opens it.
        dim: length of its vectors.
        state: fitted state (npz without pickle), None if it has none.
    """

    id: str
    kind: str
    dim: int
    state: bytes | None


def load_vectors(workspace: Workspace, embedder_id: str, rowids: Sequence[int]) -> LoadedVectors:
    """The vectors of these APIs, in this order.

    Args:
        rowids: row ids of APIs; may repeat.

    Raises:
        NotFound: the workspace has no such embedder.
    """
    dim = embedder_state(workspace, embedder_id).dim
    vectors = np.zeros((len(rowids), dim), dtype=np.float32)
    is_there = np.zeros(len(rowids), dtype=np.bool_)
    rows = workspace.reader().execute(
        "SELECT j.key, v.vector FROM json_each(?) j JOIN apis a ON a.rowid = j.value"
        " JOIN vectors v ON v.embedder = ? AND v.text_hash = a.text_hash",
        [dump(list(rowids)), embedder_id],
    )
    for position, blob in rows:
        vectors[position] = np.frombuffer(blob, dtype=FLOAT)
        is_there[position] = True
    return LoadedVectors(vectors, np.flatnonzero(~is_there))


def store_vectors(
    workspace: Workspace,
    embedder_id: str,
    text_hashes: Sequence[str],
    vectors: NDArray[np.float32],
) -> None:
    """Store vectors under the hashes of their texts, in one transaction; waits until they are in.

    Args:
        text_hashes: (n,) hashes; a vector that is there already is replaced.
        vectors: (n, dim) float32.
    """
    raw = np.ascontiguousarray(vectors, dtype=FLOAT)
    rows = [
        (embedder_id, text_hash, row.tobytes())
        for text_hash, row in zip(text_hashes, raw, strict=True)
    ]

    def work(db: Database) -> None:
        db.conn.executemany("INSERT OR REPLACE INTO vectors VALUES(?, ?, ?)", rows)

    workspace.writer.run(work)


def texts_without_vector(workspace: Workspace, embedder_id: str) -> list[TextToEmbed]:
    """The distinct functionality texts that this embedder has not encoded, in catalogue order."""
    rows = workspace.reader().execute(
        "SELECT a.text_hash, a.functionality FROM apis a WHERE NOT EXISTS"
        " (SELECT 1 FROM vectors v WHERE v.embedder = ? AND v.text_hash = a.text_hash)"
        " GROUP BY a.text_hash ORDER BY min(a.rowid)",
        [embedder_id],
    )
    return [TextToEmbed(*row) for row in rows]


def count_without_vector(workspace: Workspace, embedder_id: str) -> int:
    """How many distinct functionality texts this embedder has not encoded."""
    row = workspace.one_row(
        "SELECT count(DISTINCT text_hash) FROM apis a WHERE NOT EXISTS"
        " (SELECT 1 FROM vectors v WHERE v.embedder = ? AND v.text_hash = a.text_hash)",
        [embedder_id],
    )
    return int(row[0])


def texts_of_catalogue(workspace: Workspace) -> list[TextToEmbed]:
    """All distinct functionality texts in catalogue order; what an embedder is fitted on."""
    rows = workspace.reader().execute(
        "SELECT text_hash, functionality FROM apis GROUP BY text_hash ORDER BY min(rowid)"
    )
    return [TextToEmbed(*row) for row in rows]


def texts_of_rowids(workspace: Workspace, rowids: Sequence[int]) -> list[TextToEmbed]:
    """The distinct functionality texts of these APIs."""
    rows = workspace.reader().execute(
        "SELECT text_hash, functionality FROM apis"
        " WHERE rowid IN (SELECT value FROM json_each(?)) GROUP BY text_hash ORDER BY min(rowid)",
        [dump(list(rowids))],
    )
    return [TextToEmbed(*row) for row in rows]


def embedder_state(workspace: Workspace, embedder_id: str) -> EmbedderState:
    """An embedder by its storage id.

    Raises:
        NotFound: the workspace has no such embedder.
    """
    return read_one(
        workspace.reader(),
        EmbedderState,
        "SELECT * FROM embedders WHERE id = ?",
        [embedder_id],
        missing=f"This workspace has no vectors of the embedder {embedder_id!r}",
        todo=MAKE_VECTORS,
    )


def stored_embedders(workspace: Workspace) -> list[EmbedderState]:
    """All embedders of this workspace, newest first."""
    sql = "SELECT * FROM embedders ORDER BY created_us DESC, id"
    return read_rows(workspace.reader(), EmbedderState, sql)


def put_embedder_state(workspace: Workspace, state: EmbedderState) -> None:
    """Store an embedder; one that is there already is left as it is."""
    now_us = time.time_ns() // 1000
    workspace.writer.run(
        lambda db: db.execute(
            "INSERT OR IGNORE INTO embedders VALUES(?, ?, ?, ?, ?)",
            [state.id, state.kind, state.dim, state.state, now_us],
        )
    )


def count_of_texts(workspace: Workspace) -> int:
    """Number of distinct functionality texts."""
    row = workspace.one_row("SELECT count(DISTINCT text_hash) FROM apis")
    return int(row[0])
