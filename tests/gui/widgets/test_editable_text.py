"""A text edited in place, and lists with marked words."""

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QTreeView

from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.widgets.editable_text import EditableText
from toolplanner_gui.widgets.highlight_delegate import HighlightDelegate


def make(qtbot, *, is_long: bool = False) -> tuple[EditableText, list[str]]:
    text = EditableText("Name", placeholder="None yet", is_long=is_long)
    qtbot.addWidget(text)
    text.show()
    heard: list[str] = []
    text.edited.connect(heard.append)
    return text, heard


def test_double_click_and_return_keep_what_is_written(qtbot) -> None:
    text, heard = make(qtbot)
    text.set_text("Old")
    qtbot.mouseDClick(text.label, Qt.MouseButton.LeftButton)
    assert text.is_editing
    qtbot.keyClicks(text.field, "New")
    qtbot.keyClick(text.field, Qt.Key.Key_Return)
    assert heard == ["New"]
    assert text.text() == "Old"


@pytest.mark.parametrize("is_long", [False, True])
def test_a_click_a_key_and_a_click_elsewhere_write_over_nothing(qtbot, *, is_long: bool) -> None:
    text, heard = make(qtbot, is_long=is_long)
    text.set_text("Old")
    qtbot.mouseClick(text.label, Qt.MouseButton.LeftButton)
    assert not text.is_editing
    qtbot.keyClick(text.label, Qt.Key.Key_X)
    text.keep()
    assert heard == []
    text.set_text("")
    qtbot.mouseClick(text.label, Qt.MouseButton.LeftButton)
    assert text.is_editing, "where nothing is yet, nothing can be lost"


def test_a_long_text_is_added_to_and_not_chosen_as_a_whole(qtbot) -> None:
    text, heard = make(qtbot, is_long=True)
    text.set_text("Old")
    text.begin()
    qtbot.keyClicks(text.field, "er")
    text.keep()
    assert heard == ["Older"]


def test_escape_and_the_same_text_ask_for_nothing(qtbot) -> None:
    text, heard = make(qtbot)
    text.set_text("Old")
    text.begin()
    qtbot.keyClicks(text.field, "New")
    qtbot.keyClick(text.field, Qt.Key.Key_Escape)
    text.begin()
    qtbot.keyClick(text.field, Qt.Key.Key_Return)
    assert heard == []
    assert not text.is_editing


def test_a_long_text_takes_return_and_is_kept_with_control(qtbot) -> None:
    text, heard = make(qtbot, is_long=True)
    text.begin()
    qtbot.keyClicks(text.field, "One")
    qtbot.keyClick(text.field, Qt.Key.Key_Return)
    qtbot.keyClicks(text.field, "Two")
    qtbot.keyClick(text.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert heard == ["One\nTwo"]


def test_a_change_from_outside_does_not_disturb_who_writes(qtbot) -> None:
    text, _ = make(qtbot)
    text.set_text("Old")
    text.begin()
    qtbot.keyClicks(text.field, "Mine")
    text.set_text("From elsewhere")
    assert text.field.text() == "Mine"
    assert text.text() == "From elsewhere"


def test_without_a_text_the_placeholder_is_shown_and_foreign_text_stays_plain(qtbot) -> None:
    text, _ = make(qtbot)
    assert text.label.text() == "None yet"
    text.set_text("<b>bold</b>")
    assert text.label.textFormat() is Qt.TextFormat.PlainText
    assert text.label.accessibleName() == "Name: <b>bold</b>"


def test_words_are_found_in_any_case_and_merged(qtbot, theme: Theme) -> None:
    delegate = HighlightDelegate()
    delegate.set_words(["we", "Weather", "ci"])
    assert delegate._spans("City WEATHER") == [(0, 2), (5, 12)]
    # Only where a word begins, however it is written, and not behind what was cut away.
    assert delegate._spans("Swelter, getWeather, tcity, 5we") == [(12, 19), (29, 31)]
    assert delegate._spans("Sun …weather") == []
    # A letter that grows when folded would shift all places behind it.
    assert delegate._spans("İstanbul weather") == []


def test_marked_rows_are_painted(qtbot, theme: Theme) -> None:
    tree = QTreeView()
    qtbot.addWidget(tree)
    model = QStandardItemModel()
    model.appendRow(QStandardItem("Weather forecast"))
    tree.setModel(model)
    delegate = HighlightDelegate(tree)
    tree.setItemDelegate(delegate)
    tree.resize(240, 80)
    tree.show()
    plain = tree.grab().toImage()
    delegate.set_words(["fore"])
    tree.viewport().update()
    assert tree.grab().toImage() != plain
    assert tree.indexAt(tree.visualRect(model.index(0, 0, QModelIndex())).center()).isValid()


def test_only_names_are_marked(qtbot, theme: Theme) -> None:
    tree = QTreeView()
    qtbot.addWidget(tree)
    model = QStandardItemModel()
    model.appendRow([QStandardItem("Sky"), QStandardItem("8 APIs")])
    tree.setModel(model)
    delegate = HighlightDelegate(tree)
    tree.setItemDelegate(delegate)
    tree.resize(240, 80)
    tree.show()
    plain = tree.grab().toImage()
    delegate.set_words(["a", "8"])
    tree.viewport().update()
    assert tree.grab().toImage() == plain
