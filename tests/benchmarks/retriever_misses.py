"""Why a search misses APIs that answer a query: what a better order or encoder could still win.

A gold API is missed when it is not among the first `DEPTH`. Of each missed one is asked: does a
list of the search hold it at all, so that another order could find it; and does what was found
instead say the same, of another vendor or of the same tool, so that no reader of the documentation
could tell which of them is meant.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from fixtures.query_sets import Question
from numpy.typing import NDArray

from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.retrieval.reranking import DEPTH as REORDERED
from toolplanner_core.training.labelled import query_words, similarity
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import StoredDocument, stored_documents

DEPTH = 10
DEEP = 50
SAME = 0.6
"""Share of common words (Jaccard) of two descriptions, or of two names, from which on they say the
same: "Get currency rates" and "Currency rates: get them all"."""
_FEWEST = 2
"""Common words below which nothing is said: every second tool has a "search"."""


class Misses(NamedTuple):
    """Counts of gold APIs.

    Attributes:
        missed: not among the first `DEPTH`; the others are counted among these.
        beyond_both: behind `DEEP` in the list by words and in the one by meaning.
        beyond_order: behind all that is put in a better order.
        other_vendor: one of the first `DEPTH` that is not gold says the same, of another tool.
        same_tool: one of the first `DEPTH` that is not gold is of the same tool.
    """

    gold: int
    missed: int
    beyond_both: int
    beyond_order: int
    other_vendor: int
    same_tool: int


def misses(workspace: Workspace, questions: Sequence[Question]) -> Misses:
    """What searches with the active embedder miss."""
    index = HybridIndex(workspace)
    documents = {document.rowid: document for document in stored_documents(workspace)}
    at = [documents[int(rowid)] for rowid in index.catalogue().rowids]
    place_of = {document.key: i for i, document in reversed([*enumerate(at)])}
    counts = np.zeros(len(Misses._fields), dtype=np.int64)
    for text, gold in questions:
        scores = index.score_all(text)
        if scores is None or not gold & place_of.keys():
            continue
        found = [each.api.key for each in index.search(text, REORDERED)]
        first = list(dict.fromkeys(found))[:DEPTH]
        wrong = [at[place_of[key]] for key in first if key not in gold]
        vectors = scores.total if scores.vectors is None else scores.vectors[0]
        for key in gold & place_of.keys():
            own = place_of[key]
            is_missed = key not in first
            ranks = [_rank(part, own) for part in (scores.bm25, vectors, scores.total)]
            said = (
                True,
                is_missed,
                is_missed and min(ranks[:2]) > DEEP,
                is_missed and ranks[2] > REORDERED,
                is_missed and any(says_the_same(at[own], each) for each in wrong),
                is_missed and any(at[own].tool == each.tool for each in wrong),
            )
            counts += np.array(said, dtype=np.int64)
    return Misses(*counts.tolist())


def says_the_same(one: StoredDocument, other: StoredDocument) -> bool:
    """Whether two tools describe what may be one API, by their own descriptions or names."""
    if one.tool == other.tool:
        return False
    pairs = zip(_parts(one), _parts(other), strict=True)
    return any(len(a & b) >= _FEWEST and similarity(a, b) >= SAME for a, b in pairs)


def _parts(document: StoredDocument) -> tuple[frozenset[str], frozenset[str]]:
    """Words of name and description, without the tool's name before them."""
    said = document.text.partition(": ")[2] or document.text
    name, _, description = said.partition(". ")
    return query_words(name), query_words(description)


def _rank(scores: NDArray[np.float32], at: int) -> int:
    return int((scores > scores[at]).sum()) + 1
