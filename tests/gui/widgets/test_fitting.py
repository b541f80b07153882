"""Columns that share by need, and a text that can be opened."""

from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QStyleOptionComboBox

from toolplanner_gui.widgets.column_fit import ColumnFit
from toolplanner_gui.widgets.eliding_combo import ElidingCombo
from toolplanner_gui.widgets.expanding_text import ExpandingText
from toolplanner_gui.widgets.views import QuietTree


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
