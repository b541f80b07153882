"""Hybrid search: full text and vectors over the whole catalogue, fused.

Behind the search field, `toolplanner search`, `run.retrieve` and shortlists. Thread-safe.

Each API gets BM25 and the dot products with the vectors of the query and of its best clause, as
z-scores over the catalogue, added. Without vectors (before `embed`, or where the embedder's weights
are missing) full text works alone. A query often asks for several things, and the words of one need
drown those of the others; so each clause is searched for itself, too.

What stands first is then put in a better order by more than these scores: `reranking.py`.

The clauses of a query: its sentences and their parts; each may ask for something else.

Source: design/strategies.md section 0 (z-scores added, BM25 weighted 0.6), measured anew on the 758
StableToolBench queries whose APIs are in the catalogue: tests/benchmarks/test_search_recall.py.
"""

import logging
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.toolkit import ScoredApi
from toolplanner_core.embedding.query_encoder import QueryEncoder
from toolplanner_core.embedding.static_words import StaticWords
from toolplanner_core.errors import EmbedderUnavailable, WorkerDied
from toolplanner_core.retrieval.catalogue_index import CatalogueVectors, VectorMatrix
from toolplanner_core.retrieval.reranking import (
    DEPTH,
    SearchScores,
    rerank,
    rerank_by_request,
    workspace_weights,
)
from toolplanner_core.retrieval.vocabulary import has_known_word, knows_a_word
from toolplanner_core.words.currencies import expand_currency_codes
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid, words_of_apis

MAX_CLAUSES = 8
_SENTENCE = re.compile(r"(?<=[.!?;。！？])\s+|\n+|(?<=[。！？])")
_JOINT = re.compile(r",?\s+(?:and|also|as well as|then|plus)\s+|,\s+", re.IGNORECASE)
_FEWEST_WORDS = 3
_WORD = re.compile(r"\w+")


def split_sentences(text: str) -> list[list[str]]:
    """The sentences of a query in order, each followed by its parts if it has several.

    Parts of fewer than three words are left out: they are members of an enumeration, not needs.
    Nothing stands there twice, and beside the query itself at most `MAX_CLAUSES` in all.
    """
    found: list[list[str]] = []
    whole = text.strip()
    seen: set[str] = set()
    for sentence in map(str.strip, _SENTENCE.split(text)):
        parts = [part.strip() for part in _JOINT.split(sentence)]
        long = [part for part in parts if len(_WORD.findall(part)) >= _FEWEST_WORDS]
        several = long if len(parts) > 1 else []
        new = [each for each in dict.fromkeys([sentence, *several]) if each and each not in seen]
        room = MAX_CLAUSES - len(seen - {whole}) + (whole in new)
        if new[:room] and new[0] == sentence:
            found.append(new[:room])
            seen.update(new[:room])
    return found


log = logging.getLogger(__name__)


UNKNOWN_TO_WORDS = (
    "The embedder words knows none of these words, so the search went by full text alone; the"
    " embedder lsa learns the words of any language from the catalogue"
)


