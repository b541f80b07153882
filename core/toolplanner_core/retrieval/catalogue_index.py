"""The whole catalogue in memory for searches: vectors, and BM25 word by word.

The score of a text is the sum over its words, and the words that cost most, those of every tenth
API, are in every second text: a long query costs a third when its words were met before.
Thread-safe.

Exact search: one product of 45,000 x 384 numbers takes about 10 ms, so there is no index that could
miss anything. It is done in blocks so small that OpenBLAS leaves them to this thread: shared among
two it waits for the other one, spinning, which costs 23 ms of the processors instead of 5 on 45,000
x 256 numbers and four texts, and more where other programs hold a core. Thread-safe.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, tool_numbers
from toolplanner_core.workspace.search_index import (
    CatalogueState,
    catalogue_state,
    full_text_scores,
)
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import load_vectors

MOST_KEPT = 2_000_000
"""Hits that are kept, 8 bytes each; the words that were asked for longest ago go first."""


class WordHits(NamedTuple):
    """The APIs that hold a word.

    Attributes:
        places: (m,) int32 positions in the catalogue.
        scores: (m,) float32, all positive.
    """

    places: NDArray[np.int32]
    scores: NDArray[np.float32]


class WordScoreCache:
    """The full-text index of a catalogue that does not change.

    Args:
        rowids: (n,) int64 of all its APIs, rising.
    """

    def __init__(self, workspace: Workspace, rowids: NDArray[np.int64]) -> None:
        self._workspace = workspace
        self._rowids = rowids
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, WordHits] = OrderedDict()
        self._size = 0

    def hits(self, word: str) -> WordHits:
        """The APIs that hold `word`, unordered."""
        with self._lock:
            if word in self._kept:
                self._kept.move_to_end(word)
                return self._kept[word]
        rowids, scores = full_text_scores(self._workspace, [word])
        places = positions_of_rowids(self._rowids, rowids)
        found = WordHits(places[places >= 0].astype(np.int32), scores[places >= 0])
        with self._lock:
            if word not in self._kept:
                self._kept[word] = found
                self._size += len(found.places)
            while self._size > MOST_KEPT:
                self._size -= len(self._kept.popitem(last=False)[1].places)
        return found

    def scores(self, words: Sequence[str]) -> NDArray[np.float32]:
        """(n,) BM25 of every API for all `words` together; 0 = it holds none of them."""
        total = np.zeros(len(self._rowids), dtype=np.float32)
        for word in words:
            places, scores = self.hits(word)
            total[places] += scores
        return total


def positions_of_rowids(rowids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where in the rising `rowids` each wanted one stands, -1 for those that are not there."""
    if not len(rowids):
        return np.full(len(wanted), -1, dtype=np.int64)
    found = np.minimum(np.searchsorted(rowids, wanted), len(rowids) - 1)
    return np.where(rowids[found] == wanted, found, -1)


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
    words: WordScoreCache

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
        return positions_of_rowids(self.rowids, rowids)


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
                    words=WordScoreCache(self._workspace, places),
                    vectors=load_vectors(self._workspace, embedder, rowids).vectors
                    if has_vectors and embedder is not None
                    else None,
                )
            return self._kept
