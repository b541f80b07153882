"""Rows of a tree whose titles and causes go on in a second line."""

import pytest
from PySide6.QtGui import QFont, QFontMetrics, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QStyle

from toolplanner_gui.viewmodels.item_models import Role
from toolplanner_gui.widgets.cause_delegate import CauseDelegate, wrapped_lines
from toolplanner_gui.widgets.views import QuietTree

CAUSE, DIM = Role.UserRole + 1, Role.UserRole + 2
LONG = "Price of the share in another currency " * 3


@pytest.mark.parametrize("text", [LONG, "x" * 300, "🌍 " * 90, LONG.replace(" ", "\t")])
def test_lines_fit_when_a_text_is_broken(qapp, text: str) -> None:
    font = QFont()
    lines = wrapped_lines(text, font, width=200, most=2)
    assert len(lines) == 2
    assert all(QFontMetrics(font).horizontalAdvance(line) <= 200 for line in lines)
    assert lines[1].endswith("…")
    assert text.startswith(lines[0])


def test_text_stays_one_line_when_it_fits(qapp) -> None:
    assert wrapped_lines("short", QFont(), width=200, most=2) == ["short"]


def tree_of(qtbot, rows: list[tuple[str, str]]) -> tuple[QuietTree, CauseDelegate]:
    tree = QuietTree("Tree")
    model = QStandardItemModel(tree)
    for title, cause in rows:
        item = QStandardItem(title)
        item.setData(cause, CAUSE)
        model.appendRow([item, QStandardItem("ok")])
    tree.set_model(model, {1: 80})
    delegate = CauseDelegate(tree, cause_role=CAUSE, dim_role=DIM)
    tree.setItemDelegate(delegate)
    delegate.set_wrapped_columns(2)
    tree.setUniformRowHeights(False)
    qtbot.addWidget(tree)
    tree.resize(420, 300)
    tree.show()
    return tree, delegate


def test_rows_get_a_line_for_each_when_titles_and_causes_are_long(theme, qtbot) -> None:
    tree, _ = tree_of(
        qtbot,
        [
            ("short", ""),
            ("short", "↰ because"),
            (LONG, ""),
            ("short", f"↰ because {LONG}"),
            (LONG, f"↰ because {LONG}"),
        ],
    )
    model = tree.model()
    heights = [tree.visualRect(model.index(row, 0)).height() for row in range(5)]
    line = tree.fontMetrics().lineSpacing()
    extra = [(height - heights[0]) // line for height in heights]
    assert extra == [0, 0, 1, 2, 3]


def test_link_is_below_the_title_when_it_has_a_line_of_its_own(theme, qtbot) -> None:
    tree, delegate = tree_of(qtbot, [("short", f"↰ because {LONG}")])
    index = tree.model().index(0, 0)
    option = tree_option(tree, index)
    text, place = delegate._cause(option, index)
    rect = option.rect
    assert text.startswith("↰ because")
    line = tree.fontMetrics().lineSpacing()
    assert place.top() >= rect.top() + line
    assert text.count("\n") == 1
    assert rect.contains(place)
    assert delegate.has_link_at(option, index, place.center())


@pytest.mark.parametrize("width", range(180, 420, 7))
def test_lines_when_a_row_is_painted_then_none_is_wider_than_its_room(
    theme, qtbot, width: int
) -> None:
    tree, delegate = tree_of(qtbot, [(LONG, f"↰ because {LONG}")])
    tree.resize(width, 300)
    tree.doItemsLayout()
    index = tree.model().index(0, 0)
    option = tree_option(tree, index)
    delegate.initStyleOption(option, index)
    margin = tree.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, tree) + 1
    room = delegate._room(option).width() - 2 * margin
    advance = option.fontMetrics.horizontalAdvance
    assert all(advance(line) <= room for line in option.text.split("\u2028"))
    text, place = delegate._cause(tree_option(tree, index), index)
    assert text
    assert all(advance(line) <= place.width() for line in text.split("\n"))


def tree_option(tree, index):
    from PySide6.QtWidgets import QStyleOptionViewItem

    option = QStyleOptionViewItem()
    option.initFrom(tree)
    option.widget = tree
    option.rect = tree.visualRect(index)
    return option
