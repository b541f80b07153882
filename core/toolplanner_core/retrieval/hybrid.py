"""Hybrid search: full text and vectors over the whole catalogue, fused.

Behind the search field, `toolplanner search`, `run.retrieve` and shortlists. Thread-safe.

Each API gets BM25 and the dot products with the vectors of the query and of its best clause, as
z-scores over the catalogue, added. Without vectors
(before `embed`, or where the embedder's weights are missing) full text works alone.

Source: design/strategies.md section 0. Figures on the 758 StableToolBench queries whose APIs are in
the catalogue: tests/benchmarks/test_search_recall.py.
"""

import logging
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.candidates import ScoredApi
from toolplanner_core.embedding.query_encoder import QueryEncoder
from toolplanner_core.errors import EmbedderUnavailable, WorkerDied
from toolplanner_core.retrieval.clauses import split_clauses
from toolplanner_core.retrieval.fusion import fuse, z_scores
from toolplanner_core.retrieval.matrix import CatalogueVectors, VectorMatrix
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.search_index import full_text_scores

log = logging.getLogger(__name__)


class ScoredRow(NamedTuple):
    """A row of the result: parts are z-scores of the whole query."""

    rowid: int
    score: float
    bm25: float
    vector: float


class AllScores(NamedTuple):
    """The scores of every API for one text.

    Attributes:
        catalogue: row ids and vectors they are about.
        total: (n,) float32.
        bm25: (n,) float32, z-scores of the whole text.
        vector: (n,) float32, z-scores of the whole text; None without vectors.
        is_hit: (n,) bool, APIs that hold one of the words.
    """

    catalogue: CatalogueVectors
    total: NDArray[np.float32]
    bm25: NDArray[np.float32]
    vector: NDArray[np.float32] | None
    is_hit: NDArray[np.bool_]


class HybridIndex:
    """Search over the catalogue of a workspace.

    Args:
        encoder: shared with others if given, so that the model is loaded once.

    Attributes:
        vector_problem: why vectors are not used although there are some, "" if they are.
    """

    def __init__(self, workspace: Workspace, encoder: QueryEncoder | None = None) -> None:
        self.encoder = QueryEncoder(workspace) if encoder is None else encoder
        self.vector_problem = ""
        self._workspace = workspace
        self._matrix = VectorMatrix(workspace)

    def catalogue(self) -> CatalogueVectors:
        """The row ids and vectors as they stand now."""
        return self._matrix.get()

    def search(self, text: str, k: int) -> list[ScoredApi]:
        """The `k` APIs that fit `text` best, best first; empty when nothing fits it."""
        rows = self.search_rowids(text, k)
        apis = apis_by_rowid(self._workspace, [row.rowid for row in rows])
        return [
            ScoredApi(
                api=apis[row.rowid],
                score=row.score,
                parts={"bm25": row.bm25, "vector": row.vector},
            )
            for row in rows
            if row.rowid in apis
        ]

    def search_rowids(self, text: str, k: int) -> list[ScoredRow]:
        """As `search`, row ids only."""
        scores = self.score_all(text)
        if scores is None:
            return []
        total = scores.total
        if scores.vector is None:
            total = np.where(scores.is_hit, total, -np.inf)
        if not (total > 0).any():
            return []  # all are equal: not a word of the text is known
        best = _best(total, k)
        return [
            ScoredRow(
                rowid=int(scores.catalogue.rowids[i]),
                score=float(total[i]),
                bm25=float(scores.bm25[i]),
                vector=0.0 if scores.vector is None else float(scores.vector[i]),
            )
            for i in best
            if np.isfinite(total[i])
        ]

    def score_all(self, text: str) -> AllScores | None:
        """The scores of all APIs; None when the text has no words or there are no APIs."""
        catalogue = self._matrix.get()
        if not search_terms(text) or not len(catalogue.rowids):
            return None
        hits = full_text_scores(self._workspace, search_terms(text))
        positions = catalogue.positions_of(hits.rowids)
        bm25 = np.zeros(len(catalogue.rowids), dtype=np.float32)
        bm25[positions[positions >= 0]] = hits.scores[positions >= 0]
        is_hit = bm25 > 0
        bm25 = z_scores(bm25)
        vector = self._vector_scores(catalogue, [text, *split_clauses(text)])
        return AllScores(
            catalogue=catalogue,
            total=fuse(bm25, vector),
            bm25=bm25,
            vector=None if vector is None else vector[0],
            is_hit=is_hit,
        )

    def _vector_scores(
        self, catalogue: CatalogueVectors, parts: Sequence[str]
    ) -> NDArray[np.float32] | None:
        if catalogue.vectors is None:
            return None
        try:
            queries = self.encoder.encode(parts)
        except (EmbedderUnavailable, WorkerDied) as error:
            if error.sentence != self.vector_problem:
                log.info("Searching without vectors: %s", error.sentence)
            self.vector_problem = error.sentence
            return None
        self.vector_problem = ""
        if queries.shape[1] != catalogue.vectors.shape[1]:
            return None  # another embedder became active this moment; the next search has it
        return np.stack([z_scores(row) for row in queries @ catalogue.vectors.T])


def _best(total: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    k = max(0, min(k, len(total)))
    if k == 0:
        return np.zeros(0, dtype=np.int64)
    top = np.argpartition(-total, k - 1)[:k]
    # Ties in catalogue order, so that the same search gives the same list.
    return top[np.lexsort((top, -total[top]))]
