"""Figures of rankings, against values worked out by hand."""

import math

import pytest

from toolplanner_core.training.search_metrics import complete, ndcg, ranking_figures, recall


def test_measures_when_ranks_are_known_then_as_worked_out() -> None:
    ranks = [1, 4, 7]
    assert recall(ranks, 5) == pytest.approx(2 / 3)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ndcg(ranks, 5) == pytest.approx((1 + 1 / math.log2(5)) / best)
    assert complete(ranks, 5) == 0
    assert complete(ranks, 10) == 1


def test_figures_when_bootstrapped_then_the_interval_holds_the_mean_and_narrows_with_queries() -> (
    None
):
    few = ranking_figures([[1], [30]] * 5)["recall@5"]
    many = ranking_figures([[1], [30]] * 500)["recall@5"]
    assert few.mean == many.mean == 0.5
    assert few.low < many.low < 0.5 < many.high < few.high
    assert ranking_figures([[1], [30], [51]])["recall@50"].mean == pytest.approx(2 / 3)
    assert ranking_figures([]) == {}
