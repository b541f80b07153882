"""The table of APIs over the real demo workspace: sorted, filtered, one selection with the map."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.looking.column_source import Scale
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.apis_panel import ApisPanel
from toolplanner_gui.viewmodels.curate.api_table import TABLE_COLUMNS, UNKNOWN

NO = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def panel(opened: AppContext, qtbot) -> ApisPanel:
    made = ApisPanel(opened)
    qtbot.addWidget(made)
    made.resize(1000, 400)
    made.show()
    qtbot.waitUntil(lambda: made.is_idle and made.model.rowCount() == 196)
    return made


def texts(panel: ApisPanel, column: str) -> list[str]:
    place = TABLE_COLUMNS.index(column)
    rows = range(panel.model.rowCount())
    return [panel.model.index(row, place).data() for row in rows]


def click(panel: ApisPanel, row: int, held: Qt.KeyboardModifier = NO) -> None:
    place = panel.view.visualRect(panel.model.index(row, 0)).center()
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, held, place)


@pytest.mark.parametrize("column", TABLE_COLUMNS)
def test_table_when_a_column_is_pressed_twice_then_it_is_sorted_up_and_down(panel, qtbot, column):
    panel.view.show_columns([column])
    qtbot.waitUntil(lambda: panel.is_idle)
    place = TABLE_COLUMNS.index(column)
    panel.view.sortByColumn(place, Qt.SortOrder.AscendingOrder)
    rising = texts(panel, column)
    values = panel.model.values(place)
    if isinstance(values, Scale):
        order = np.searchsorted(panel.model.table.rowids, panel.model.shown_rowids)
        key = np.nan_to_num(values.values[order], nan=-1).tolist()
    else:
        key = [text.casefold() if text != UNKNOWN else "" for text in rising]
    assert key == sorted(key)
    panel.view.sortByColumn(place, Qt.SortOrder.DescendingOrder)
    assert texts(panel, column) == rising[::-1]


def test_table_when_words_of_several_columns_are_typed_then_the_rows_with_all_of_them_stay(
    panel, qtbot
):
    tool = texts(panel, "tool")[0]
    with qtbot.waitSignal(panel.field.searched):
        panel.field.setText(f"get {tool}")
    assert 0 < panel.model.rowCount() < 196
    assert set(texts(panel, "tool")) == {tool}
    assert panel._count.text().endswith(" of 196")


def test_table_when_rows_are_chosen_then_map_and_lists_have_the_same_selection(panel):
    selection = panel.context.selection
    click(panel, 1)
    click(panel, 3, Qt.KeyboardModifier.ShiftModifier)
    assert sorted(selection.rowids()) == sorted(panel.model.rowids_at(np.arange(1, 4)))


def test_table_when_a_lasso_selects_then_it_lists_its_apis_and_offers_what_can_be_done(
    panel, monkeypatch
):
    selection = panel.context.selection
    panel.only.click()
    assert panel.model.rowCount() == 0
    mask = np.zeros(len(selection.mask), bool)
    mask[[5, 50, 150]] = True
    selection.set_mask(mask, {"by": "lasso", "points": []})
    assert sorted(panel.model.rowids_at(np.arange(3))) == sorted(selection.rowids())
    assert panel._count.text() == "3 of 196"
    asked = []
    monkeypatch.setattr(panel, "open_selection_menu", asked.append)
    panel.view.customContextMenuRequested.emit(QPoint(5, 5))
    assert len(asked) == 1
    click(panel, 0)
    assert selection.count == 1
    assert panel.model.rowCount() == 3


def test_table_when_a_toolkit_is_renamed_then_its_rows_say_so_and_the_order_stays(panel, qtbot):
    context = panel.context
    before = texts(panel, "name")
    toolkit = context.catalogue.toolkits[0]
    context.curation.do(Rename(toolkit=toolkit.id, name="Something else"))
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle)
    assert texts(panel, "toolkit").count("Something else") == toolkit.size
    assert texts(panel, "name") == before


def test_table_when_all_rows_come_back_then_the_first_selected_one_is_in_view(panel):
    panel.only.click()
    late = panel.model
    rowids = panel.context.catalogue.rowids
    panel.context.selection.select_apis(rowids[[190, 191]])
    panel.only.click()
    first = int(late.positions_of(rowids[[190, 191]])[0])
    assert (
        panel.view.viewport().rect().contains(panel.view.visualRect(late.index(first, 0)).center())
    )
    assert panel.view.selectionModel().isRowSelected(first)
    assert panel.view.columnWidth(0) > 150
