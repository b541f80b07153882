"""Neighbours differ for every eye; names never overlap; both stay when little changes."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from fixtures.contrast import contrast

from toolplanner_core.curation.grouping.region_colours import choose_colours
from toolplanner_gui.map.label_layer import LabelFonts
from toolplanner_gui.map.label_plan import (
    API,
    REGION,
    TOOLKIT,
    LabelItems,
    MapNames,
    label_items,
    plan_labels,
)
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.toolkit_colours import (
    CATEGORY_COUNT,
    COLOUR_COUNT,
    DARK_COLOURS,
    LIGHT_COLOURS,
    NO_TOOLKIT,
    assign_colours,
    category_colours,
    centres,
    neighbour_pairs,
    provisional_colours,
    toolkit_palette,
)
from toolplanner_gui.map.viewport import Viewport
from toolplanner_gui.theme.tokens import DARK, LIGHT


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
    assert len(toolkit_palette(tokens)) == COLOUR_COUNT + 1


@pytest.mark.parametrize("tokens", [DARK, LIGHT])
@pytest.mark.parametrize(
    ("first", "seen", "blind"),
    [(2, 60, 39), (4, 27, 12), (11, 15, 8), (24, 11.5, 6), (CATEGORY_COUNT, 9, 4.7)],
)
def test_categories_when_the_first_few_are_drawn_then_they_are_as_far_apart_as_can_be(
    tokens, first, seen, blind
):
    maker = load_palette_maker()
    colours = [colour.name() for colour in category_colours(tokens)]
    assert len(colours) == CATEGORY_COUNT + 1
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours[:first]])
    for kind, least in ((None, seen), *((kind, blind) for kind in maker.KINDS)):
        apart = maker.differences(rgb, kind)
        np.fill_diagonal(apart, np.inf)
        assert apart.min() >= least, kind
    assert min(contrast(colour, tokens.map) for colour in colours[:first]) >= 3


@pytest.mark.parametrize("tokens", [DARK, LIGHT])
def test_regions_of_a_large_catalogue_when_coloured_then_no_two_look_alike(tokens):
    numbers = choose_colours([None] * 36, np.random.default_rng(4).normal(size=(36, 2)))
    categories = category_colours(tokens)
    colours = [categories[number % CATEGORY_COUNT].name() for number in numbers]
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    apart = load_palette_maker().differences(rgb)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() >= 9


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


def test_points_when_colours_are_known_then_they_are_theirs_and_final():
    xy, labels = layout(k=40)
    names = [f"Toolkit {i}" for i in range(40)]
    known = assign_colours(xy, labels, 40)
    points = MapPoints(xy, labels, names, settled=known)
    assert points.is_coloured and points.colours.tolist() == known.tolist()
    for wrong in (None, known[:-1], known + COLOUR_COUNT, known - COLOUR_COUNT):
        assert not MapPoints(xy, labels, names, settled=wrong).is_coloured
    edited = MapPoints(xy, labels[::-1].copy(), names, old=points)
    assert not edited.is_coloured, "an edit asks for colours that fit"


def items_of(x, y, width, weight, level=TOOLKIT, *, least=0.0, most=np.inf, height=20.0):
    """Names; what is one number holds for all."""
    k = len(x)
    parts = (width, height, weight, level, least, most)
    wide, tall, heavy, levels, first, last = (np.broadcast_to(part, k) for part in parts)
    return LabelItems(
        x=np.asarray(x, float), y=np.asarray(y, float), width=wide.astype(float),
        height=tall.astype(float), weight=heavy.astype(float), level=levels.astype(np.int8),
        least=first.astype(float), most=last.astype(float),
    )  # fmt: skip


OVERVIEW = 12.0


def random_plan(k=600, seed=0, **how):
    """Names of three levels at random places, with sizes and importance."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, k)) * 10
    level = np.r_[np.full(20, REGION), np.full(k // 2, TOOLKIT), np.full(k - k // 2 - 20, API)]
    items = items_of(
        x, y, rng.uniform(30, 190, k), rng.integers(1, 60, k), level,
        least=np.array([0, OVERVIEW * 1.6, OVERVIEW * 3])[level],
        most=np.where(level == REGION, OVERVIEW * 3, np.inf),
        height=np.array([26.0, 20.0, 18.0])[level],
    )  # fmt: skip
    return plan_labels(items, overview_scale=OVERVIEW, **how)


def overlaps(items, shown, view):
    """Whether two of the shown names cover each other anywhere."""
    x, y = view.to_screen(items.x[shown], items.y[shown])
    wide = (items.width[shown][:, None] + items.width[shown][None, :]) / 2
    tall = (items.height[shown][:, None] + items.height[shown][None, :]) / 2
    overlap = np.abs(x[:, None] - x[None, :]) < wide
    overlap &= np.abs(y[:, None] - y[None, :]) < tall
    np.fill_diagonal(overlap, False)
    return bool(overlap.any())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_labels_when_zoomed_through_fifty_scales_then_none_ever_overlap(seed):
    plan = random_plan(seed=seed)
    counts, levels = [], []
    for scale in OVERVIEW * np.geomspace(0.2, 400, 50):
        view = Viewport(x=0, y=0, scale=scale, width=1e9, height=1e9)
        shown = plan.shown(view)
        counts.append(len(shown))
        levels.append(set(plan.items.level[shown].tolist()))
        assert not overlaps(plan.items, shown, view), scale
    assert counts[-1] > 500
    assert 1 <= counts[0] <= 20
    assert levels[0] == {REGION}
    assert levels[-1] == {TOOLKIT, API}


def test_labels_when_zooming_in_then_the_most_important_comes_first_and_none_goes():
    plan = random_plan()
    is_toolkit = plan.items.level == TOOLKIT
    near, far = (
        {i for i in plan.shown(Viewport(scale=scale, width=1e9, height=1e9)) if is_toolkit[i]}
        for scale in (OVERVIEW * 9, OVERVIEW * 3)
    )
    assert far < near
    regions = np.flatnonzero(plan.items.level == REGION)
    top = regions[np.lexsort((regions, -plan.items.weight[regions]))[0]]
    assert plan.shown(Viewport(scale=1e-6, width=1e9, height=1e9)).tolist() == [top]


@pytest.mark.parametrize("reach", [0.5, 2.0, 4.0])
def test_labels_when_planned_up_to_a_scale_then_until_there_as_if_all_were_planned(reach):
    whole, near = random_plan(k=3000), random_plan(k=3000, reach=reach)
    assert np.isfinite(near.least_scale).sum() < np.isfinite(whole.least_scale).sum() / 2
    for scale in OVERVIEW * np.geomspace(0.2, reach, 20, endpoint=False):
        view = Viewport(scale=scale, width=1e9, height=1e9)
        assert near.shown(view).tolist() == whole.shown(view).tolist(), scale


def test_labels_when_apis_stand_far_apart_then_all_have_their_names():
    items = items_of([0.0, 5e5], [0.0, 5e5], 20.0, [1.0, 1], API, least=[3.0, 3.0], height=10)
    assert plan_labels(items, overview_scale=1.0).least_scale.tolist() == [3.0, 3.0]


def test_labels_when_outside_of_the_view_then_they_are_not_shown():
    items = items_of([0.0, 100, np.nan, 3], [0.0, 0, np.nan, 3], 20.0, [1.0, 1, 1, 0], height=10)
    plan = plan_labels(items, overview_scale=1.0)
    assert plan.shown(Viewport(scale=1, width=50, height=50)).tolist() == [0]
    assert np.isinf(plan.least_scale[2:]).all()


def test_label_items_when_a_toolkit_is_strewn_about_then_it_weighs_less():
    rng = np.random.default_rng(0)
    strewn, dense = rng.uniform(-50, 50, (200, 2)), rng.normal(size=(60, 2)) * 0.5
    xy = np.concatenate([strewn, dense])
    labels = np.r_[np.zeros(200, int), np.ones(60, int)]
    points = MapPoints(xy, labels, ["strewn", "dense", "empty"])
    items, texts = label_items(
        points, MapNames(), measure=lambda text, _level: 6.0 * len(text),
        heights=(20, 16, 14), overview_scale=10,
    )  # fmt: skip
    assert texts == ["strewn", "dense", "empty"]
    assert np.isnan(items.x[2])
    assert items.weight[1] > 4 * items.weight[0]
    assert items.weight[2] == 0
    # Above its dots, not on them.
    assert (xy[200:, 1] > items.y[1]).mean() < 0.15


def test_label_items_when_there_are_regions_and_titles_then_all_levels_are_there(qapp):
    xy, labels = layout(40, per=5)
    points = MapPoints(xy, labels, [f"Toolkit {i}" for i in range(40)])
    names = MapNames(
        region_of=np.arange(40) % 4, regions=["A", "B", "C", "D"],
        title_rows=np.arange(0, 200, 5), titles=[f"API {i}" for i in range(40)],
    )  # fmt: skip
    fonts = LabelFonts(qapp.font())
    items, texts = label_items(
        points, names, measure=fonts.width, heights=fonts.heights, overview_scale=10
    )
    assert np.bincount(items.level).tolist() == [4, 40, 40]
    assert texts[:5] == ["A", "B", "C", "D", "Toolkit 0"]
    assert (items.most[:4] < np.inf).all()
    assert (items.least[4:44] > 10).all()
    assert (items.least[44:] >= items.least[4]).all()
    assert items.height[0] > items.height[4] > items.height[44]
    # A width that was added up letter by letter is never too small for the text.
    for level, text in ((REGION, "Wavy AVATAR Ty."), (API, "fi ffl WAV")):
        assert fonts.width(text, level) >= fonts.metrics[level].horizontalAdvance(text)


@pytest.mark.parametrize(("k", "per"), [(400, 9), (5000, 3)])
@pytest.mark.parametrize(("colours", "tokens"), [(DARK_COLOURS, DARK), (LIGHT_COLOURS, LIGHT)])
def test_neighbours_when_seen_by_any_eye_then_their_colours_are_apart(k, per, colours, tokens):
    maker = load_palette_maker()
    xy, labels = layout(k, per=per)
    chosen = assign_colours(xy, labels, k)
    pairs = neighbour_pairs(centres(xy, labels, k))
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    for kind, least in ((None, 15.0), *((kind, 8.0) for kind in maker.KINDS)):
        apart = maker.differences(rgb, kind)
        assert apart[chosen[pairs[:, 0]], chosen[pairs[:, 1]]].min() >= least, kind


def test_assign_colours_when_toolkits_are_listed_in_another_order_then_each_keeps_its_own():
    k = 500
    xy, labels = layout(k)
    old = MapPoints(xy, labels, [f"T{i}" for i in range(k)], keys=np.arange(k) + 1000)
    old.settle_colours(assign_colours(xy, labels, k, keys=old.keys))
    order = np.random.default_rng(1).permutation(k)
    place = np.argsort(order)
    new = MapPoints(xy, place[labels], [f"T{i}" for i in order], keys=order + 1000, old=old)
    settled = assign_colours(xy, new.labels, k, new.settled_colours, keys=new.keys)
    assert (settled == old.colours[order]).all()
    assert (new.colours == old.colours[order]).all()


def test_assign_colours_when_old_colours_leave_none_free_then_only_the_surroundings_change():
    k = 600
    xy, labels = layout(k, per=4)
    before = assign_colours(xy, labels, k)
    pairs = neighbour_pairs(centres(xy, labels, k))
    hub = int(np.bincount(pairs.ravel(), minlength=k).argmax())
    around = pairs[(pairs == hub).any(axis=1)].sum(axis=1) - hub
    crowded = before.copy()
    # All colours stand around the hub now, so that none is free for it.
    crowded[around] = np.arange(len(around)) % COLOUR_COUNT
    crowded[hub] = -1
    after = assign_colours(xy, labels, k, crowded)
    assert clashes(xy, labels, k, after) == 0
    assert (after != before).mean() < 0.2
