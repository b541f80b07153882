"""Learn in which order the first APIs of a search stand, from labelled queries of this catalogue.

Two minutes for 474 queries over 45,284 APIs, without torch, and for every embedder: the weights of
`retrieval/reranking.py` come from public sets, those learned here from queries over the very APIs.
On held-out queries of ToolBench they gain 0.032 of Recall@5 with MiniLM and 0.049 with a retriever
trained on such queries, on queries of another making over the same APIs nothing beyond chance; on
catalogues of others they lose. What they gain is measured by halves: each query is put in order by
weights that were learned from the other half.

Source: logistic regression over query-dependent features, as in `retrieval/reranking.py`.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.trained import list_trained
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.retrieval.reranking import (
    DEPTH,
    FEATURES,
    SearchScores,
    centred,
    default_weights,
    ranking_features,
    save_weights,
)
from toolplanner_core.runs.export.demonstrations import answered_queries
from toolplanner_core.training.labelled import read_labelled
from toolplanner_core.training.search_metrics import Figure, ranking_figures
from toolplanner_core.words.currencies import expand_currency_codes
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import stored_documents, words_of_apis

STRENGTH = 0.1
"""Inverse of the regularisation (scikit-learn's C), on features of unit variance."""
FEWEST = 40
"""Queries from which on an order is learned; 87 were enough on ToolBench."""
_MISSED = 1_000_000
_DECIDES = "ndcg@10"


class RankedQuery(NamedTuple):
    """One query: centred features of its first APIs, which are gold, how many gold there are."""

    features: NDArray[np.float32]
    is_gold: NDArray[np.bool_]
    gold: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedRanking:
    """Weights by feature, and what they gain.

    Attributes:
        queries: learned from.
        before, after: figures with the usual order, and with one learned from the other half.
    """

    weights: Mapping[str, float]
    queries: int
    before: Mapping[str, Figure]
    after: Mapping[str, Figure]

    @property
    def is_better(self) -> bool:
        """Whether what answers a query stands higher: nDCG@10."""
        return self.after[_DECIDES].mean > self.before[_DECIDES].mean


def learn_order(
    workspace: Workspace,
    queries: Sequence[tuple[str, frozenset[str]]],
    *,
    seed: int = 0,
    progress: Progress,
) -> LearnedRanking:
    """Learn from queries with the keys of their APIs. Stores nothing. Blocks for minutes.

    Raises:
        BadInput: too few of the queries find an API that answers them.
    """
    ranked = ranked_queries(workspace, queries, progress)
    useful = sum(bool(query.is_gold.any()) for query in ranked)
    if useful < FEWEST:
        raise BadInput(
            f"Only {counted(useful, 'query', 'queries')} to learn an order from",
            why="Counted are those whose search finds one of their APIs, by words and vectors",
            todo=f"Bring {FEWEST} at least, and prepare the map first if that was not done",
        )
    mixed = random.Random(seed).sample(ranked, len(ranked))
    halves = mixed[::2], mixed[1::2]
    ranks = [
        _ranks(query, weights)
        for half, other in (halves, halves[::-1])
        for weights in [learned_weights([other])]
        for query in half
    ]
    found = learned_weights([ranked])
    return LearnedRanking(
        weights={name: round(float(w), 4) for name, w in zip(FEATURES, found, strict=True)},
        queries=len(ranked),
        before=ranking_figures([_ranks(query, default_weights()) for query in ranked]),
        after=ranking_figures(ranks),
    )


def learn_and_save_order(
    workspace: Workspace, files: Sequence[Path], *, has_runs: bool, progress: Progress
) -> LearnedRanking:
    """Learn from files of labelled queries and runs that answered; searches of the workspace have
    the order from now on if it is better. What `learn_order` and `read_labelled` raise.

    Queries that a trained retriever keeps for its tests are left out, so that its figures, which
    are of whole searches, stay those of queries that nothing was learned from.
    """
    labelled = read_labelled(workspace, files, answered_queries(workspace) if has_runs else ())
    tests = {row["query"] for model in list_trained() for row in model.record.get("test", ())}
    asked = [(query.text, query.keys) for query in labelled.queries if query.text not in tests]
    learned = learn_order(workspace, asked, progress=progress)
    if learned.is_better:
        save_weights(workspace, learned.weights)
    return learned


def ranked_queries(
    workspace: Workspace, queries: Sequence[tuple[str, frozenset[str]]], progress: Progress
) -> list[RankedQuery]:
    """What puts APIs in order sees of each query that can be answered."""
    index = HybridIndex(workspace)
    key_of = {document.rowid: document.key for document in stored_documents(workspace)}
    keys = [key_of[int(rowid)] for rowid in index.catalogue().rowids]
    known = frozenset(keys)
    found: list[RankedQuery] = []
    for number, (said, gold) in enumerate(queries, start=1):
        text = expand_currency_codes(said)  # as a search does
        progress.report("Searching", number, len(queries), "queries")
        scores = index.score_all(text) if gold & known else None
        if scores is None or scores.vectors is None:
            continue
        best = list({keys[i]: i for i in reversed(scores.best(DEPTH))}.values())[::-1]
        if not best:
            continue
        top = np.array(best, dtype=np.int64)
        rowids = scores.catalogue.rowids[top].tolist()
        words = words_of_apis(workspace, rowids)
        parts = SearchScores(scores.catalogue.tools, scores.bm25, scores.vectors, scores.total)
        matrix = ranking_features(text, [words[rowid] for rowid in rowids], top, parts)
        is_gold = np.array([keys[i] in gold for i in best], dtype=np.bool_)
        found.append(RankedQuery(centred(matrix), is_gold, len(gold)))
    return found


def learned_weights(sets: Sequence[Sequence[RankedQuery]]) -> NDArray[np.float64]:
    """(features,) weights; each set counts alike, however many queries it has."""
    from sklearn.linear_model import LogisticRegression

    used = [(query, len(queries)) for queries in sets for query in queries if query.is_gold.any()]
    x = np.concatenate([query.features for query, _ in used])
    y = np.concatenate([query.is_gold for query, _ in used])
    share = np.concatenate([np.full(len(query.is_gold), 1 / many) for query, many in used])
    spread = x.std(axis=0) + 1e-9
    model = LogisticRegression(C=STRENGTH, max_iter=2000)
    model.fit(x / spread, y, sample_weight=share / share.mean())
    return model.coef_[0] / spread


def _ranks(query: RankedQuery, weights: NDArray[np.floating]) -> list[int]:
    """Ranks of the gold APIs; those that are not among the first are missed."""
    order = np.argsort(-(query.features @ weights), kind="stable")
    found = (np.flatnonzero(query.is_gold[order]) + 1).tolist()
    return [*found, *[_MISSED] * (query.gold - len(found))]
