"""What the screen shows after a change, not what a fresh picture of the widget would show."""

import pytest
from fixtures.map_hand import blobs, move, place_of, settle, show
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from toolplanner_gui.map.column_colours import colour_categories
from toolplanner_gui.theme.tokens import DARK, LIGHT

DEEP = 400.0
"""Times the overview: where a box that is scaled with the map does not fit into Qt's integers."""


@pytest.fixture
def deep(canvas, qtbot):
    """The map, zoomed in as far as forty thousand APIs ask for, at the first point."""
    canvas.camera.look_at(*canvas.points.xy[0].tolist())
    canvas.camera.zoom(DEEP)
    settle(qtbot, canvas)
    return canvas


def on_screen(canvas) -> QImage:
    QApplication.processEvents()
    picture = canvas.screen().grabWindow(canvas.winId()).toImage()
    return picture.convertToFormat(QImage.Format.Format_RGB32)


def is_true(canvas) -> bool:
    """Whether the screen shows what a picture made now would show."""
    return on_screen(canvas) == canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def test_colouring_when_zoomed_in_far_then_the_points_on_screen_change(deep, qtbot):
    before = on_screen(deep)
    codes = (deep.points.labels + 1) % 3
    deep.set_colouring(colour_categories("m", "Method", codes, ["A", "B", "C"]), "by method")
    settle(qtbot, deep)
    middle = deep.rect().center()
    assert on_screen(deep).pixelColor(middle) != before.pixelColor(middle)
    assert is_true(deep)


def test_name_when_a_toolkit_is_renamed_zoomed_in_then_the_old_one_leaves_the_screen(deep, qtbot):
    xy, labels, names = blobs()
    show(deep, xy, labels, ["Something else", *names[1:]])
    settle(qtbot, deep)
    assert is_true(deep)


def test_theme_when_switched_zoomed_in_then_no_strip_of_the_old_one_stays(deep, qtbot):
    assert on_screen(deep).pixelColor(QPoint(3, 3)).name() == LIGHT.map
    deep.set_theme(DARK)
    settle(qtbot, deep)
    seen = on_screen(deep)
    assert is_true(deep)
    light = {LIGHT.map, LIGHT.raised}
    rows = range(0, seen.height(), 4)
    assert not any(seen.pixelColor(x, y).name() in light for y in rows for x in (3, 300, 630))


def test_card_when_the_map_moves_below_it_then_it_goes(canvas, qtbot):
    canvas.set_card(lambda row: [f"API {row}"])
    card = canvas._overlays.card
    move(canvas, place_of(canvas, 5))
    qtbot.waitUntil(card.isVisible)
    canvas.camera.pan(40, 0)
    assert card.isHidden()


@pytest.mark.parametrize("way", ["pan", "zoom", "points"])
def test_card_of_the_keyboard_when_the_map_moves_then_it_goes(canvas, way):
    canvas.set_card(lambda row: [f"API {row}"])
    card = canvas._overlays.card
    canvas.attention.walk("toolkit", 1)
    assert card.isVisible()
    if way == "pan":
        canvas.camera.pan(40, 0)
    elif way == "zoom":
        canvas.camera.zoom(2.0)
    else:
        show(canvas, *blobs())
    assert card.isHidden()
