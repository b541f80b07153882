"""The nearest point and the set of selected points, against the plain way of finding them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_gui.map.points import MapPoints, PointSelection
from toolplanner_gui.map.tile_index import build_tiles, nearest
from toolplanner_gui.map.viewport import Bounds, Viewport, central_bounds

place = st.floats(-10, 10, width=32)


@given(
    st.lists(st.tuples(place, place), max_size=60),
    st.tuples(place, place),
    st.floats(0.01, 15),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_nearest_when_asked_anywhere_then_it_is_what_brute_force_finds(places, at, radius, some):
    xy = np.array(places, np.float32).reshape(-1, 2)
    tiles = build_tiles(xy)
    allowed = np.arange(len(xy)) % 2 == 0 if some else np.ones(len(xy), dtype=bool)
    found = nearest(tiles, *at, radius=radius, allowed=allowed[tiles.order] if some else None)
    distance = ((xy.astype(np.float64) - np.array(at)) ** 2).sum(axis=1)
    distance[~allowed] = np.inf
    if not len(xy) or distance.min() > radius * radius:
        assert found == -1
    else:
        assert allowed[found]
        assert distance[found] == distance.min()


def test_nearest_when_points_are_in_one_place_then_it_is_the_one_drawn_last():
    tiles = build_tiles(np.zeros((4, 2)))
    assert nearest(tiles, 0, 0, radius=1) == 3


def test_inside_when_a_filter_is_set_then_only_shown_points_are_taken():
    points = MapPoints(np.array([[0, 0], [1, 1], [2, 2], [9, 9]]), np.zeros(4), ["a"])
    box = Bounds(-1, -1, 5, 5)
    assert np.flatnonzero(points.inside(box)).tolist() == [0, 1, 2]
    points.filter(np.array([True, False, True, True]))
    assert np.flatnonzero(points.inside(box)).tolist() == [0, 2]
    assert points.pick(1, 1, 0.5) == -1
    assert points.shown_count == 3
    points.filter(None)
    assert points.pick(1, 1, 0.5) == 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["replace", "add", "remove", "toggle"]),
            st.lists(st.integers(0, 19), max_size=8),
        ),
        max_size=12,
    )
)
@settings(deadline=None)
def test_selection_when_changed_then_it_is_what_a_set_would_be(steps):
    selection, expected = PointSelection(20), set()
    for mode, rows in steps:
        before = set(expected)
        if mode == "replace":
            expected = set(rows)
        elif mode == "add":
            expected |= set(rows)
        elif mode == "remove":
            expected -= set(rows)
        else:
            expected ^= set(rows)
        mask = selection.mask_of(np.array(rows, np.int64))
        assert selection.change(mask, mode) == (before != expected)
        assert set(selection.rows.tolist()) == expected
        assert selection.count == len(expected)


def test_selection_when_a_row_is_not_there_then_it_says_so():
    with pytest.raises(IndexError):
        PointSelection(3).mask_of(np.array([3]))


def test_points_when_arrays_do_not_fit_then_they_say_so():
    with pytest.raises(ValueError, match="toolkit numbers"):
        MapPoints(np.zeros((2, 2)), np.zeros(3), ["a"])
    with pytest.raises(ValueError, match="names"):
        MapPoints(np.zeros((2, 2)), np.array([0, 1]), ["a"])


@given(place, place, st.floats(0.1, 8), st.floats(0, 800), st.floats(0, 600))
@settings(deadline=None)
def test_viewport_when_zoomed_at_a_place_then_the_place_stays(x, y, factor, px, py):
    view = Viewport(x=x, y=y, scale=12.5, width=800, height=600)
    before = view.to_world(px, py)
    after = view.zoomed(factor, (px, py)).to_world(px, py)
    assert np.allclose(before, after, atol=1e-6)
    back = view.to_screen(np.array(before[0]), np.array(before[1]))
    assert np.allclose(back, (px, py), atol=1e-6)


def test_viewport_when_fitted_then_the_box_is_in_view_and_a_dragged_point_follows_the_hand():
    view = Viewport(width=800, height=600).fitted(Bounds(-3, 2, 5, 4))
    seen = view.bounds
    assert (seen.left < -3, seen.right > 5) == (True, True)
    assert (seen.bottom < 2, seen.top > 4) == (True, True)
    x, y = view.to_world(100, 100)
    px, py = view.panned(30, -20).to_screen(np.array(x), np.array(y))
    assert (px, py) == (pytest.approx(130), pytest.approx(80))
    assert Viewport(width=10, height=10).fitted(Bounds(1, 1, 1, 1)).scale > 0


def test_central_bounds_when_a_few_are_far_away_then_they_are_left_out():
    rng = np.random.default_rng(0)
    x = np.r_[rng.uniform(-1, 1, 1000), 500.0]
    box = central_bounds(x, x)
    assert box.right <= 1
    assert central_bounds(x, x, 1.0).right == 500
    assert central_bounds(x[:0], x[:0]) == (-0.5, -0.5, 0.5, 0.5)
