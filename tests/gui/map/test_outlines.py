"""Lines of density and hulls: what they go around, and that they can be turned on and off."""

import numpy as np
import pytest
from fixtures.map_hand import repaint, settle
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from toolplanner_gui.map.contours import (
    SHARES,
    convex_hull,
    density_lines,
    joined_lines,
    level_lines,
    toolkit_hulls,
)
from toolplanner_gui.map.lasso import is_inside_shape


def ring_area(pieces: np.ndarray) -> float:
    """What pieces of closed lines go around, by the formula of the trapezoid."""
    (ax, ay), (bx, by) = (pieces - pieces.mean(axis=(0, 1))).transpose(1, 2, 0)
    return float(np.abs(ax * by - bx * ay).sum() / 2)


def test_lines_when_values_are_a_cone_then_each_level_is_a_closed_circle():
    x, y = np.meshgrid(np.arange(61.0), np.arange(61.0), indexing="ij")
    values = 30 - np.hypot(x - 30, y - 30)
    for radius in (5.3, 12.0, 24.7):
        pieces = level_lines(values, 30 - radius)
        far = np.hypot(pieces[..., 0] - 30, pieces[..., 1] - 30)
        assert np.allclose(far, radius, atol=0.1)
        ends = np.round(pieces.reshape(-1, 2), 6)
        _, met = np.unique(ends, axis=0, return_counts=True)
        assert np.all(met % 2 == 0)
        assert ring_area(pieces) == pytest.approx(np.pi * radius**2, rel=0.02)


def test_lines_when_pieces_meet_then_they_are_one_closed_line_each():
    x, y = np.meshgrid(np.arange(61.0), np.arange(61.0), indexing="ij")
    values = np.maximum(10 - np.hypot(x - 15, y - 15), 10 - np.hypot(x - 44, y - 40))
    pieces = level_lines(values, 3.3)
    lines = joined_lines(pieces)
    assert len(lines) == 2
    assert all(np.array_equal(line[0], line[-1]) for line in lines)
    assert sum(len(line) - 1 for line in lines) == len(pieces)
    opened = joined_lines(pieces[1:])
    assert len(opened) == 2
    assert sum(len(line) - 1 for line in opened) == len(pieces) - 1


@pytest.mark.parametrize("seed", range(5))
def test_density_when_points_are_drawn_then_inner_lines_hold_their_share(seed):
    xy = np.random.default_rng(seed).normal(size=(20_000, 2)) * (3, 1)
    lines = density_lines(xy)
    assert len(lines) == len(SHARES)
    for share, pieces in zip(SHARES[1:], lines[1:], strict=True):
        # An ellipse: its area says how many points of a normal cloud are inside.
        inside = 1 - np.exp(-ring_area(pieces) / (2 * np.pi * 3 * 1))
        assert inside == pytest.approx(share, abs=0.12)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_density_when_there_are_hardly_any_points_then_nothing_breaks(n):
    xy = np.arange(2.0 * n).reshape(n, 2)
    assert all(np.isfinite(pieces).all() for pieces in density_lines(xy))
    assert toolkit_hulls(xy, np.zeros(n, int)) == [] or n == 3


@pytest.mark.parametrize("seed", range(20))
def test_hull_when_places_are_drawn_then_it_is_convex_and_holds_all_of_them(seed):
    chance = np.random.default_rng(seed)
    places = chance.normal(size=(int(chance.integers(3, 60)), 2))
    corners = convex_hull(places)
    inner = places.mean(axis=0) + (places - places.mean(axis=0)) * (1 - 1e-9)
    assert is_inside_shape(corners, inner[:, 0], inner[:, 1]).all()
    sides = np.roll(corners, -1, axis=0) - corners
    after = np.roll(sides, -1, axis=0)
    assert np.all(sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0] > 0)


def test_hulls_when_a_toolkit_has_a_stray_or_lies_scattered_then_they_say_so():
    chance = np.random.default_rng(3)
    crowd = chance.uniform(0, 100, (4000, 2))
    close = chance.normal((150, 50), 1.0, (30, 2))
    xy = np.vstack([crowd, close, [[500.0, 500.0]]])
    labels = np.concatenate([chance.integers(1, 400, 4000), np.zeros(31, int)])
    hulls = toolkit_hulls(xy, labels)
    assert [hull.label for hull in hulls if hull.members > 8][:1] == [0]
    assert hulls[0].corners.max() < 200
    assert len(hulls) < 100


@pytest.mark.parametrize(("name", "key"), [("contours", Qt.Key.Key_C), ("hulls", Qt.Key.Key_B)])
def test_outlines_when_their_key_is_pressed_then_they_come_and_go(canvas, qtbot, name, key):
    before = canvas.grab().toImage()
    QTest.keyClick(canvas, key)
    settle(qtbot, canvas)
    assert canvas._overlays.tools.button(name).isChecked()
    with_them = canvas.grab().toImage()
    layer = canvas._stage.outlines
    assert layer.has_contours if name == "contours" else len(layer.shown_hulls) > 30
    QTest.keyClick(canvas, key)
    settle(qtbot, canvas)
    canvas._overlays.tools.clearFocus()
    assert canvas.grab().toImage() == before != with_them


def test_hulls_when_points_are_filtered_then_only_shown_toolkits_have_one(canvas, qtbot):
    canvas.turn("hulls")
    canvas.set_visible_mask(canvas.points.labels < 5)
    settle(qtbot, canvas)
    repaint(canvas)
    shown = set(canvas._stage.outlines.shown_hulls)
    assert shown
    assert shown <= set(range(5))


def test_outlines_when_the_map_is_shown_again_then_they_are_as_a_person_left_them(opened, qtbot):
    from toolplanner_gui.panels.map_panel import MapPanel

    first = MapPanel(opened)
    qtbot.addWidget(first)
    first.canvas.turn("hulls")
    again = MapPanel(opened)
    qtbot.addWidget(again)
    assert again.canvas._outlines.turned_on == {"hulls"}
