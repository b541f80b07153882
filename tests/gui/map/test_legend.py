"""The legend of categories: several rows by Shift and Ctrl, found by typing, with the keyboard."""

import numpy as np
import pytest
from fixtures.map_hand import LEFT, NO, SHIFT, settle
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from toolplanner_gui.map.column_colours import colour_categories, count_rows
from toolplanner_gui.map.legend import LegendCard, LegendEntry

CTRL = Qt.KeyboardModifier.ControlModifier
MANY = 40


@pytest.fixture
def card(canvas, qtbot) -> LegendCard:
    """The legend of forty categories, whose filter is applied as it is by the program."""
    codes = np.arange(len(canvas.points)) % MANY
    names = [f"Kind {i:02d}" for i in range(MANY)]
    canvas.set_colouring(colour_categories("kind", "Kind", codes, names), "by kind")

    def show(chosen: tuple[int, ...]) -> None:
        canvas.set_visible_mask(np.isin(codes, chosen) if chosen else None, chosen or None)

    canvas.categories_chosen.connect(show)
    settle(qtbot, canvas)
    return canvas._overlays.legend_card


def chosen(card: LegendCard) -> list[int]:
    return [i for i, button in enumerate(card.rows) if button.isChecked()]


def press(card: LegendCard, row: int, held: Qt.KeyboardModifier = NO) -> None:
    QTest.mouseClick(card.rows[row], LEFT, held)


def test_legend_when_rows_are_pressed_with_shift_and_ctrl_then_several_are_shown(canvas, card):
    press(card, 3)
    press(card, 5, SHIFT)
    press(card, 7, SHIFT)
    assert chosen(card) == [3, 5, 7]
    assert canvas.points.shown_count == 3 * len(canvas.points) // MANY
    press(card, 5, CTRL)
    assert chosen(card) == [3, 7]
    press(card, 5, CTRL)
    press(card, 5)
    assert chosen(card) == [5]
    press(card, 5)
    assert chosen(card) == []
    assert not canvas.points.is_filtered


def test_legend_when_more_than_fit_then_all_can_be_reached_inside_the_map(canvas, card):
    assert len(card.rows) == MANY
    assert canvas.rect().contains(card.geometry())
    card._scroll.ensureWidgetVisible(card.rows[-1])
    assert not card.rows[-1].visibleRegion().isEmpty()


@pytest.mark.parametrize("size", [(700, 500), (300, 340), (150, 280), (340, 120)])
def test_legend_when_the_map_is_small_then_makes_room_for_the_buttons(canvas, card, qtbot, size):
    canvas.resize(*size)
    settle(qtbot, canvas)
    tools = canvas._overlays.tools.geometry()
    assert not card.geometry().intersects(tools) or card._scroll.isHidden()
    assert card._scroll.isHidden() == (size[0] <= 150 or size[1] <= 120)


def test_legend_when_words_are_typed_then_return_shows_only_what_was_found(canvas, card):
    canvas.activateWindow()
    card.search.setFocus()
    QTest.keyClicks(card.search, "kind 1")
    shown = [i for i, row in enumerate(card.rows) if not row.isHidden()]
    assert shown == [i for i in range(MANY) if "1" in f"{i:02d}"]
    QTest.keyClicks(card.search, "2")
    QTest.keyClick(card.search, Qt.Key.Key_Return)
    assert chosen(card) == [12]
    QTest.keyClick(card.search, Qt.Key.Key_Escape)
    assert card.search.text() == ""
    assert not any(row.isHidden() for row in card.rows)
    assert chosen(card) == [12]


def test_legend_when_space_is_pressed_with_shift_then_the_row_is_added(card):
    press(card, 3)
    QTest.keyClick(card.rows[4], Qt.Key.Key_Space, SHIFT)
    assert chosen(card) == [3, 4]


def test_legend_when_figures_change_then_its_buttons_stay_and_say_the_new_ones(canvas, card):
    press(card, 3)
    before = card.rows
    codes = np.where(np.arange(len(canvas.points)) == 0, 1, np.arange(len(canvas.points)) % MANY)
    names = [f"Kind {i:02d}" for i in range(MANY)]
    canvas.set_colouring(colour_categories("kind", "Kind", codes, names), "by kind")
    assert card.rows == before
    counts = np.bincount(codes)
    for button, row in zip(card.rows, card._colouring.rows, strict=True):
        assert button.text().endswith(f"{counts[row.codes[0]]:,}")
    press(card, 0)
    assert chosen(card) == [0]


def test_legend_when_other_filters_hold_points_back_then_its_numbers_are_of_those_shown(
    canvas, card
):
    codes = np.arange(len(canvas.points)) % MANY
    mask = codes < 2
    rows = canvas.points.colouring.rows
    counts = count_rows(rows, codes, mask)
    canvas.set_visible_mask(mask, counts=counts)
    n, total = counts[0], rows[0].count
    assert n == total > 0 == counts[5]
    said = [button.text().rsplit("  ", 1)[1] for button in card.rows[:3]]
    assert said == [f"{n:,}", f"{counts[1]:,}", "0"]
    assert f"0 of {rows[2].count:,}" in card.rows[2].toolTip()
    canvas.set_visible_mask(None)
    assert card.rows[2].text().endswith(f"  {rows[2].count:,}")


def right_end(button: LegendEntry) -> int:
    """Where the last dark pixel of a row stands, from the left of the card."""
    picture = button.grab().toImage()
    ground = picture.pixelColor(picture.width() - 3, picture.height() // 2)
    middle = range(picture.height() // 4, 3 * picture.height() // 4)
    inked = (
        x
        for x in range(picture.width() - 3, 0, -1)
        if any(picture.pixelColor(x, y) != ground for y in middle)
    )
    return button.x() + next(inked)


def test_legend_when_names_differ_in_length_then_numbers_end_at_the_right(canvas, qtbot):
    codes = np.arange(len(canvas.points)) % 2
    names = ["Seen", "Not seen in the last crawl"]
    canvas.set_colouring(colour_categories("crawl", "Crawl", codes, names), "by crawl")
    settle(qtbot, canvas)
    rows = canvas._overlays.legend_card.rows
    assert [row.text().rsplit("  ", 1)[0] for row in rows] == names, "each is seen whole"
    assert right_end(rows[0]) == right_end(rows[1]) > rows[1].width() - 12
