"""Neighbours differ for every eye; names never overlap; both stay when little changes."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from toolplanner_gui.map.colours import assign_colours, provisional_colours
from toolplanner_gui.map.labels import LabelPlan, label_weights, plan_labels
from toolplanner_gui.map.neighbours import centres, neighbour_pairs
from toolplanner_gui.map.palette import (
    COLOUR_COUNT,
    DARK_COLOURS,
    LIGHT_COLOURS,
    NO_TOOLKIT,
    palette_of,
)
from toolplanner_gui.map.viewport import Viewport
from toolplanner_gui.theme.tokens import DARK, LIGHT, contrast


def load_palette_maker():
    """The script beside this file; tests are no package."""
    path = Path(__file__).with_name("make_palettes.py")
    spec = importlib.util.spec_from_file_location("make_palettes", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def layout(k=400, per=9, seed=0):
    """Toolkits as blobs: xy `(n, 2)`, labels `(n,)`."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(k, 2)) * 10
    labels = np.repeat(np.arange(k), per)
    return (middles[labels] + rng.normal(size=(k * per, 2)) * 0.3).astype(np.float32), labels


def clashes(xy, labels, n, colours):
    """Neighbouring toolkits with one colour."""
    pairs = neighbour_pairs(centres(xy, labels, n))
    return int((colours[pairs[:, 0]] == colours[pairs[:, 1]]).sum())


@pytest.mark.parametrize(("colours", "tokens"), [(DARK_COLOURS, DARK), (LIGHT_COLOURS, LIGHT)])
def test_palette_when_seen_by_any_eye_then_all_colours_are_apart(colours, tokens):
    maker = load_palette_maker()
    assert len(set(colours)) == COLOUR_COUNT
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    for kind, least in ((None, 15.0), *((kind, 8.0) for kind in maker.KINDS)):
        apart = maker.differences(rgb, kind)
        np.fill_diagonal(apart, np.inf)
        assert apart.min() >= least, kind
    assert min(contrast(colour, tokens.map) for colour in colours) >= 3
    assert len(palette_of(tokens)) == COLOUR_COUNT + 1


def test_ciede2000_when_given_the_pairs_of_its_paper_then_it_agrees():
    maker = load_palette_maker()
    # Source: Sharma, Wu, Dalal 2005, table 1, pairs 1, 7, 17 and 20.
    first = [(50, 2.6772, -79.7751), (50, 0, 0), (50, 2.5, 0), (50, 2.5, 0)]
    second = [(50, 0, -82.7485), (50, -1, 2), (73, 25, -18), (58, 24, 15)]
    found = maker.ciede2000(np.array(first), np.array(second))
    assert np.allclose(found, [2.0425, 2.3669, 27.1492, 19.4535], atol=1e-4)


@pytest.mark.parametrize("k", [1, 2, 3, 11, 13, 400, 5000])
def test_assign_colours_when_toolkits_are_neighbours_then_they_differ(k):
    xy, labels = layout(k, per=3)
    colours = assign_colours(xy, labels, k)
    assert colours.shape == (k,)
    assert colours.min() >= 0
    assert colours.max() < COLOUR_COUNT
    assert clashes(xy, labels, k, colours) == 0
    assert (colours == assign_colours(xy, labels, k)).all()


