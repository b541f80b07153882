"""Put the best APIs of a search in a better order, by what a sum of scores cannot see.

How much of an API's name the query says, whether it is the best of its tool and the tool the best
of all, whether it answers a clause better than any other API does: a linear model of such features
for the first `DEPTH`. All are shares and ranks, so one set of weights serves catalogues of fifty
and of fifty thousand APIs and every embedder. What the query wants done (`asked_actions.py`) is
added with weights of its own: a workspace's learned weights are of the features alone.

The weights (`resources/ranking/weights.json`) are learned from the queries of five public sets by
`tests/benchmarks/learn_ranking.py`; StableToolBench's are for testing only. Figures:
`tests/benchmarks/test_search_recall.py`.

The order of a search's first APIs that a workspace has learned for its own catalogue.

How much an API's name, its tool or a clause says differs from catalogue to catalogue. Only numbers
are read: a workspace from elsewhere can bring nothing else.

Source: learning to rank by logistic regression over query-dependent features, as in Liu 2009
("Learning to Rank for Information Retrieval", section 2).
"""

import functools
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.resources import resource_root
from toolplanner_core.retrieval.asked_actions import (
    action_fit,
    action_of,
    asked_action,
    resource_words,
)
from toolplanner_core.words.scripts import script_stem, search_words
from toolplanner_core.words.stems import stem
from toolplanner_core.words.stop_words import STOP_WORDS
from toolplanner_core.words.word_splitting import split_words
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ApiWords
from toolplanner_core.workspace.settings import get_setting, set_setting

DEPTH = 100
"""How many of the first are put in order; what stands behind them stays there."""
FEATURES = (
    "full text",
    "vectors",
    "best clause",
    "sum",
    "rank",
    "clause rank",
    "clauses led",
    "tool",
    "tool rank",
    "tool size",
    "behind its tool's best",
    "tool said",
    "name said",
    "description said",
    "query said",
    "length of name",
    "tool named",
)
ACTION_WEIGHT, PATH_WEIGHT = 1.0, 0.5
"""Of the fit of an API's action, and of the share of its path's last part that the query says."""
WORDS_ALONE = 6.0
"""What the share of the best full-text score weighs against these where there are no vectors."""
_WORD = re.compile(r"[^\W_]+")
_TOOL_TOP = 3
"""APIs of a tool whose mean is the tool's score."""
_SHORTEST_NAMED = 4
"""Letters of a tool's name from which on its bare occurrence in a query says something."""
_SMALLEST = 1e-6


class SearchScores(NamedTuple):
    """What a search has worked out about all n APIs.

    Attributes:
        tool_of: (n,) number of the tool.
        bm25: (n,) by words; total: (n,) the sum that the best were taken by.
        vectors: (1 + clauses, n), the whole query first.
    """

    tool_of: NDArray[np.int64]
    bm25: NDArray[np.float32]
    vectors: NDArray[np.float32]
    total: NDArray[np.float32]


def rerank(
    query: str,
    words: Mapping[int, ApiWords],
    best: Sequence[int],
    scores: SearchScores,
    *,
    weights: NDArray[np.float32] | None = None,
) -> list[int]:
    """The positions `best`, best first, with the first `DEPTH` of them in a better order.

    Args:
        words: of the APIs by position; when some are missing, `best` stays as it is.
        weights: (features,) of this catalogue (`reranking.py`); None = those from public sets.
    """
    top = np.array(best[:DEPTH], dtype=np.int64)
    if len(top) == 0 or not all(at in words for at in best[:DEPTH]):
        return list(best)
    matrix = ranking_features(query, [words[at] for at in best[:DEPTH]], top, scores)
    weights = default_weights() if weights is None else weights
    called = [words[at] for at in best[:DEPTH]]
    ranked = centred(matrix) @ weights + request_scores(query, called)
    order = np.argsort(-ranked, kind="stable")
    return [*top[order].tolist(), *best[DEPTH:]]


def rerank_by_request(
    query: str, words: Mapping[int, ApiWords], best: Sequence[int], total: NDArray[np.float32]
) -> list[int]:
    """As `rerank`, where there are no vectors: by full text, and by what is asked for."""
    top = best[:DEPTH]
    if not top or not all(at in words for at in top):
        return list(best)
    share = total[list(top)] / max(float(total[top[0]]), _SMALLEST)
    ranked = WORDS_ALONE * share + request_scores(query, [words[at] for at in top])
    return [*(top[i] for i in np.argsort(-ranked, kind="stable").tolist()), *best[DEPTH:]]


def request_scores(query: str, words: Sequence[ApiWords]) -> NDArray[np.float32]:
    """(k,) by how well the actions and paths of APIs fit what a query asks for; zeros where it does
    not say what it wants done."""
    asked, said = asked_action(query), _stems(query)
    if asked is None:
        return np.zeros(len(words), dtype=np.float32)
    fits = [
        ACTION_WEIGHT * action_fit(asked, action_of(each.name, each.method, each.url))
        + PATH_WEIGHT * _share_covered(resource_words(each.url), said)
        for each in words
    ]
    return np.array(fits, dtype=np.float32)


