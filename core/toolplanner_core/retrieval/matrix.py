"""The vectors of the whole catalogue in memory, read again when they change.

Exact search: one product of 45,000 x 384 numbers takes about 10 ms, so there is no index that could
miss anything. It is done in blocks so small that OpenBLAS leaves them to this thread: shared among
two it waits for the other one, spinning, which costs 23 ms of the processors instead of 5 on 45,000
x 256 numbers and four texts, and more where other programs hold a core. Thread-safe.
"""

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.retrieval.kept_words import KeptWords, positions
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, tool_numbers
from toolplanner_core.workspace.search_index import CatalogueState, catalogue_state
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import load_vectors

_ONE_THREAD = 200_000
"""Multiplications of a product that OpenBLAS leaves to the calling thread: up to 262,144."""
_FEWEST_ROWS, _MOST_ROWS = 16, 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CatalogueVectors:
    """All APIs with their vectors.

    Attributes:
        state: what they were read at.
        rowids: (n,) int64, ascending.
        vectors: (n, dim) float32 of the active embedder, zeros where missing; None before `embed`.
        tools: (n,) int64 number of the tool of each.
        words: the full-text index over them.
    """

    state: CatalogueState
    rowids: NDArray[np.int64]
    vectors: NDArray[np.float32] | None
    tools: NDArray[np.int64]
    words: KeptWords

    def products(self, queries: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """(q, n) dot products with (q, dim) queries; None without vectors of this dimension."""
        if self.vectors is None or queries.shape[1] != self.vectors.shape[1]:
            return None
        found = np.empty((len(queries), len(self.vectors)), dtype=np.float32)
        rows = max(_FEWEST_ROWS, min(_MOST_ROWS, _ONE_THREAD // max(1, queries.size)))
        for begin in range(0, len(self.vectors), rows):
            block = self.vectors[begin : begin + rows]
            found[:, begin : begin + len(block)] = queries @ block.T
        return found

    def positions_of(self, rowids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions of row ids, -1 for those that are not there (imported a moment ago)."""
        return positions(self.rowids, rowids)


class VectorMatrix:
    """Keeps the `CatalogueVectors` of a workspace up to date."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._kept: CatalogueVectors | None = None
        self._seen = threading.local()

    def get(self) -> CatalogueVectors:
        """The vectors as they stand now; up to a second when they must be read."""
        kept, version = self._kept, self._workspace.one_row("PRAGMA data_version")[0]
        if kept is not None and getattr(self._seen, "last", None) == (version, kept):
            return kept  # nobody wrote since this thread looked: nothing has to be counted
        kept = self._look()
        self._seen.last = (version, kept)
        return kept

    def _look(self) -> CatalogueVectors:
        with self._lock:
            embedder: str | None = get_setting(self._workspace, "active_embedder")
            state = catalogue_state(self._workspace.reader(), embedder)
            if self._kept is None or self._kept.state != state:
                rowids, tools = all_rowids(self._workspace), tool_numbers(self._workspace)
                places = np.array(rowids, dtype=np.int64)
                has_vectors = embedder is not None and state.vectors > 0
                self._kept = CatalogueVectors(
                    state=state,
                    rowids=places,
                    tools=np.array(tools, dtype=np.int64),
                    words=KeptWords(self._workspace, places),
                    vectors=load_vectors(self._workspace, embedder, rowids).vectors
                    if has_vectors and embedder is not None
                    else None,
                )
            return self._kept
