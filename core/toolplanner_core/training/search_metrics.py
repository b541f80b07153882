"""How well an embedder finds the APIs of labelled queries: recall, nDCG, completeness.

Every embedder is measured over the same APIs and the same queries; vectors that it lacks are made
and kept under its id, without making it the active one.

Source: Järvelin, Kekäläinen 2002 (nDCG); COLT (complete@k: all gold APIs in the top k); percentile
bootstrap: Efron 1979.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import Embedder, embedders, parse_spec
from toolplanner_core.embedding.query_encoder import as_query, encode_pieces, open_state
from toolplanner_core.embedding.trained import TrainedModel, write_record
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.retrieval.catalogue_index import WordScoreCache
from toolplanner_core.retrieval.hybrid import fuse, split_sentences, z_scores
from toolplanner_core.retrieval.reranking import DEPTH, SearchScores, rerank, workspace_weights
from toolplanner_core.words.currencies import expand_currency_codes
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import (
    ApiWords,
    StoredDocument,
    stored_documents,
    words_of_apis,
)
from toolplanner_core.workspace.vectors import (
    EmbedderState,
    load_vectors,
    put_embedder_state,
    store_vectors,
    texts_of_rowids,
)

DEPTHS = (5, 10)
DEEP = 50
"""Where a re-ranker, or a reader, could still find what a search has put lower."""
RESAMPLES = 1_000
"""Bootstrap samples; intervals are of 95 percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A mean over queries with its interval."""

    mean: float
    low: float
    high: float

    def formatted(self) -> str:
        """For tables: "0.742 [0.70, 0.78]"."""
        return f"{self.mean:.3f} [{self.low:.2f}, {self.high:.2f}]"


def ranking_figures(ranks: Sequence[Sequence[int]], *, seed: int = 0) -> dict[str, Figure]:
    """The figures of a set of queries, by name, such as "recall@5".

    Args:
        ranks: per query the rank of each of its gold APIs, 1 = best.
    """
    rows = {name: [value(each) for each in ranks] for name, value in _MEASURES.items()}
    if not ranks:
        return {}
    drawn = np.random.default_rng(seed).integers(0, len(ranks), size=(RESAMPLES, len(ranks)))
    found: dict[str, Figure] = {}
    for name, values in rows.items():
        array = np.array(values, dtype=np.float64)
        means = array[drawn].mean(axis=1)
        low, high = np.percentile(means, [2.5, 97.5])
        found[name] = Figure(mean=float(array.mean()), low=float(low), high=float(high))
    return found


def recall(ranks: Sequence[int], depth: int) -> float:
    """Share of the gold APIs among the first `depth`."""
    return sum(rank <= depth for rank in ranks) / len(ranks)


def ndcg(ranks: Sequence[int], depth: int) -> float:
    """Discounted gain over that of the best order."""
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= depth)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(depth, len(ranks)) + 1))
    return gain / best


def complete(ranks: Sequence[int], depth: int) -> float:
    """1 when all gold APIs are among the first `depth`."""
    return float(max(ranks) <= depth)


_MEASURES: dict[str, Callable[[Sequence[int]], float]] = {
    f"{name}@{depth}": partial(of, depth=depth)
    for name, of in (("recall", recall), ("ndcg", ndcg), ("complete", complete))
    for depth in DEPTHS
} | {f"recall@{DEEP}": partial(recall, depth=DEEP)}


MISSED = 1_000_000
"""Rank of a gold API that the catalogue lacks."""
_SORTS = ("dense", "words", "hybrid", "usual")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSearch:
    """The figures of one embedder.

    Attributes:
        dense: by its vectors alone; words: by BM25 alone, empty in records of before; hybrid: as
            `HybridIndex` finds, with both and the better order of the first.
        usual: as `hybrid`, in the usual order, where the workspace has learned one; else empty.
        queries: measured; apis: they were looked for among.
        ranks: of each query's gold APIs in the hybrid search, in the order in which the queries
            were given; they compare two embedders query by query, and are kept in no record.
        usual_ranks: the same for `usual`.
    """

    embedder: str
    dense: Mapping[str, Figure]
    hybrid: Mapping[str, Figure]
    queries: int
    apis: int
    words: Mapping[str, Figure] = field(default_factory=dict[str, Figure])
    usual: Mapping[str, Figure] = field(default_factory=dict[str, Figure])
    ranks: Sequence[Sequence[int]] = ()
    usual_ranks: Sequence[Sequence[int]] = ()


def measure_embedders(
    workspace: Workspace,
    specs: Sequence[str],
    queries: Sequence[tuple[str, frozenset[str]]],
    *,
    pool: int = 0,
    seed: int = 0,
    progress: Progress,
) -> list[MeasuredSearch]:
    """Measure embedders on queries with the keys of their APIs. Blocks for minutes.

    Args:
        pool: APIs beside the gold ones that are searched among, drawn by seed; 0 = all.

    Raises:
        BadInput: no query names an API of the catalogue.
        EmbedderUnavailable: an embedder cannot be opened.
    """
    documents = stored_documents(workspace)
    known = {document.key for document in documents}
    asked = [(text, gold) for text, gold in queries if gold & known]
    if not asked:
        raise BadInput("None of the queries names an API of this workspace")
    gold = {key for _, keys in asked for key in keys}
    others = [document for document in documents if document.key not in gold]
    if pool and pool < len(others):
        others = random.Random(seed).sample(others, pool)
    chosen = sorted([d for d in documents if d.key in gold] + others, key=lambda d: d.rowid)
    among = _among(workspace, documents, chosen)
    return [_measured(workspace, spec, asked, among, progress) for spec in specs]


def vectors_of(
    workspace: Workspace, state: EmbedderState, rowids: Sequence[int], progress: Progress
) -> NDArray[np.float32]:
    """(n, dim) vectors of these APIs; what is missing is made in a worker, and kept."""
    put_embedder_state(workspace, state)
    missing = load_vectors(workspace, state.id, rowids).missing
    if len(missing):
        todo = texts_of_rowids(workspace, [rowids[int(at)] for at in missing])
        hashes = [text.text_hash for text in todo]

        def store(piece: tuple[int, NDArray[np.float32]]) -> None:
            begin, vectors = piece
            store_vectors(workspace, state.id, hashes[begin : begin + len(vectors)], vectors)

        texts = [text.text for text in todo]
        run_in_worker(
            encode_pieces, state, texts, progress=progress, what="embedding", on_piece=store
        )
    return load_vectors(workspace, state.id, rowids).vectors


def measured_row(measured: MeasuredSearch) -> dict[str, Any]:
    """Figures as JSON."""
    return {
        "embedder": measured.embedder,
        "queries": measured.queries,
        "apis": measured.apis,
        **{
            how: {name: asdict(figure) for name, figure in getattr(measured, how).items()}
            for how in _SORTS
        },
    }


def store_metrics(model: TrainedModel, measured: Sequence[MeasuredSearch]) -> None:
    """Write figures into the record of a trained model, beside those of other pools."""
    record = {name: value for name, value in model.record.items() if name != "hashes"}
    figures: dict[str, Any] = dict(record.get("figures", {}))
    for each in measured:
        name = f"{each.embedder} over {each.apis} APIs"
        figures.pop(name, None)  # the newest are the last
        figures[name] = measured_row(each)
    write_record(model.folder, {**record, "figures": figures})


def stored_metrics(model: TrainedModel) -> tuple[MeasuredSearch, MeasuredSearch] | None:
    """What it was measured against last, and the model itself; None if it was never measured."""
    found = [_from_row(row) for row in model.record.get("figures", {}).values()]
    own = next((each for each in reversed(found) if each.embedder == model.id), None)
    if own is None:
        return None
    others = (each for each in reversed(found) if each.embedder != model.id)
    like = (o for o in others if (o.apis, o.queries) == (own.apis, own.queries))
    other = next(like, None)
    return None if other is None else (other, own)


def _from_row(row: Mapping[str, Any]) -> MeasuredSearch:
    how: dict[str, Any] = {
        name: {measure: Figure(**figure) for measure, figure in row.get(name, {}).items()}
        for name in _SORTS
    }
    return MeasuredSearch(**{**row, **how})


class _Among(NamedTuple):
    """The APIs that are searched among, and what every embedder finds of their words.

    Attributes:
        called: names and descriptions; places: where they stand in `words`, which knows all APIs.
        order: what the workspace has learned of it.
    """

    documents: Sequence[StoredDocument]
    called: Sequence[ApiWords]
    words: WordScoreCache
    places: NDArray[np.int64]
    order: NDArray[np.float32] | None


class _Ranks(NamedTuple):
    """Ranks of one query's gold APIs, by sort of search."""

    dense: list[int]
    words: list[int]
    hybrid: list[int]
    usual: list[int]


