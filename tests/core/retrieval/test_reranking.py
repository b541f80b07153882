"""The better order of the first APIs of a search: what it looks at, and that it loses none."""

import json
from collections.abc import Mapping

import numpy as np
import pytest
from fixtures.query_sets import TEST_ONLY
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.resources import resource_root
from toolplanner_core.retrieval.reranking import (
    DEPTH,
    FEATURES,
    SearchScores,
    ranking_features,
    rerank,
)
from toolplanner_core.workspace.catalogue import ApiWords

WEATHER = ApiWords("StormGlass", "get_forecast", "StormGlass: get forecast. The weather ahead")
RADAR = ApiWords("StormGlass", "radar_image", "StormGlass: radar image. A picture of rain")
STOCKS = ApiWords("Ticker", "quote", "Ticker: quote. The price of a share")


def scores(total: list[float], tools: list[int]) -> SearchScores:
    """Full text and vectors agree with the sum."""
    same = np.array(total, dtype=np.float32)
    return SearchScores(np.array(tools, dtype=np.int64), same, np.stack([same, same]), same)


def column(name: str, matrix: np.ndarray) -> list[float]:
    return [round(float(value), 3) for value in matrix[:, FEATURES.index(name)]]


def test_order_when_scores_are_near_then_the_api_whose_name_is_said_comes_first() -> None:
    words = {0: RADAR, 1: WEATHER, 2: STOCKS}
    by_meaning = np.array([[2.8, 3, 1]], dtype=np.float32)
    parts = scores([3, 2.9, 1], [7, 7, 9])._replace(vectors=by_meaning)
    assert rerank("get the forecast", words, [0, 1, 2], parts)[0] == 1


def test_order_when_scores_are_far_apart_then_they_decide() -> None:
    words = {0: WEATHER, 1: STOCKS}
    found = rerank("the weather ahead", words, [0, 1], scores([9, 0.5], [7, 9]))
    assert found == [0, 1]


def test_order_when_words_of_an_api_are_missing_then_it_stays() -> None:
    given_order = [2, 0, 1]
    found = rerank("rain", {0: RADAR, 1: WEATHER}, given_order, scores([3, 2, 1], [1, 1, 2]))
    assert found == given_order


def test_features_when_tools_have_several_apis_then_ranks_and_sizes_are_theirs() -> None:
    parts = scores([5, 4, 3, 2], [7, 9, 7, 7])
    words = [WEATHER, STOCKS, RADAR]
    matrix = ranking_features("a quote of Ticker", words, np.array([0, 1, 2]), parts)
    assert column("tool rank", matrix) == [0.0, 0.693, 0.0]
    assert column("tool size", matrix) == [1.099, 0.0, 1.099]
    assert column("behind its tool's best", matrix) == [0.0, 0.0, -0.4]
    assert column("tool named", matrix) == [0.0, 1.0, 0.0]
    assert column("name said", matrix) == [0.0, 1.0, 0.0]


@given(st.lists(st.floats(-3, 8, width=32), min_size=1, max_size=2 * DEPTH), st.integers(0, 9))
def test_order_when_anything_is_scored_then_it_is_a_permutation_with_the_rest_untouched(
    total: list[float], seed: int
) -> None:
    drawn = np.random.default_rng(seed)
    tools = drawn.integers(0, 5, len(total)).tolist()
    names = [WEATHER, RADAR, STOCKS]
    words: Mapping[int, ApiWords] = {i: names[i % 3] for i in range(len(total))}
    best = np.argsort(-np.array(total), kind="stable").tolist()
    found = rerank("rain tomorrow", words, best, scores(total, tools))
    assert sorted(found) == sorted(best)
    assert found[DEPTH:] == best[DEPTH:]


def test_weights_when_read_then_each_feature_has_one_and_test_queries_were_not_learned_from() -> (
    None
):
    content = json.loads((resource_root() / "ranking" / "weights.json").read_text("utf-8"))
    assert list(content["weights"]) == list(FEATURES)
    assert TEST_ONLY not in content["learned_from"]


@pytest.mark.parametrize("query", ["", "???", "🙂"])
def test_order_when_query_has_no_words_then_it_still_orders(query: str) -> None:
    found = rerank(query, {0: RADAR, 1: STOCKS}, [0, 1], scores([2, 1], [1, 2]))
    assert sorted(found) == [0, 1]
