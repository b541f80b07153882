"""BM25 of the whole catalogue word by word, kept from one search to the next.

The score of a text is the sum over its words, and the words that cost most, those of every tenth
API, are in every second text: a long query costs a third when its words were met before.
Thread-safe.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.search_index import full_text_scores

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


class KeptWords:
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
        places = positions(self._rowids, rowids)
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


def positions(rowids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where in the rising `rowids` each wanted one stands, -1 for those that are not there."""
    if not len(rowids):
        return np.full(len(wanted), -1, dtype=np.int64)
    found = np.minimum(np.searchsorted(rowids, wanted), len(rowids) - 1)
    return np.where(rowids[found] == wanted, found, -1)
