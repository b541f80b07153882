"""The map as a person uses it: look, point, click, drag, keys; offscreen, with real events."""

import threading

import numpy as np
import pytest
import shiboken6
from fixtures.leftovers import GRACE_S
from fixtures.map_hand import (
    ALT,
    LEFT,
    NO,
    SHIFT,
    K,
    blobs,
    board,
    colour_of,
    drag,
    move,
    place_of,
    settle,
    show,
    wheel,
)
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from toolplanner_core.words.formatting import counted
from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.map.toolkit_colours import toolkit_palette
from toolplanner_gui.theme.tokens import DARK


def test_canvas_when_drawn_then_points_have_their_toolkits_colours(canvas):
    image = canvas.grab().toImage()
    xy, labels, _names = blobs()
    hits = 0
    for row in range(0, len(xy), 7):
        wanted = colour_of(canvas, int(labels[row]))
        hits += image.pixelColor(place_of(canvas, row)) == wanted
    assert hits > 70
    assert canvas._overlays.legend.text() == "720 of 720 APIs · 60 toolkits · coloured by toolkit"
    assert canvas.accessibleName() == "Map of APIs"
    assert "720 of 720" in canvas.accessibleDescription()


def test_line_when_something_is_selected_then_that_comes_before_what_stays_the_same(canvas):
    QTest.mouseClick(board(canvas), LEFT, NO, place_of(canvas, 5))
    said = canvas._overlays.legend.whole
    assert said.endswith(" · coloured by toolkit")
    assert said.index("1 selected") < said.index("coloured by")


def test_canvas_when_neighbours_are_known_then_their_colours_differ(canvas):
    colours = [colour_of(canvas, i).name() for i in range(K)]
    for i in range(K - 1):
        if (i + 1) % 8:
            assert colours[i] != colours[i + 1]


def test_click_when_on_a_point_then_it_is_selected_and_keys_add_and_remove(canvas, qtbot):
    with qtbot.waitSignal(canvas.selection_changed):
        QTest.mouseClick(board(canvas), LEFT, NO, place_of(canvas, 5))
    (first,) = canvas.selected.tolist()
    QTest.mouseClick(board(canvas), LEFT, SHIFT, place_of(canvas, 300))
    assert len(canvas.selected) == 2
    # First of the line: it is what has just changed, and the end is cut where room is short.
    assert canvas._overlays.legend.text().startswith("2 selected")
    QTest.mouseClick(board(canvas), LEFT, ALT, place_of(canvas, 5))
    assert len(canvas.selected) == 1
    assert first not in canvas.selected
    QTest.mouseClick(board(canvas), LEFT, NO, QPoint(2, 2))
    assert len(canvas.selected) == 0


def test_rectangle_when_drawn_then_the_points_inside_are_selected(canvas):
    canvas.set_tool("rectangle")
    assert board(canvas).cursor().shape() == Qt.CursorShape.CrossCursor
    assert canvas._overlays.tools.button("rectangle").isChecked()
    start, stop = QPoint(200, 100), QPoint(400, 300)
    drag(canvas, start, stop)
    xy, _labels, _names = blobs()
    px, py = canvas.camera.view.to_screen(xy[:, 0], xy[:, 1])
    inside = (px >= 200) & (px <= 400) & (py >= 100) & (py <= 300)
    assert canvas.selected.tolist() == np.flatnonzero(inside).tolist()
    before = len(canvas.selected)
    drag(canvas, QPoint(200, 100), QPoint(300, 300), ALT)
    assert 0 < len(canvas.selected) < before


def test_rectangle_when_a_filter_is_set_then_only_shown_points_are_taken(canvas):
    _xy, labels, _names = blobs()
    canvas.set_visible_mask(labels < 30)
    # Only toolkits of which something is shown are counted.
    assert canvas._overlays.legend.text().startswith("360 of 720 APIs shown · 30 toolkits")
    drag(canvas, QPoint(1, 1), QPoint(638, 470), SHIFT)
    assert len(canvas.selected) > 300
    assert labels[canvas.selected].max() < 30
    canvas.set_visible_mask(None)
    assert " · 720 of 720 APIs · " in canvas._overlays.legend.text()


def test_escape_when_pressed_then_it_ends_the_rectangle_then_the_tool_then_the_selection(canvas):
    canvas.set_tool("rectangle")
    canvas.select([1, 2, 3])
    QTest.mousePress(board(canvas), LEFT, NO, QPoint(200, 100))
    move(canvas, QPoint(300, 300))
    assert canvas._stage.view.is_dragging
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert not canvas._stage.view.is_dragging
    QTest.mouseRelease(board(canvas), LEFT, NO, QPoint(300, 300))
    assert canvas.selected.tolist() == [1, 2, 3]
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas.tool == "pan"
    assert canvas.selected.tolist() == [1, 2, 3]
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas.selected.tolist() == []


def test_drag_when_the_hand_moves_then_the_map_follows_and_nothing_is_selected(canvas):
    before = canvas.camera.view
    world = before.to_world(300, 200)
    drag(canvas, QPoint(300, 200), QPoint(360, 170))
    x, y = canvas.camera.view.to_screen(np.array(world[0]), np.array(world[1]))
    assert (float(x), float(y)) == (pytest.approx(360), pytest.approx(170))
    assert len(canvas.selected) == 0