@pytest.mark.parametrize("shape", ["line", "same", "grid"])
def test_assign_colours_when_centres_are_degenerate_then_it_works(shape):
    k = 40
    places = {
        "line": np.column_stack([np.arange(k), np.zeros(k)]),
        "same": np.zeros((k, 2)),
        "grid": np.column_stack([np.arange(k) % 8, np.arange(k) // 8]),
    }[shape]
    colours = assign_colours(places, np.arange(k), k)
    assert clashes(places, np.arange(k), k, colours) == 0
    assert len(np.unique(colours)) > 1


def test_assign_colours_when_there_is_no_point_then_it_is_grey():
    assert assign_colours(np.zeros((0, 2)), np.zeros(0, int), 0).shape == (0,)
    colours = assign_colours(np.array([[0, 0], [1, 1]]), np.array([-1, 2]), 3)
    assert colours[0] == colours[1] == NO_TOOLKIT
    assert colours[2] < COLOUR_COUNT
    assert provisional_colours(100).max() < COLOUR_COUNT


def test_assign_colours_when_a_few_toolkits_change_then_the_others_keep_theirs():
    k = 1000
    xy, labels = layout(k)
    before = assign_colours(xy, labels, k)
    edited = labels.copy()
    edited[labels == 10] = 11
    edited[(labels == 500) & (np.arange(len(labels)) % 2 == 0)] = k
    after = assign_colours(xy, edited, k + 1, previous=before)
    assert clashes(xy, edited, k + 1, after) == 0
    touched = {10, 11, 500, k}
    changed = set(np.flatnonzero(after[:k] != before).tolist())
    assert 10 in changed
    assert len(changed - touched) <= 10


def random_plan(k=600, seed=0):
    """Names of random places, sizes, importance."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(k, 2)) * 10
    width = rng.uniform(30, 190, k)
    weight = rng.integers(1, 60, k).astype(float)
    overview = 12.0
    return plan_labels(middles, weight, width, 20.0, overview_scale=overview), overview


def test_labels_when_zoomed_through_thirty_scales_then_none_ever_overlap():
    plan, overview = random_plan()
    counts = []
    for scale in overview * np.geomspace(0.2, 400, 30):
        view = Viewport(x=0, y=0, scale=scale, width=1e9, height=1e9)
        shown = plan.shown(view)
        counts.append(len(shown))
        x, y = view.to_screen(plan.x[shown], plan.y[shown])
        wide = (plan.width[shown][:, None] + plan.width[shown][None, :]) / 2
        overlap = np.abs(x[:, None] - x[None, :]) < wide
        overlap &= np.abs(y[:, None] - y[None, :]) < plan.height
        np.fill_diagonal(overlap, False)
        assert not overlap.any(), scale
    assert counts == sorted(counts)
    assert counts[-1] > 500
    assert 1 <= counts[0] < 40


def test_labels_when_zooming_in_then_the_most_important_comes_first_and_none_goes():
    plan, overview = random_plan()
    far = set(plan.shown(Viewport(scale=overview, width=1e9, height=1e9)).tolist())
    near = set(plan.shown(Viewport(scale=overview * 3, width=1e9, height=1e9)).tolist())
    assert far < near
    top = int(np.lexsort((np.arange(len(plan.weight)), -plan.weight))[0])
    assert plan.shown(Viewport(scale=1e-6, width=1e9, height=1e9)).tolist() == [top]


def test_labels_when_outside_of_the_view_then_they_are_not_shown():
    plan = plan_labels(
        np.array([[0.0, 0], [100, 0], [np.nan, np.nan], [3, 3]]),
        np.array([1.0, 1, 1, 0]),
        np.full(4, 20.0),
        10.0,
        overview_scale=1.0,
    )
    assert isinstance(plan, LabelPlan)
    assert plan.shown(Viewport(scale=1, width=50, height=50)).tolist() == [0]
    assert np.isinf(plan.least_scale[2:]).all()


def test_label_weights_when_a_toolkit_is_strewn_about_then_it_weighs_less():
    rng = np.random.default_rng(0)
    strewn, dense = rng.uniform(-50, 50, (200, 2)), rng.normal(size=(60, 2)) * 0.5
    xy = np.concatenate([strewn, dense])
    labels = np.r_[np.zeros(200, int), np.ones(60, int)]
    middles = centres(xy, labels, 3)
    assert np.isnan(middles[2]).all()
    weight = label_weights(xy, labels, middles)
    assert weight[1] > 4 * weight[0]
    assert weight[2] == 0