class AllScores(NamedTuple):
    """The scores of every API for one text.

    Attributes:
        catalogue: row ids and vectors they are about.
        total: (n,) float32.
        bm25: (n,) float32, z-scores of the whole text.
        vectors: (1 + clauses, n) float32, z-scores of the whole text and of its clauses; None
            without vectors.
        is_hit: (n,) bool, APIs that hold one of the words.
    """

    catalogue: CatalogueVectors
    total: NDArray[np.float32]
    bm25: NDArray[np.float32]
    vectors: NDArray[np.float32] | None
    is_hit: NDArray[np.bool_]

    def best(self, k: int) -> list[int]:
        """Positions of the `k` that fit best, best first; none when nothing fits."""
        total = self.total
        if self.vectors is None:
            total = np.where(self.is_hit, total, -np.inf)
        if not (total > 0).any():
            return []  # all are equal: not a word of the text is known
        k = max(0, min(k, len(total)))
        top = np.argpartition(-total, k - 1)[:k]
        # Ties in catalogue order, so that the same search gives the same list.
        order = np.lexsort((top, -total[top]))
        return [i for i in top[order].tolist() if np.isfinite(total[i])]

    def parts(self, i: int) -> dict[str, float]:
        """What the score at a position is made of."""
        vector = 0.0 if self.vectors is None else float(self.vectors[0][i])
        return {"bm25": float(self.bm25[i]), "vector": vector}


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
        """The `k` APIs that fit `text` best, best first; none when no word of it is known."""
        text = expand_currency_codes(text)
        scores = self.score_all(text)
        if scores is None or not (scores.is_hit.any() or has_known_word(self._workspace, text)):
            return []
        ranked = self._in_order(text, scores, scores.best(max(k, DEPTH)))
        rows = {i: int(scores.catalogue.rowids[i]) for i in ranked[:k]}
        # The scores stay a falling row: they are dealt out anew in the better order.
        falling = sorted((float(scores.total[i]) for i in ranked), reverse=True)
        apis = apis_by_rowid(self._workspace, list(rows.values()))
        return [
            ScoredApi(
                api=apis[rowid],
                score=score,
                parts=scores.parts(i),
                holds_words=bool(scores.is_hit[i]),
            )
            for (i, rowid), score in zip(rows.items(), falling, strict=False)
            if rowid in apis
        ]

    def rank(self, text: str, rowids: Sequence[int]) -> list[ScoredApi]:
        """These APIs, those that fit `text` best first; all of them, as they are given where
        nothing tells them apart."""
        apis = apis_by_rowid(self._workspace, rowids)
        scores = self.score_all(text)
        places = [-1] * len(rowids)
        if scores is not None:
            places = scores.catalogue.positions_of(np.array(rowids, dtype=np.int64)).tolist()
        found = [
            ScoredApi(api=apis[rowid], score=0.0, parts={})
            if scores is None or place < 0
            else ScoredApi(
                api=apis[rowid],
                score=float(scores.total[place]),
                parts=scores.parts(place),
                holds_words=bool(scores.is_hit[place]),
            )
            for rowid, place in zip(rowids, places, strict=True)
        ]
        return sorted(found, key=lambda scored: -scored.score)

    def _in_order(self, text: str, scores: AllScores, best: list[int]) -> list[int]:
        """The positions `best`, the first of them put in order by `reranking.py`."""
        catalogue = scores.catalogue
        position = {int(catalogue.rowids[i]): i for i in best[:DEPTH]}
        found = words_of_apis(self._workspace, list(position))
        words = {position[rowid]: each for rowid, each in found.items()}
        if scores.vectors is None:
            return rerank_by_request(text, words, best, scores.total)
        return rerank(
            text,
            words,
            best,
            SearchScores(catalogue.tools, scores.bm25, scores.vectors, scores.total),
            weights=workspace_weights(self._workspace),
        )

    def score_all(self, text: str) -> AllScores | None:
        """The scores of all APIs; None when the text has no words or there are no APIs."""
        text = expand_currency_codes(text)
        catalogue = self._matrix.get()
        if not search_terms(text) or not len(catalogue.rowids):
            return None
        bm25 = catalogue.words.scores(search_terms(text))
        is_hit = bm25 > 0
        bm25 = z_scores(bm25)
        vectors = self._vector_scores(catalogue, text)
        return AllScores(
            catalogue=catalogue,
            total=fuse(bm25, vectors),
            bm25=bm25,
            vectors=vectors,
            is_hit=is_hit,
        )

    def _vector_scores(self, catalogue: CatalogueVectors, text: str) -> NDArray[np.float32] | None:
        if catalogue.vectors is None:
            return None
        if catalogue.state.embedder == StaticWords.id and not knows_a_word(text):
            # Pieces of words have vectors, too: what is near to them is near by chance.
            self.vector_problem = UNKNOWN_TO_WORDS
            return None
        try:
            queries = self.encoder.encode_query(text, split_sentences(text))
        except (EmbedderUnavailable, WorkerDied) as error:
            if error.sentence != self.vector_problem:
                log.info("Searching without vectors: %s", error.sentence)
            self.vector_problem = error.sentence
            return None
        self.vector_problem = ""
        products = catalogue.products(queries)
        if products is None:
            return None  # another embedder became active this moment; the next search has it
        return np.stack([z_scores(row) for row in products])


BM25_WEIGHT = 0.5
"""Share of BM25; the rest is the vectors'."""
CLAUSE_WEIGHT = 0.6
"""Share of the best clause in the vectors' part; the rest is the whole query's.

Both were chosen on the queries of DRAFT, MetaTool, API-Bank, Seal-Tools and RestBench, with `words`
and `minilm`: on none is the fusion worse than BM25 or vectors alone beyond chance. The queries of
StableToolBench are for testing only. Figures: tests/benchmarks/test_search_recall.py.
"""
_SMALLEST = 1e-6


def z_scores(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,) values as distances from their mean in standard deviations; zeros if all are equal."""
    if not len(values):
        return values
    deviation = float(values.std())
    if deviation < _SMALLEST:
        return np.zeros_like(values)
    return ((values - values.mean()) / deviation).astype(np.float32)


def fuse(bm25: NDArray[np.float32], vector: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """One score of both signals.

    Args:
        bm25: (n,) z-scores of the whole query.
        vector: (1 + clauses, n) z-scores, the whole query first; None when there are no vectors.
    """
    if vector is None:
        return bm25
    best_clause = vector[1:].max(axis=0) if len(vector) > 1 else vector[0]
    both = (1 - CLAUSE_WEIGHT) * vector[0] + CLAUSE_WEIGHT * best_clause
    return (BM25_WEIGHT * bm25 + (1 - BM25_WEIGHT) * both).astype(np.float32, copy=False)