def test_wheel_when_turned_many_times_in_a_frame_then_one_zoom_around_the_cursor_follows(canvas):
    moves = []
    canvas.camera.moved.connect(lambda: moves.append(canvas.camera.view))
    before = canvas.camera.view
    world = before.to_world(150, 350)
    for _ in range(20):
        wheel(canvas, QPoint(150, 350), 0.25)
    QApplication.processEvents()
    assert len(moves) == 1
    assert canvas.camera.view.scale == pytest.approx(before.scale * 1.25**5)
    assert canvas.camera.view.to_world(150, 350) == pytest.approx(world)


def test_keys_when_pressed_then_the_map_moves_zooms_and_fits(canvas):
    start = canvas.camera.view
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.camera.view.x > start.x
    QTest.keyClick(canvas, Qt.Key.Key_Up)
    assert canvas.camera.view.y > start.y
    QTest.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.camera.view.scale > start.scale
    QTest.keyClick(canvas, Qt.Key.Key_Minus)
    assert canvas.camera.view.scale == pytest.approx(start.scale)
    QTest.keyClick(canvas, Qt.Key.Key_Home)
    central = canvas.camera.view
    QTest.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.camera.view.scale < central.scale
    QTest.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.camera.view.scale == pytest.approx(central.scale)
    canvas.select([7])
    activated = []
    canvas.point_activated.connect(activated.append)
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert activated == [7]


def test_hover_when_the_cursor_rests_then_it_is_told_once_with_a_card_in_plain_text(canvas, qtbot):
    canvas.set_card(lambda row: [f"<b>API</b> {row}", "second\nline", "x" * 400])
    told = []
    canvas.hovered.connect(told.append)
    move(canvas, QPoint(3, 3))
    with qtbot.waitSignal(canvas.hovered):
        move(canvas, place_of(canvas, 40))
    row = told[-1]
    assert row >= 0
    assert canvas._overlays.card.isVisible()
    assert canvas._overlays.card.lines[:2] == [f"<b>API</b> {row}", "second line"]
    assert canvas._overlays.card.lines[2].endswith("…")
    assert canvas.rect().contains(canvas._overlays.card.geometry())
    card = canvas._overlays.card.geometry()
    assert not any(box.toRect().intersects(card) for _i, box in canvas._stage.labels.shown_boxes())
    with qtbot.waitSignal(canvas.hovered):
        move(canvas, QPoint(3, 3))
    assert told == [row, -1]
    assert not canvas._overlays.card.isVisible()


def test_double_click_when_on_a_point_then_it_is_activated(canvas, qtbot):
    with qtbot.waitSignal(canvas.point_activated) as signal:
        QTest.mouseDClick(board(canvas), LEFT, NO, place_of(canvas, 11))
    assert signal.args[0] >= 0


def test_labels_when_panned_and_zoomed_then_none_overlap_on_the_screen(canvas):
    seen = set()
    for scale in np.geomspace(0.4, 60, 30):
        canvas.fit()
        canvas.camera.zoom(float(scale), (320, 240))
        boxes = [box for _i, box in canvas._stage.labels.shown_boxes()]
        seen |= {i for i, _box in canvas._stage.labels.shown_boxes()}
        for first, one in enumerate(boxes):
            assert not any(one.intersects(other) for other in boxes[first + 1 :])
    assert len(seen) > 30


def test_centre_on_when_given_a_toolkit_then_it_is_in_the_middle_and_named(canvas):
    _xy, labels, _names = blobs()
    rows = np.flatnonzero(labels == 17)
    canvas.select(rows)
    canvas.centre_on(rows)
    at = place_of(canvas, int(rows[3]))
    assert 150 < at.x() < 490
    assert 100 < at.y() < 380
    assert "Toolkit 17" in [text for text, _level, _box in canvas._stage.labels.shown_texts()]
    canvas.centre_on([])


def test_centre_on_when_motion_is_wanted_then_it_glides_for_less_than_a_fifth_of_a_second(
    canvas, qtbot
):
    canvas._stage.is_motion_reduced = False
    views = []
    canvas.camera.moved.connect(lambda: views.append(canvas.camera.view))
    canvas.centre_on([0])
    target = canvas.camera.target
    assert canvas.camera._animation.duration() < 200
    qtbot.waitUntil(lambda: not canvas.camera.is_moving, timeout=2000)
    assert len(views) > 1
    assert canvas.camera.view == target


def test_set_data_when_only_toolkits_change_then_view_selection_and_filter_stay(canvas, qtbot):
    xy, labels, names = blobs()
    canvas.camera.zoom(3)
    canvas.select([4, 5])
    canvas.set_visible_mask(labels < 50)
    view = canvas.camera.view
    before = [colour_of(canvas, i) for i in range(K)]
    merged = labels.copy()
    merged[merged == 20] = 21
    show(canvas, xy, merged, names, "coloured by toolkit")
    settle(qtbot, canvas)
    assert canvas.camera.view == view
    assert canvas.selected.tolist() == [4, 5]
    assert "600 of 720 APIs shown · 49 toolkits" in canvas._overlays.legend.text()
    after = [colour_of(canvas, i) for i in range(K)]
    changed = [i for i in range(K) if before[i] != after[i]]
    assert len(changed) <= 4
    show(canvas, xy[:10], merged[:10], names, "")
    assert canvas.selected.tolist() == []