def _among(
    workspace: Workspace, documents: Sequence[StoredDocument], chosen: Sequence[StoredDocument]
) -> _Among:
    by_rowid = words_of_apis(workspace, [document.rowid for document in chosen])
    return _Among(
        documents=chosen,
        called=[by_rowid[document.rowid] for document in chosen],
        words=WordScoreCache(workspace, np.array([d.rowid for d in documents], dtype=np.int64)),
        places=np.searchsorted([d.rowid for d in documents], [d.rowid for d in chosen]),
        order=workspace_weights(workspace),
    )


def _measured(
    workspace: Workspace,
    spec: str,
    asked: Sequence[tuple[str, frozenset[str]]],
    among: _Among,
    progress: Progress,
) -> MeasuredSearch:
    """The figures of one embedder over these queries."""
    state = _state(workspace, spec, progress)
    vectors = vectors_of(workspace, state, [d.rowid for d in among.documents], progress)
    searching = _Searching(among, vectors=vectors, embedder=open_state(state))
    ranks: list[_Ranks] = []
    for number, (text, keys) in enumerate(asked, start=1):
        progress.report(f"Searching with {spec}", number, len(asked), "queries")
        ranks.append(searching.ranks(text, keys))
    return MeasuredSearch(
        embedder=state.id,
        dense=ranking_figures([each.dense for each in ranks]),
        hybrid=ranking_figures([each.hybrid for each in ranks]),
        queries=len(asked),
        apis=len(among.documents),
        words=ranking_figures([each.words for each in ranks]),
        usual=ranking_figures([each.usual for each in ranks if each.usual]),
        ranks=[each.hybrid for each in ranks],
        usual_ranks=[each.usual for each in ranks if each.usual],
    )