def centred(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """(k, features) less their means: what is equal for all APIs says nothing of their order."""
    return matrix - matrix.mean(axis=0)


def ranking_features(
    query: str, words: Sequence[ApiWords], top: NDArray[np.int64], scores: SearchScores
) -> NDArray[np.float32]:
    """(k, features) of the APIs at the positions `top`, best first; `words` in the same order."""
    tool_of, bm25, vectors, total = scores
    clauses = (vectors[1:] if len(vectors) > 1 else vectors)[:, top]
    best_of_clause = np.maximum(clauses.max(axis=1, keepdims=True), _SMALLEST)
    clause_rank = (-clauses).argsort(axis=1).argsort(axis=1)
    tools, tool_at = np.unique(tool_of[top], return_inverse=True)
    tool_score, tool_size = _of_tools(total, tool_of, tools)
    # `top` is best first: the first of a tool is its best, and the tools rank by it.
    first = np.full(len(tools), len(top))
    np.minimum.at(first, tool_at, np.arange(len(top)))
    tool_rank = first.argsort().argsort()
    highest = max(float(total[top[0]]), _SMALLEST)
    said, lower = _stems(query), query.lower()
    columns = [
        _shares(bm25, top),
        _shares(vectors[0], top),
        (clauses / best_of_clause).max(axis=0),
        total[top] / highest,
        np.log1p(np.arange(len(top))),
        np.log1p(clause_rank.min(axis=0)),
        (clause_rank == 0).mean(axis=0),
        tool_score[tool_at] / max(float(tool_score.max()), _SMALLEST),
        np.log1p(tool_rank[tool_at]),
        np.log(tool_size[tool_at]),
        (total[top] - total[top[first[tool_at]]]) / highest,
        *np.array([_overlap_features(said, lower, each) for each in words]).T,
    ]
    return np.column_stack(columns).astype(np.float32)


@functools.cache
def default_weights() -> NDArray[np.float32]:
    """(features,) weights that were learned from public query sets."""
    path = resource_root() / "ranking" / "weights.json"
    by_name = json.loads(path.read_text("utf-8"))["weights"]
    return np.array([by_name[name] for name in FEATURES], dtype=np.float32)


def _shares(scores: NDArray[np.float32], top: NDArray[np.int64]) -> NDArray[np.float32]:
    low, high = float(scores.min()), float(scores.max())
    return (scores[top] - low) / max(high - low, _SMALLEST)


def _of_tools(
    total: NDArray[np.float32], tool_of: NDArray[np.int64], tools: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Mean of the best three scores, and number of APIs, of each of the rising `tools`."""
    is_asked = np.zeros(int(tool_of.max()) + 1, dtype=np.bool_)
    is_asked[tools] = True
    members = np.flatnonzero(is_asked[tool_of])
    members = members[np.lexsort((-total[members], tool_of[members]))]
    at = np.searchsorted(tools, tool_of[members])
    sizes = np.bincount(at)
    place = np.arange(len(members)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    is_top = place < _TOOL_TOP
    sums = np.bincount(at[is_top], weights=total[members[is_top]])
    return sums / np.minimum(sizes, _TOOL_TOP), sizes


def _overlap_features(said: frozenset[str], lower: str, words: ApiWords) -> tuple[float, ...]:
    """From "tool said" to "tool named"."""
    tool, name, text = _stems(words.tool), _stems(words.name), _stems(words.functionality)
    is_named = len(words.tool) >= _SHORTEST_NAMED and words.tool.lower() in lower
    return (
        _share_covered(tool, said),
        _share_covered(name, said),
        _share_covered(text - tool - name, said),
        _share_covered(said, text),
        float(np.log1p(len(name))),
        float(is_named),
    )


def _share_covered(words: frozenset[str], by: frozenset[str]) -> float:
    return len(words & by) / len(words) if words else 0.0


@functools.lru_cache(maxsize=10_000)
def _stems(text: str) -> frozenset[str]:
    lower = split_words(text).lower()
    found = _WORD.findall(lower) if lower.isascii() else map(script_stem, search_words(lower))
    return frozenset(stem(word) for word in found if word not in STOP_WORDS)


_SETTING = "search_order"


def workspace_weights(workspace: Workspace) -> NDArray[np.float32] | None:
    """(features,) weights of this workspace; None when it has none that can be used."""
    stored: dict[str, Any] = get_setting(workspace, _SETTING, {}) or {}
    values = [stored.get(name) for name in FEATURES]
    found = [value for value in values if isinstance(value, int | float) and math.isfinite(value)]
    if len(found) < len(FEATURES):
        return None
    return np.array(found, dtype=np.float32)


def save_weights(workspace: Workspace, weights: Mapping[str, float]) -> None:
    """Have all searches of this workspace use these weights, by feature."""
    set_setting(workspace, _SETTING, dict(weights))


def remove_weights(workspace: Workspace) -> None:
    """Go back to the usual order."""
    set_setting(workspace, _SETTING, {})
