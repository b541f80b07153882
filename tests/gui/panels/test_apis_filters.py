"""Filters of the table of APIs and the map: charts that are brushed, chips, columns, the legend."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.apis_panel import ApisPanel
from toolplanner_gui.viewmodels.curate.api_table import TABLE_COLUMNS

LEFT, NO = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CATEGORY, FIT = TABLE_COLUMNS.index("category"), TABLE_COLUMNS.index("cohesion")
PARAMETERS = TABLE_COLUMNS.index("parameters")


@pytest.fixture
def panel(opened: AppContext, qtbot) -> ApisPanel:
    made = ApisPanel(opened)
    qtbot.addWidget(made)
    made.resize(1100, 500)
    made.show()
    qtbot.waitUntil(lambda: made.is_idle and len(made.model.table.columns) > 5)
    return made


def place_of(panel: ApisPanel, column: int, bar: int) -> QPoint:
    header = panel.view.header
    return header.chart(column).place_of(bar, header.area(column)).center().toPoint()


def click(panel: ApisPanel, column: int, bar: int, held: Qt.KeyboardModifier = NO) -> None:
    place = place_of(panel, column, bar)
    QTest.mouseClick(panel.view.header.viewport(), LEFT, held, place)


def brush(panel: ApisPanel, column: int, first: int, last: int) -> None:
    on = panel.view.header.viewport()
    QTest.mousePress(on, LEFT, NO, place_of(panel, column, first))
    QTest.mouseMove(on, place_of(panel, column, last))
    QTest.mouseRelease(on, LEFT, NO, place_of(panel, column, last))


def figures(panel: ApisPanel, column: int) -> np.ndarray:
    rows = np.searchsorted(panel.model.table.rowids, panel.model.shown_rowids)
    return panel.model.values(column).values[rows]


def words(panel: ApisPanel) -> list[str]:
    return [chip.words for chip in panel.chips.chips]


def test_charts_when_the_panel_gets_low_then_hidden_so_that_rows_are_seen(panel, qtbot):
    assert panel.view.header.has_charts
    panel.resize(700, 180)
    qtbot.waitUntil(lambda: panel.view.height() < 150)
    assert not panel.view.header.has_charts
    panel.resize(700, 500)
    qtbot.waitUntil(lambda: panel.view.header.has_charts)


def test_charts_when_first_seen_in_a_low_panel_then_hidden(opened, qtbot):
    low = ApisPanel(opened)
    qtbot.addWidget(low)
    low.resize(700, 180)
    low.show()
    assert not low.view.header.has_charts


def test_chart_when_a_category_is_clicked_then_table_and_map_show_it_alone_until_clicked_again(
    panel,
):
    look, header = panel.context.map_look, panel.view.header
    bar = header.chart(CATEGORY).bars[0]
    click(panel, CATEGORY, 0)
    assert panel.model.rowCount() == bar.total == np.count_nonzero(look.visible)
    assert words(panel) == [f"Category: {bar.label}"]
    other = header.chart(CATEGORY).bars[1]
    click(panel, CATEGORY, 1, SHIFT)
    assert panel.model.rowCount() == bar.total + other.total
    click(panel, CATEGORY, 0, SHIFT)
    assert panel.model.rowCount() == other.total
    click(panel, CATEGORY, 1)
    assert panel.model.rowCount() == 196
    assert look.visible is None
    assert not panel.chips.isVisible()


def test_chart_when_a_range_is_brushed_then_the_figures_in_it_stay_and_other_charts_count_them(
    panel,
):
    header = panel.view.header
    steps = header.chart(FIT).bars
    brush(panel, FIT, 3, 9)
    left = sum(bar.total for bar in steps[3:10])
    assert 0 < panel.model.rowCount() == left < 196
    span = panel.context.map_look.filters.get("cohesion").span
    kept = figures(panel, FIT)
    assert np.all((kept >= span[0]) & (kept <= span[1]))
    assert sum(bar.count for bar in header.chart(PARAMETERS).bars) == left
    assert sum(bar.count for bar in header.chart(FIT).bars) == 196
    assert [bar.is_chosen for bar in header.chart(FIT).bars].count(True) == 7


def test_filters_when_several_are_set_then_they_combine_and_chips_take_them_away_one_by_one(
    panel, qtbot
):
    brush(panel, FIT, 0, 9)
    few = panel.model.rowCount()
    click(panel, CATEGORY, 0)
    assert panel.model.rowCount() < few
    with qtbot.waitSignal(panel.field.searched):
        panel.field.setText("get")
    assert [chip.key for chip in panel.chips.chips] == ["cohesion", "category", "typed"]
    visible = panel.context.map_look.visible
    assert np.count_nonzero(visible) == panel.model.rowCount()
    panel.chips.chips[1].click()
    QTest.keyClick(panel.chips.chips[1], Qt.Key.Key_Delete)
    assert panel.field.text() == ""
    assert panel.model.rowCount() == few
    panel.chips.clear_button.click()
    assert panel.model.rowCount() == 196


def test_filters_when_the_legend_is_clicked_then_the_chart_of_its_column_shows_it(panel, qtbot):
    look = panel.context.map_look
    look.choose_column("category")
    qtbot.waitUntil(lambda: look.column_id == "category" and look.is_idle)
    code = int(look.values.codes[0])
    look.show_categories([code])
    chart = panel.view.header.chart(CATEGORY)
    assert [bar.label for bar in chart.bars if bar.is_chosen] == [look.values.names[code]]
    click(panel, CATEGORY, 1, SHIFT)
    assert len(look.filter_codes) == 2
    assert set(look.filter_codes) == set(look.values.codes[look.visible].tolist())


def test_filters_when_they_are_set_then_select_these_takes_what_is_listed(panel):
    click(panel, CATEGORY, 0)
    panel.take.click()
    selection = panel.context.selection
    assert sorted(selection.rowids()) == sorted(panel.model.shown_rowids)
    panel.chips.chips[0].click()
    panel.show_button.click()
    assert words(panel) == [f"{selection.count} selected APIs"]
    assert panel.model.rowCount() == selection.count


def test_header_when_only_keys_are_used_then_ranges_and_values_are_chosen_and_let_go(panel):
    header = panel.view.header
    header.setFocus()
    for _ in range(5):
        QTest.keyClick(header, Qt.Key.Key_Right)
    for held in (NO, NO, SHIFT, SHIFT):
        QTest.keyClick(header, Qt.Key.Key_Down, held)
    assert [i for i, bar in enumerate(header.chart(FIT).bars) if bar.is_chosen] == [1, 2, 3]
    assert header.accessibleDescription().startswith("Toolkit fit, ")
    QTest.keyClick(header, Qt.Key.Key_Left)
    QTest.keyClick(header, Qt.Key.Key_Left)
    QTest.keyClick(header, Qt.Key.Key_Down)
    QTest.keyClick(header, Qt.Key.Key_Space)
    assert len(words(panel)) == 2
    QTest.keyClick(header, Qt.Key.Key_Delete)
    assert words(panel)[0].startswith("Fit of the toolkit: ")
    QTest.keyClick(header, Qt.Key.Key_Return)
    assert header.sortIndicatorSection() == CATEGORY


def test_columns_when_others_are_chosen_then_they_are_read_and_remembered(panel, qtbot):
    panel.view.show_columns(["name", "size", "alone", "called"])
    qtbot.waitUntil(lambda: panel.is_idle)
    size = TABLE_COLUMNS.index("size")
    assert panel.model.index(0, size).data().isdigit()
    assert not panel.view.isColumnHidden(size)
    assert panel.view.isColumnHidden(CATEGORY)
    again = ApisPanel(panel.context)
    qtbot.addWidget(again)
    assert again.view.columns == ("name", "size", "alone", "called")


def test_values_when_a_toolkit_is_ticked_then_its_apis_alone_are_shown(panel, qtbot):
    offered = panel.brushing.open_values(TABLE_COLUMNS.index("toolkit"))
    with qtbot.waitSignal(offered.field.searched):
        offered.field.setText("weather")
    assert 0 < offered.model.rowCount() < 5
    index = offered.model.index(0, 0)
    name, n = index.data(), int(offered.model.index(0, 1).data())
    offered.model.setData(index, Qt.CheckState.Checked.value, Qt.ItemDataRole.CheckStateRole)
    assert words(panel) == [f"Toolkit: {name}"]
    assert panel.model.rowCount() == n
    offered.all_button.click()
    assert panel.model.rowCount() == 196


def test_values_when_the_ends_of_figures_are_changed_then_what_lies_between_is_shown(panel):
    QTest.keyClick(panel.view.header, Qt.Key.Key_F)
    offered = panel.brushing.open_values(PARAMETERS)
    offered.ends[0].setValue(2)
    kept = figures(panel, PARAMETERS)
    assert 0 < len(kept) < 196
    assert kept.min() == 2
    offered.close()


def test_map_when_filters_are_set_then_it_shows_them_as_chips_as_well(opened, panel, qtbot):
    from toolplanner_gui.panels.map_panel import MapPanel

    shown = MapPanel(opened)
    qtbot.addWidget(shown)
    shown.resize(600, 400)
    shown.show()
    brush(panel, FIT, 0, 15)
    click(panel, CATEGORY, 0)
    assert [chip.words for chip in shown.chips.chips] == words(panel)
    assert shown.chips.width() > 300
    shown.chips.chips[0].click()
    chip = shown.chips.chips[0]
    assert shown.canvas.rect().contains(shown.chips.geometry())
    assert chip.text() == chip.words
    assert chip.width() >= chip.sizeHint().width()
    shown.chips.chips[0].click()
    assert panel.model.rowCount() == 196
    qtbot.waitUntil(lambda: shown.is_idle)


def test_charts_when_only_the_selection_is_listed_then_they_count_it_alone(panel):
    rowids = panel.context.catalogue.rowids[:40]
    panel.context.selection.select_apis(rowids)
    panel.only.click()
    assert sum(bar.count for bar in panel.view.header.chart(FIT).bars) == 40
    panel.only.click()
    assert sum(bar.count for bar in panel.view.header.chart(FIT).bars) == 196


def test_table_when_it_is_filtered_or_sorted_then_it_begins_at_its_first_row(panel, qtbot):
    bar = panel.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    top = panel.view.header.mapTo(panel, QPoint(0, 0)).y()
    bars = panel.view.header.chart(CATEGORY).bars
    most = max(range(len(bars)), key=lambda i: bars[i].count)
    click(panel, CATEGORY, most)
    qtbot.waitUntil(panel.chips.isVisible)
    assert bar.value() == 0
    assert panel.view.header.mapTo(panel, QPoint(0, 0)).y() == top, "the chip moves no chart"
    click(panel, CATEGORY, most)
    bar.setValue(bar.maximum())
    panel.view.sortByColumn(CATEGORY, Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: not panel._mark_soon.isActive())
    assert bar.value() == 0


def test_table_when_it_lists_nothing_then_it_says_why(panel):
    said = lambda: panel.view._nothing  # noqa: E731
    panel.only.click()
    assert panel.model.rowCount() == 0
    assert "nothing is" in said()
    values = panel.model.values(CATEGORY)
    panel.context.selection.select_apis(panel.model.table.rowids[values.codes == 0])
    other = panel.brushing._charts.filter_of_names(CATEGORY, [values.names[1]])
    panel.context.map_look.filters.put(other)
    assert panel.model.rowCount() == 0
    assert said() == "Nothing that is selected passes the filters below."
    plain = panel.view.viewport().grab().toImage()
    panel.view.say_nothing("")
    assert panel.view.viewport().grab().toImage() != plain, "it is seen"


def test_table_says_which_fit_is_the_toolkits_and_shows_the_apis_own(panel):
    assert panel.model.titles[FIT] == "Toolkit fit"
    assert "centrality" in panel.view.columns