class _Searching:
    """Searches among the same APIs, with one embedder."""

    def __init__(self, among: _Among, *, vectors: NDArray[np.float32], embedder: Embedder) -> None:
        documents = among.documents
        self._among = among
        self._keys = [document.key for document in documents]
        numbers = {tool: at for at, tool in enumerate(dict.fromkeys(d.tool for d in documents))}
        self._tools = np.array([numbers[document.tool] for document in documents])
        self._vectors, self._embedder = vectors, embedder

    def ranks(self, text: str, gold: frozenset[str]) -> _Ranks:
        """Ranks of the gold APIs; copies of a key count once."""
        text = expand_currency_codes(text)  # as a search does
        queries = as_query(self._embedder, text, split_sentences(text))
        scores = queries @ self._vectors.T
        words = self._among.words.scores(search_terms(text))[self._among.places]
        bm25 = z_scores(words)
        by_clause = np.stack([z_scores(row) for row in scores])
        total = fuse(bm25, by_clause)
        best = np.argsort(-total, kind="stable").tolist()
        first = {i: self._among.called[i] for i in best[:DEPTH]}
        parts = SearchScores(self._tools, bm25, by_clause, total)
        own = self._among.order
        usual = rerank(text, first, best, parts)
        ordered = usual if own is None else rerank(text, first, best, parts, weights=own)
        return _Ranks(
            dense=self._ranks(np.argsort(-scores[0], kind="stable").tolist(), gold),
            words=self._ranks(np.argsort(-bm25, kind="stable").tolist(), gold),
            hybrid=self._ranks(ordered, gold),
            usual=[] if own is None else self._ranks(usual, gold),
        )

    def _ranks(self, best: Sequence[int], gold: frozenset[str]) -> list[int]:
        distinct = dict.fromkeys(self._keys[i] for i in best)
        rank_of = {key: rank for rank, key in enumerate(distinct, start=1)}
        return [rank_of.get(key, MISSED) for key in sorted(gold)]


def _state(workspace: Workspace, spec: str, progress: Progress) -> EmbedderState:
    kind, name = parse_spec(spec)
    plugin = embedders.get(kind)
    return plugin.prepare(workspace, name, plugin.options(), progress)
