"""Charts of a column: figures in steps, categories by frequency, counted under other filters."""

import numpy as np
import pytest

from toolplanner_core.curation.looking.column_source import Categories, Scale
from toolplanner_core.curation.looking.histograms import counts_in, steps_of, top_values

NAN = float("nan")


def scale(*values: float, ends: tuple[float, float] | None = None) -> Scale:
    return Scale(np.array(values, float), lambda v: f"{v:g}", ends)


def test_steps_when_there_are_few_whole_figures_then_each_has_its_own():
    steps = steps_of(scale(0, 1, 1, 3, NAN))
    assert counts_in(steps, None).tolist() == [1, 2, 0, 1]
    assert steps.lows.tolist() == [0, 1, 2, 3]
    assert steps.places.tolist() == [0, 1, 1, 3, -1]


def test_steps_when_a_few_figures_are_huge_then_the_last_step_holds_them():
    steps = steps_of(scale(*range(10), *[5.0] * 990, 400))
    assert len(steps.lows) <= 20
    assert steps.highs[-1] == 400
    assert counts_in(steps, None).sum() == 1001
    assert counts_in(steps, None).max() == 991


@pytest.mark.parametrize("values", [(), (NAN, NAN)])
def test_steps_when_no_figure_is_known_then_there_are_none(values):
    steps = steps_of(scale(*values))
    assert len(steps.lows) == 0
    assert len(counts_in(steps, None)) == 0


@pytest.mark.parametrize("seed", range(20))
def test_steps_when_values_are_drawn_then_each_lies_in_its_step_and_none_is_lost(seed):
    chance = np.random.default_rng(seed)
    values = chance.lognormal(size=500) if seed % 2 else chance.integers(0, 90, 500).astype(float)
    values[chance.random(500) < 0.2] = NAN
    steps = steps_of(Scale(values, str, (0.0, 1.0) if seed % 3 == 0 else None))
    known = np.isfinite(values)
    own = steps.places[known]
    assert np.all(steps.lows[own] <= values[known])
    assert np.all(values[known] <= steps.highs[own])
    mask = chance.random(500) < 0.5
    assert counts_in(steps, mask).sum() == np.count_nonzero(known & mask)
    assert np.all(np.diff(steps.lows) >= 0)


def test_top_values_when_rows_are_masked_then_they_count_and_chosen_ones_are_listed():
    categories = Categories(np.array([0, 0, 0, 1, 1, 2, -1], np.int32), ("a", "b", "c"))
    assert top_values(categories, None, 2) == [(0, 3), (1, 2)]
    assert top_values(categories, None, 2, (2,)) == [(0, 3), (2, 1)]
    assert top_values(categories, None, 2, (2, 1, 0)) == [(0, 3), (1, 2)]
    mask = np.array([0, 0, 0, 1, 0, 1, 1], bool)
    assert top_values(categories, mask, 9) == [(-1, 1), (1, 1), (2, 1)]
