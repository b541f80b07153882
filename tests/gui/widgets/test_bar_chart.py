"""A bar chart says where its bars stand, shows the smallest, and has no axes without bars."""

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from toolplanner_gui.widgets.bar_chart import BarChart, ChartBar


@pytest.fixture
def chart(qtbot) -> BarChart:
    made = BarChart("A chart")
    qtbot.addWidget(made)
    made.resize(600, 200)
    made.show()
    qtbot.waitExposed(made)
    return made


def bar(label: str, height: float, end: str = "") -> ChartBar:
    return ChartBar(label=label, height=height, is_marked=False, tooltip="", end=end)


def drawn_ticks(chart: BarChart) -> list[tuple[float, str]]:
    (level,) = chart._plot.getAxis("bottom")._tickLevels
    return list(level)


def test_labels_of_a_scale_stand_at_the_edges_of_the_bars(chart: BarChart) -> None:
    chart.show_bars([bar("0.70", 5, "0.75"), bar("0.75", 9, "0.80")], x="Fit", y="Toolkits")
    assert drawn_ticks(chart) == [(-0.5, "0.70"), (0.5, "0.75"), (1.5, "0.80")]
    chart.show_bars([bar("1", 5), bar("2–3", 9)], x="APIs", y="Toolkits")
    assert drawn_ticks(chart) == [(0, "1"), (1, "2–3")]


def test_a_bar_of_few_is_high_enough_to_be_seen_and_one_of_none_is_not_there(
    chart: BarChart,
) -> None:
    chart.show_bars([bar("a", 3), bar("b", 5_000), bar("c", 0)], x="", y="")
    (item,) = chart._plot.getPlotItem().items
    heights = item.opts["height"]
    (low, high) = chart._view.viewRange()[1]
    assert heights[0] / (high - low) * chart._view.height() >= 1.99
    assert heights[1:] == [5_000, 0]


def test_axes_of_the_chart_before_are_gone_where_nothing_is_drawn(chart: BarChart) -> None:
    for has_bars in (True, False, True):
        chart.show_bars([bar("a", 3)] if has_bars else [], x="Fit", y="Toolkits")
        for side in ("left", "bottom"):
            assert chart._plot.getAxis(side).isVisible() is has_bars


def test_a_bar_says_what_it_counts_when_the_mouse_rests_on_it(chart: BarChart, qtbot) -> None:
    made = ChartBar(label="a", height=3, is_marked=False, tooltip="3 toolkits with a fit of 1")
    chart.show_bars([made], x="Fit", y="Toolkits")
    viewport = chart._plot.viewport()
    middle = QPoint(viewport.width() // 2, viewport.height() // 2)
    rests = QHelpEvent(QEvent.Type.ToolTip, middle, viewport.mapToGlobal(middle))
    QApplication.sendEvent(viewport, rests)
    qtbot.waitUntil(lambda: QToolTip.text() == "3 toolkits with a fit of 1")
    QToolTip.hideText()
