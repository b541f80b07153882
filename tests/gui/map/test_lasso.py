"""Shapes drawn by hand take exactly what they go around."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_gui.map import lasso
from toolplanner_gui.map.lasso import is_inside_shape, points_inside_shape
from toolplanner_gui.map.tile_index import build_tiles

corner = st.tuples(st.floats(-12, 12, width=32), st.floats(-12, 12, width=32))


def plain(xy, shape):
    """Rows inside, every point against every edge."""
    xy = np.asarray(xy, np.float32).astype(np.float64)
    return np.flatnonzero(is_inside_shape(np.asarray(shape, float), xy[:, 0], xy[:, 1])).tolist()


@given(st.lists(corner, min_size=3, max_size=30), st.integers(0, 5), st.booleans())
@settings(max_examples=150, deadline=None)
def test_lasso_when_drawn_anyhow_then_it_takes_what_testing_each_edge_takes(shape, seed, is_large):
    rng = np.random.default_rng(seed)
    xy = rng.uniform(-12, 12, (400, 2)).astype(np.float32)
    tiles = build_tiles(xy)
    before = lasso.LARGE
    lasso.LARGE = 0 if is_large else before
    try:
        found = tiles.order[points_inside_shape(tiles, np.array(shape))]
    finally:
        lasso.LARGE = before
    assert sorted(found.tolist()) == plain(xy, shape)


def test_lasso_when_points_lie_a_hair_off_the_border_then_each_is_judged_rightly():
    edge = np.linspace(0.1, 9.9, 50)
    hair = 1e-4
    xy = np.concatenate([np.column_stack([edge, np.full(50, off)]) for off in (-hair, hair)])
    tiles = build_tiles(xy)
    shape = np.array([[0, 0], [10, 0], [10, 10], [0, 10]])
    found = np.sort(tiles.order[points_inside_shape(tiles, shape)])
    assert found.tolist() == list(range(50, 100))


@pytest.mark.parametrize("shape", [[], [[0, 0]], [[0, 0], [5, 5]], [[1, 1]] * 5])
def test_lasso_when_it_encloses_nothing_then_it_takes_nothing(shape):
    tiles = build_tiles(np.random.default_rng(0).uniform(0, 5, (50, 2)))
    assert len(points_inside_shape(tiles, np.array(shape, float))) == 0