def test_filter_when_nothing_that_is_selected_is_shown_then_what_is_shown_is_not_dimmed(canvas):
    _xy, labels, _names = blobs()
    canvas.select(np.flatnonzero(labels == 40))
    assert canvas.points.scene().selected is not None
    canvas.set_visible_mask(labels == 3)
    assert canvas.points.scene().selected is None
    canvas.set_visible_mask(labels > 3)
    assert canvas.points.scene().selected is not None


def test_map_when_nothing_is_in_view_then_it_says_how_to_see_all_again(canvas, qtbot):
    hint = canvas._overlays.hint
    canvas.camera.go_to(1e4, 1e4, canvas.camera.view.scale)
    qtbot.waitUntil(hint.isVisible)
    assert "Ctrl+0" in hint.text()
    canvas.fit()
    qtbot.waitUntil(hint.isHidden)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_set_data_when_there_are_few_points_then_everything_still_works(canvas, qtbot, n):
    show(canvas, np.zeros((n, 2)), np.zeros(n, int), ["Only"] if n else [], "")
    settle(qtbot, canvas)
    canvas.fit()
    canvas.fit()
    canvas.camera.zoom(2)
    canvas.select(np.arange(n))
    drag(canvas, QPoint(1, 1), QPoint(600, 400), SHIFT)
    assert len(canvas.selected) == n
    assert not canvas.grab().isNull()
    assert f"{n} of {counted(n, 'API')}" in canvas._overlays.legend.text()


def test_theme_when_switched_live_then_the_map_follows(canvas, qtbot):
    with qtbot.waitSignal(canvas.colours_changed):
        canvas.set_theme(DARK)
    settle(qtbot, canvas)
    image = canvas.grab().toImage()
    assert image.pixelColor(3, 200).name() == DARK.map
    assert colour_of(canvas, 0) in toolkit_palette(DARK)


def test_canvas_when_drawing_is_slow_then_the_old_image_moves_and_the_exact_one_follows(
    canvas, qtbot
):
    canvas._stage.raster.paces.extend([1000.0] * 10)
    canvas.camera.pan(50, 0)
    canvas.camera.zoom(1.3)
    old = canvas._stage.raster.picture
    canvas.grab()
    assert canvas._stage.raster.picture is old
    assert not canvas._stage.raster.is_exact
    qtbot.waitUntil(lambda: canvas._stage.raster.is_exact, timeout=2000)
    assert canvas._stage.raster.picture is not old


def test_canvas_when_dragged_a_little_then_the_kept_image_shows_what_a_new_one_would(canvas):
    canvas.grab()
    kept = canvas._stage.raster.picture
    canvas.camera.pan(37, -22)
    moved = canvas.grab().toImage()
    assert canvas._stage.raster.picture is kept
    canvas._stage.raster.invalidate()
    assert canvas.grab().toImage() == moved
    assert canvas._stage.raster.picture is not kept
    canvas.camera.pan(500, 0)
    assert not canvas._stage.raster.is_exact
    canvas.grab()
    canvas.camera.zoom(1.00001)
    assert not canvas._stage.raster.is_exact


def test_canvas_when_the_window_grows_then_a_fitted_map_stays_fitted(canvas):
    before = canvas.camera.view.scale
    canvas.resize(1000, 900)
    QApplication.processEvents()
    assert canvas.camera.view.scale > before
    assert canvas.camera.view.width == 1000


def test_canvas_when_all_is_seen_in_a_low_window_then_the_legend_covers_no_point(canvas, qtbot):
    canvas.resize(640, 170)
    QTest.keyClick(canvas, Qt.Key.Key_0)
    settle(qtbot, canvas)
    lowest = max(place_of(canvas, row).y() for row in range(len(canvas.points)))
    assert lowest < canvas._overlays.legend.y()


def test_canvas_when_repainted_three_hundred_times_then_no_reference_to_none_is_lost(canvas):
    import sys

    before = sys.getrefcount(None)
    for step in range(300):
        canvas.camera.pan(3 if step % 2 else -3, 1)
        canvas._stage.view.viewport().repaint()
    lost = before - sys.getrefcount(None)
    assert lost < 100


def test_canvas_when_closed_while_it_works_then_nothing_is_left(qapp):
    before = set(threading.enumerate())
    canvas = MapCanvas(DARK)
    show(canvas, *blobs(2000, 5), "")
    canvas.show()
    QApplication.processEvents()
    working = {each for each in threading.enumerate() if each.name.startswith("map")} - before
    assert working
    canvas.close()
    canvas.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()
    assert not shiboken6.isValid(canvas)
    for each in working:
        each.join(GRACE_S)
    assert not any(each.is_alive() for each in working)
