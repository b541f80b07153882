"""Columns that share by need, and a text that can be opened."""

import pytest
from PySide6.QtGui import QFont, QFontMetrics, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QComboBox, QStyleOptionComboBox, QWidget

from toolplanner_gui.widgets.box_layouts import add_field, form_of
from toolplanner_gui.widgets.chart_header import HeaderChart, ends_that_fit
from toolplanner_gui.widgets.input_fields import ElidingCombo
from toolplanner_gui.widgets.labels import ElidedLabel
from toolplanner_gui.widgets.truncated_text import ExpandingText
from toolplanner_gui.widgets.views import ColumnFit, QuietTree


def tree_of(qtbot, first: str, second: str) -> tuple[QuietTree, ColumnFit]:
    model = QStandardItemModel()
    model.appendRow([QStandardItem(first), QStandardItem(second)])
    tree = QuietTree("Tree")
    model.setParent(tree)
    tree.set_model(model, {1: 160})
    qtbot.addWidget(tree)
    tree.resize(500, 200)
    tree.show()
    return tree, ColumnFit(tree, column=1, share=0.25)


@pytest.mark.parametrize("room", range(0, 120, 5))
def test_ends_of_a_scale_when_the_column_is_narrow_then_they_do_not_touch(
    qapp: QApplication, room: int
) -> None:
    chart = HeaderChart(bars=(), is_scale=True, low="0 %", high="100 %")
    metrics = QFontMetrics(QFont())
    low, high = ends_that_fit(chart, metrics, room)
    gap = metrics.horizontalAdvance("  ") if low else 0
    used = metrics.horizontalAdvance(low) + gap + metrics.horizontalAdvance(high)
    assert used <= max(room, metrics.horizontalAdvance("…"))
    whole = metrics.horizontalAdvance("0 %  100 %")
    assert ((low, high) == ("0 %", "100 %")) == (room >= whole)


def test_label_when_a_field_is_added_to_a_form_then_stands_beside_its_words(theme, qtbot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    form = form_of()
    page.setLayout(form)
    field = QComboBox()
    add_field(form, "Stop when", field)
    page.resize(300, 60)
    page.show()
    label = form.labelForField(field)
    assert abs(label.geometry().center().y() - field.geometry().center().y()) <= 1


def test_column_takes_only_what_it_needs_when_the_first_one_is_long(theme, qtbot) -> None:
    tree, fit = tree_of(qtbot, "long " * 60, "ok")
    fit.fit()
    assert tree.header().sectionSize(1) <= 80


def test_column_gets_all_it_needs_when_there_is_room(theme, qtbot) -> None:
    tree, fit = tree_of(qtbot, "short", "a reason of some length")
    fit.fit()
    assert tree.header().sectionSize(1) >= tree.sizeHintForColumn(1)


def test_column_keeps_its_share_when_both_are_long(theme, qtbot) -> None:
    tree, fit = tree_of(qtbot, "long " * 60, "reason " * 60)
    fit.fit()
    assert abs(tree.header().sectionSize(1) - tree.viewport().width() // 4) <= 6


def test_long_text_is_cut_until_all_is_asked_for(theme, qtbot) -> None:
    field = ExpandingText("Answer")
    qtbot.addWidget(field)
    field.resize(300, 400)
    field.show()
    field.set_text("short")
    assert not field.more_button.isVisible()
    field.set_text("a line of the answer\n" * 40)
    assert field.more_button.text() == "Show all"
    cut = field._area.height()
    field.more_button.click()
    assert field._area.height() > 2 * cut
    assert field._area.verticalScrollBar().maximum() > 0
    assert field.more_button.text() == "Show less"
    field.set_text("another\n" * 40)
    assert field._area.height() == cut


def test_choice_ends_in_dots_when_it_is_narrow_and_is_whole_when_there_is_room(
    theme, qtbot
) -> None:
    words = "the model chooses among the members"
    combo = ElidingCombo()
    qtbot.addWidget(combo)
    combo.addItem(words)

    def painted(width: int) -> str:
        combo.resize(width, 30)
        option = QStyleOptionComboBox()
        combo.initStyleOption(option)
        return option.currentText

    combo.show()
    assert painted(600) == words
    assert painted(120).endswith("…")
    assert combo.fontMetrics().horizontalAdvance(painted(120)) < 120
    assert combo.currentText() == words


def test_line_when_short_of_room_then_its_end_is_kept(qtbot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.set_text("before the call WorldClockr · Current time in city", tail=": after a step")
    label.resize(label.fontMetrics().horizontalAdvance("before the call …: after a step!"), 20)
    assert label.shown_text().startswith("before the")
    assert label.shown_text().endswith("…: after a step")
    label.resize(2000, 20)
    assert label.shown_text() == label.text()


def test_line_when_cut_behind_a_mark_then_no_mark_stands_before_the_ellipsis(qtbot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.set_text("before the call of all (Fuel), and more of it than fits", tail=": after a step")
    cut = "before the call of all (Fuel)"
    label.resize(label.fontMetrics().horizontalAdvance(f"{cut},…: after a step") + 2, 20)
    assert label.shown_text() == f"{cut}…: after a step"
