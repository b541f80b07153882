"""Walking, lasso, carrying, minimap and menu of the map; offscreen, with real events."""

import numpy as np
import pytest
from fixtures.map_hand import (
    ALT,
    LEFT,
    NO,
    PER,
    SHIFT,
    K,
    blobs,
    board,
    drag,
    move,
    place_of,
    settle,
    show,
)
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.map.rasteriser import RasterImage
from toolplanner_gui.theme.tokens import DARK


def test_keys_when_walking_then_the_ring_the_card_and_the_spoken_name_follow(canvas):
    canvas.set_card(lambda row: [f"API {row}", f"of toolkit {row // PER}", "more"])
    QTest.keyClick(canvas, Qt.Key.Key_N)
    first = canvas.attention.row
    assert first >= 0
    assert canvas.accessibleDescription() == f"API {first}, of toolkit {first // PER}"
    assert canvas._overlays.card.isVisible()
    QTest.keyClick(canvas, Qt.Key.Key_J)
    second = canvas.attention.row
    assert second != first
    assert second // PER == first // PER
    QTest.keyClick(canvas, Qt.Key.Key_K)
    assert canvas.attention.row == first
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert canvas.selected.tolist() == [first]
    QTest.keyClick(canvas, Qt.Key.Key_T)
    assert canvas.selected.tolist() == list(range(first // PER * PER, first // PER * PER + PER))
    assert "12 selected" in canvas.accessibleDescription()
    QTest.keyClick(canvas, Qt.Key.Key_N, SHIFT)
    assert canvas.attention.row // PER != first // PER
    QTest.keyClick(canvas, Qt.Key.Key_G)
    assert canvas.accessibleDescription() == "No other API from here"


def test_walk_when_the_next_one_is_out_of_view_then_the_map_goes_there(canvas):
    canvas.camera.zoom(20)
    for _ in range(5):
        QTest.keyClick(canvas, Qt.Key.Key_N)
        assert canvas.rect().contains(place_of(canvas, canvas.attention.row))


def test_gestures_when_made_then_they_say_how_the_selection_came_about(canvas):
    told = []
    canvas.selection_made.connect(lambda _mask, mode, made: told.append((mode, made["by"])))
    QTest.mouseClick(board(canvas), LEFT, NO, place_of(canvas, 5))
    drag(canvas, QPoint(10, 10), QPoint(300, 300), SHIFT)
    canvas.set_tool("lasso")
    start = QPoint(320, 100)
    QTest.mousePress(board(canvas), LEFT, ALT, start)
    for corner in (QPoint(600, 100), QPoint(600, 400), QPoint(20, 400)):
        move(canvas, corner, ALT)
    QTest.mouseRelease(board(canvas), LEFT, ALT, QPoint(20, 400))
    assert told == [("replace", "click"), ("add", "rectangle"), ("remove", "lasso")]


def test_lasso_when_drawn_then_the_hint_says_what_it_holds_and_then_the_tool_again(canvas, qtbot):
    n = K * PER
    canvas.set_neighbours((np.arange(n)[:, None] // PER * PER + np.arange(PER)[None, :]) % n)
    canvas.set_tool("lasso")
    resting = canvas._overlays.hint.text()
    assert "drag what is selected to a toolkit" in resting
    QTest.mousePress(board(canvas), LEFT, NO, QPoint(200, 100))
    for corner in (QPoint(400, 100), QPoint(400, 300), QPoint(200, 300)):
        move(canvas, corner)
    qtbot.waitUntil(lambda: "in meaning" in canvas._overlays.hint.text(), timeout=5000)
    assert canvas._stage.marks._lasso
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert not canvas._stage.marks._lasso
    assert canvas._overlays.hint.text() == resting
    assert canvas.selected.tolist() == []
    QTest.mouseRelease(board(canvas), LEFT, NO, QPoint(200, 300))
    assert canvas.selected.tolist() == []
    canvas.set_tool("pan")
    assert canvas._overlays.hint.isHidden()


def test_carry_when_the_selection_is_dragged_onto_a_toolkit_then_that_is_told(canvas):
    dropped, carried = [], []
    canvas.dropped.connect(lambda place: dropped.append(canvas.label_at(place)))
    canvas.carried.connect(carried.append)
    canvas.select([5])
    drag(canvas, place_of(canvas, 5), place_of(canvas, 300))
    _xy, labels, _names = blobs()
    assert dropped == [int(labels[300])]
    assert carried[-1] is None
    assert len(carried) > 1
    view = canvas.camera.view
    drag(canvas, place_of(canvas, 400), place_of(canvas, 400) + QPoint(40, 0))
    assert len(dropped) == 1
    assert canvas.camera.view != view


def test_minimap_when_turned_on_then_it_shows_and_leads_to_places(canvas, qtbot):
    QTest.keyClick(canvas, Qt.Key.Key_O)
    minimap = canvas._overlays.minimap
    qtbot.waitUntil(lambda: canvas.is_settled and not minimap._image.isNull(), timeout=5000)
    image = minimap.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(176) for y in range(124)}
    assert len(colours) > 8
    canvas.camera.zoom(5)
    QTest.mouseClick(minimap, LEFT, NO, QPoint(40, 40))
    x, y = minimap._view.to_world(40, 40)
    assert (canvas.camera.view.x, canvas.camera.view.y) == (pytest.approx(x), pytest.approx(y))
    QTest.keyClick(canvas, Qt.Key.Key_O)
    assert minimap.isHidden()


def test_menu_when_asked_for_by_mouse_or_key_then_it_is_told_where(canvas):
    wanted = []
    canvas.menu_wanted.connect(lambda row, _place: wanted.append(row))
    QTest.mouseClick(board(canvas), Qt.MouseButton.RightButton, NO, QPoint(2, 2))
    assert wanted == [-1]
    QTest.mouseClick(board(canvas), Qt.MouseButton.RightButton, NO, place_of(canvas, 9))
    assert wanted[1] >= 0


def test_canvas_when_there_are_many_points_then_the_window_never_draws_them_itself(qtbot):
    rng = np.random.default_rng(0)
    n = 400_000
    canvas = MapCanvas(DARK)
    qtbot.addWidget(canvas)
    canvas.resize(640, 480)
    show(canvas, rng.normal(size=(n, 2)), rng.integers(0, 50, n), [f"T{i}" for i in range(50)], "")
    canvas.show()
    canvas._stage.view.viewport().repaint()
    assert canvas._stage.raster.picture is None
    qtbot.waitUntil(lambda: canvas._stage.raster.picture is not None, timeout=20_000)
    picture: RasterImage | None = canvas._stage.raster.picture
    assert picture is not None and picture.kind == "density"
    settle(qtbot, canvas)
    assert canvas._stage.raster.is_exact
    drag(canvas, QPoint(100, 100), QPoint(600, 400), SHIFT)
    qtbot.waitUntil(lambda: len(canvas.selected) > 0, timeout=20_000)
