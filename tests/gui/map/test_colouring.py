"""Columns become colours: categories by frequency, figures on an even scale, in both themes."""

import numpy as np
import pytest
from fixtures.contrast import contrast, relative_luminance

from toolplanner_gui.map.column_colours import colour_categories, colour_values
from toolplanner_gui.map.rasteriser import MOST_COLOURS
from toolplanner_gui.map.toolkit_colours import (
    CATEGORY_COUNT,
    NO_CATEGORY,
    NO_VALUE,
    RAMP_STEPS,
    scale_colours,
)
from toolplanner_gui.theme.tokens import DARK, LIGHT


def test_colour_categories_when_few_then_each_has_its_own_and_the_legend_counts():
    codes = np.array([2, 2, 2, 0, 0, -1])
    colouring = colour_categories("c", "Category", codes, ["A", "B", "C"])
    assert [(row.text, row.count, row.codes) for row in colouring.rows] == [
        ("C", 3, (2,)),
        ("A", 2, (0,)),
        ("None", 1, (-1,)),
    ]
    assert colouring.index[0] == colouring.index[2] != colouring.index[3]
    assert colouring.index[5] == NO_CATEGORY


def test_colour_categories_when_many_then_the_rest_is_grey_and_listed_together():
    codes = np.repeat(np.arange(40), np.arange(40, 0, -1))
    colouring = colour_categories("c", "Category", codes, [f"C{i}" for i in range(40)])
    own = set(colouring.index[codes < CATEGORY_COUNT - 1].tolist())
    assert len(own) == CATEGORY_COUNT - 1
    assert set(colouring.index[codes >= CATEGORY_COUNT - 1].tolist()) == {NO_CATEGORY}
    assert [row.codes for row in colouring.rows] == [(i,) for i in range(40)]
    many = np.repeat(np.arange(140), np.arange(140, 0, -1))
    last = colour_categories("c", "Category", many, [f"C{i}" for i in range(140)]).rows[-1]
    assert last.text == "41 others"
    assert last.codes == tuple(range(99, 140))


def test_colour_values_when_one_is_far_away_then_the_others_still_differ():
    values = np.r_[np.linspace(0, 1, 200), 1e9, np.nan]
    colouring = colour_values("v", "Value", values, text=lambda v: f"{v:.1f}")
    assert (colouring.low, colouring.high) == ("≤ 0.0", "≥ 1.0")
    assert len(np.unique(colouring.index[:200])) == RAMP_STEPS
    assert (np.diff(colouring.index[:200].astype(int)) >= 0).all()
    assert colouring.index[200] == RAMP_STEPS - 1
    assert colouring.index[201] == NO_VALUE
    assert colouring.rows[0].count == 1


def test_scale_when_nothing_is_beyond_its_ends_then_they_are_said_as_they_are():
    values = np.r_[np.zeros(50), np.ones(50)]
    colouring = colour_values("v", "Value", values, text=str)
    assert (colouring.low, colouring.high) == ("0.0", "1.0")
    given = colour_values("v", "Value", values / 2, text=str, ends=(0.0, 1.0))
    assert (given.low, given.high) == ("0.0", "1.0")


@pytest.mark.parametrize("values", [[], [np.nan, np.nan], [3.0, 3.0]])
def test_colour_values_when_there_is_nothing_to_tell_apart_then_it_works(values):
    colouring = colour_values("v", "Value", np.array(values, float), text=str)
    assert len(colouring.index) == len(values)


@pytest.mark.parametrize("tokens", [DARK, LIGHT])
def test_ramp_when_seen_in_grey_then_it_runs_evenly_away_from_the_ground(tokens):
    colours = [colour.name() for colour in scale_colours(tokens)]
    assert len(colours) == RAMP_STEPS + 1 <= MOST_COLOURS
    light = np.array([relative_luminance(colour) for colour in colours[:-1]])
    steps = np.diff(light) * (1 if tokens.is_dark else -1)
    assert (steps > 0).all()
    assert contrast(colours[RAMP_STEPS - 1], tokens.map) > 7
    assert contrast(colours[0], tokens.map) > 1.5
