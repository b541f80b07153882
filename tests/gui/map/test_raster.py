"""Points become pixels: each one, whatever the edge, the order, the zoom."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_gui.map.rasteriser import RasterStyle, Scene, render
from toolplanner_gui.map.tile_index import build_tiles
from toolplanner_gui.map.viewport import Viewport, central_bounds

GROUND = 0xFF101010
COLOURS = (0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFFFFFF00)
STYLE = RasterStyle(background=GROUND, colours=COLOURS, ring=0xFFFFFFFF, found=0xFF00FFFF)
KINDS = ("discs", "dots", "density")


def draw(xy, colour=None, *, view=None, kind=None, radius=2.0, ratio=1.0, **state):
    """The visible part of the image as `(height, width) uint32`, and the picture."""
    xy = np.asarray(xy, np.float32).reshape(-1, 2)
    tiles = build_tiles(xy)
    colour = np.zeros(len(xy), np.uint8) if colour is None else np.asarray(colour, np.uint8)
    view = view or Viewport(x=50, y=40, scale=1, width=100, height=80)
    masks = {name: None if mask is None else mask[tiles.order] for name, mask in state.items()}
    scene = Scene(tiles=tiles, colour=colour[tiles.order], **masks)
    picture = render(scene, view, STYLE, radius=radius, ratio=ratio, kind=kind)
    m = picture.margin
    return picture.pixels[m:-m, m:-m], picture


def grid(step=7):
    """Points far enough apart to touch no other."""
    xs, ys = np.meshgrid(np.arange(5, 96, step), np.arange(5, 76, step))
    return np.column_stack([xs.ravel(), ys.ravel()]) + 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_render_when_points_are_apart_then_each_colours_its_own_pixel(kind):
    xy = grid()
    colour = np.arange(len(xy)) % 4
    pixels, picture = draw(xy, colour, kind=kind)
    found = pixels[(80 - xy[:, 1]).astype(int), xy[:, 0].astype(int)]
    assert picture.points == len(xy)
    assert (found == np.array(COLOURS, np.uint32)[colour]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_render_when_rows_are_permuted_then_the_picture_is_the_same(kind):
    rng = np.random.default_rng(1)
    xy = grid()
    colour = np.arange(len(xy)) % 4
    order = rng.permutation(len(xy))
    assert (draw(xy, colour, kind=kind)[0] == draw(xy[order], colour[order], kind=kind)[0]).all()


@given(
    st.lists(st.tuples(st.floats(-20, 120), st.floats(-20, 100)), max_size=40),
    st.sampled_from(KINDS),
    st.floats(0.5, 30),
)
@settings(max_examples=60, deadline=None)
def test_render_when_a_point_is_in_view_then_its_pixel_is_not_ground(places, kind, scale):
    view = Viewport(x=50, y=40, scale=scale, width=100, height=80)
    xy = np.array(places, np.float32).reshape(-1, 2)
    pixels, _ = draw(xy, view=view, kind=kind)
    column, row = view.to_screen(xy[:, 0], xy[:, 1])
    # A hundredth of a pixel beside a pixel's border is left to float32.
    inside = (column > 0.05) & (column < 99.95) & (row > 0.05) & (row < 79.95)
    clear = (np.abs(column - np.round(column)) > 0.02) & (np.abs(row - np.round(row)) > 0.02)
    chosen = inside & clear
    found = pixels[np.floor(row[chosen]).astype(int), np.floor(column[chosen]).astype(int)]
    assert (found != GROUND).all()


def test_render_when_a_centre_is_just_outside_then_its_disc_reaches_in():
    far = [(-500, -500), (500, 500)]
    for x, y in ((-1.2, 40), (101.2, 40), (50, -1.2), (50, 81.2)):
        for others in ([], far):
            pixels, _ = draw([(x, y), *others], kind="discs", radius=3)
            assert (pixels != GROUND).any(), (x, y)
    pixels, _ = draw([(-30, 40)], kind="discs", radius=3)
    assert (pixels == GROUND).all()


@pytest.mark.parametrize("kind", KINDS)
def test_render_when_points_are_in_one_place_then_the_last_row_wins(kind):
    pixels, _ = draw([(50.5, 40.5)] * 3, [2, 0, 1], kind=kind)
    assert pixels[39, 50] == COLOURS[1]


def test_render_when_discs_overlap_then_the_later_lies_whole_on_the_earlier():
    # One tile: the order of rows is the order of drawing.
    pixels, _ = draw([(50.5, 40.5), (52.5, 40.5)], [0, 1], kind="discs", radius=4)
    assert (pixels[39, 49:56] == COLOURS[1]).all()
    pixels, _ = draw([(50.5, 40.5), (52.5, 40.5)], [1, 0], kind="discs", radius=4)
    assert (pixels[39, 49:56] == COLOURS[0]).all()


def test_render_when_dots_are_widened_then_the_later_point_wins_not_the_later_direction():
    for colour in ([0, 1], [1, 0]):
        pixels, _ = draw([(50.5, 40.5), (52.5, 40.5)], colour, kind="dots", radius=2)
        assert pixels[39, 51] == COLOURS[colour[1]]
        pixels, _ = draw([(52.5, 40.5), (50.5, 40.5)], colour, kind="dots", radius=2)
        assert pixels[39, 51] == COLOURS[colour[1]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_render_when_few_or_equal_points_then_it_works(kind, n):
    pixels, picture = draw([(50.5, 40.5)] * n, kind=kind)
    assert picture.points == n
    assert (pixels != GROUND).any() == (n > 0)


def test_render_when_nothing_is_in_view_then_it_is_empty():
    view = Viewport(x=5000, y=5000, scale=1, width=30, height=20)
    pixels, picture = draw([(1, 1), (2, 2)], view=view)
    assert picture.kind == "empty"
    assert pixels.shape == (20, 30)
    assert (pixels == GROUND).all()


def test_render_when_points_are_filtered_then_they_are_faint_and_lowest():
    hidden = np.array([False, True])
    pixels, _ = draw([(50.5, 40.5), (50.5, 40.5)], [0, 1], hidden=hidden, kind="discs")
    assert pixels[39, 50] == COLOURS[0]
    pixels, _ = draw([(50.5, 40.5)], [0], hidden=np.array([True]), kind="discs")
    red = (int(pixels[39, 50]) >> 16) & 255
    assert 16 < red < 80


def test_render_when_one_is_selected_then_it_is_ringed_on_top_and_others_are_softer():
    selected = np.array([True, False])
    xy = [(50.5, 40.5), (51.5, 40.5)]
    for kind in KINDS:
        pixels, _ = draw(xy, [0, 1], selected=selected, kind=kind)
        assert pixels[39, 50] == COLOURS[0]
        # Fine rings around small dots share their pixels with the ground.
        channels = np.stack([(pixels >> shift) & 255 for shift in (0, 8, 16)])
        assert (channels >= 150).all(axis=0).sum() >= 4
        assert not (pixels == COLOURS[1]).any()


def test_render_when_the_screen_has_two_pixels_a_point_then_the_image_is_twice_as_large():
    pixels, _ = draw([(50.5, 40.5)], ratio=2.0, radius=3)
    assert pixels.shape == (160, 200)
    assert pixels[79, 101] == COLOURS[0]
    one, _ = draw([(50.5, 40.5)], radius=3)
    assert (pixels != GROUND).sum() == pytest.approx(4 * (one != GROUND).sum(), rel=0.25)


@pytest.mark.parametrize(("x", "y"), [(50.1, 40.1), (50.9, 40.9), (50.5, 40.5), (50.4, 40.9)])
def test_render_when_a_disc_moves_within_a_pixel_then_its_weight_follows(x, y):
    pixels, _ = draw([(x, y)], kind="discs", radius=3)
    red = ((pixels >> 16) & 255).astype(float) - 16
    rows, columns = np.indices(red.shape) + 0.5
    assert (columns * red).sum() / red.sum() == pytest.approx(x, abs=0.2)
    assert (rows * red).sum() / red.sum() == pytest.approx(80 - y, abs=0.2)


def test_render_when_given_old_pixels_then_they_are_used_and_nothing_of_them_is_left():
    _, old = draw(grid())
    fresh, _ = draw([(20.5, 20.5)])
    tiles = build_tiles(np.array([[20.5, 20.5]]))
    view = Viewport(x=50, y=40, scale=1, width=100, height=80)
    scene = Scene(tiles=tiles, colour=np.zeros(1, np.uint8))
    again = render(scene, view, STYLE, radius=2.0, into=old.pixels)
    assert again.pixels is old.pixels
    m = again.margin
    assert (again.pixels[m:-m, m:-m] == fresh).all()


def test_render_when_zoomed_far_in_then_points_stand_where_the_viewport_says():
    rng = np.random.default_rng(3)
    xy = rng.normal(size=(2000, 2)).astype(np.float32) * 8
    x, y = (float(v) for v in xy[700])
    view = Viewport(width=400, height=300).fitted(central_bounds(xy[:, 0], xy[:, 1]))
    view = Viewport(x=x, y=y, scale=view.scale * 2500, width=400, height=300)
    pixels, _ = draw(xy, view=view, kind="discs", radius=3)
    assert pixels[150, 200] == COLOURS[0]


def test_tiles_when_asked_for_a_box_then_they_hold_all_points_inside():
    rng = np.random.default_rng(5)
    xy = rng.normal(size=(3000, 2)).astype(np.float32)
    tiles = build_tiles(xy)
    assert (np.sort(tiles.order) == np.arange(3000)).all()
    assert (tiles.order[tiles.rank] == np.arange(3000)).all()
    assert (tiles.x == xy[tiles.order, 0]).all()
    for _ in range(50):
        left, right = np.sort(rng.normal(size=2))
        bottom, top = np.sort(rng.normal(size=2))
        box = type(tiles.bounds)(left, bottom, right, top)
        inside = (xy[:, 0] >= left) & (xy[:, 0] <= right)
        inside &= (xy[:, 1] >= bottom) & (xy[:, 1] <= top)
        found = tiles.order[tiles.inside(box)]
        assert set(found.tolist()) == set(np.flatnonzero(inside).tolist())


@pytest.mark.parametrize("bad", [np.zeros((3, 3)), np.array([[0.0, np.nan]])])
def test_tiles_when_coordinates_are_no_places_then_they_say_so(bad):
    with pytest.raises(ValueError, match="coordinates"):
        build_tiles(bad)


@pytest.mark.parametrize("kind", KINDS)
def test_render_when_points_are_found_then_shown_ones_have_a_ring_and_selected_ones_theirs(kind):
    xy = [(20, 40), (40, 40), (60, 40), (80, 40)]
    masks = np.array([[1, 1, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0]], bool)
    found, selected, hidden = masks
    pixels, _ = draw(xy, radius=4, kind=kind, found=found, selected=selected, hidden=hidden)
    rings = [
        {int(p) for p in pixels[30:50, x - 10 : x + 10].ravel()} & {STYLE.found, STYLE.ring}
        for x, _ in xy
    ]
    assert rings == [{STYLE.found}, {STYLE.ring}, set(), set()]
