"""Queries whose APIs are known, ranked over a catalogue, to count what shortlists would hold."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.ceiling import QueryRanking
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import stored_documents

_RANKED = 4_000
"""APIs that are ranked: the first 60 toolkits are among far fewer."""
MOST_QUERIES = 500
"""The first ones count."""

AskedQuery = tuple[str, Sequence[Collection[str]]]
"""A query and its gold: sets of keys, each of which alone answers it."""


def rank_queries(
    workspace: Workspace,
    rowids: Sequence[int],
    asked: Iterable[AskedQuery],
    progress: Progress | None = None,
) -> list[QueryRanking]:
    """The queries whose gold is among these APIs, each text once. Blocks for some 10 ms a query.

    Raises:
        Cancelled: at the progress given.
    """
    places = {rowid: at for at, rowid in enumerate(rowids)}
    of_key: dict[str, int] = {}
    for document in stored_documents(workspace):
        if document.rowid in places:
            of_key.setdefault(document.key, places[document.rowid])
    wanted = dict(list(dict(asked).items())[:MOST_QUERIES])
    index, found = HybridIndex(workspace), list[QueryRanking]()
    for done, (text, sets) in enumerate(wanted.items()):
        if progress is not None:
            progress.report("Ranking queries", done, len(wanted), unit="queries")
        gold = tuple(
            frozenset(of_key[key] for key in keys) for keys in sets if keys and {*keys} <= {*of_key}
        )
        order = _order(index, text, np.array(rowids, dtype=np.int64))
        if gold and order is not None:
            found.append(QueryRanking(order=order, gold=gold))
    return found


def _order(index: HybridIndex, text: str, rowids: NDArray[np.int64]) -> NDArray[np.int32] | None:
    """Positions of the APIs that fit best; None for a text without words."""
    scores = index.score_all(text)
    if scores is None:
        return None
    at = scores.catalogue.positions_of(rowids)
    fit = np.where(at >= 0, scores.total[at], -np.inf)
    return np.argsort(-fit, kind="stable")[:_RANKED].astype(np.int32)
