"""Charts: heaps of toolkits and APIs; a bar selects what it stands for."""

import pytest
from PySide6.QtCore import Qt

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.charts_panel import ChartsPanel


@pytest.fixture
def charts(opened: AppContext, qtbot) -> ChartsPanel:
    panel = ChartsPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(800, 220)
    panel.show()
    qtbot.waitUntil(lambda: opened.tasks.is_idle, timeout=20_000)
    return panel


def test_a_bar_chosen_by_keys_selects_its_toolkits(charts: ChartsPanel, qtbot) -> None:
    context = charts.context
    charts.focus_chart()
    for _ in range(5):
        qtbot.keyClick(charts.chart, Qt.Key.Key_Right)
    qtbot.keyClick(charts.chart, Qt.Key.Key_Return)
    bar = charts._bars[charts.chart.current]
    assert bar.label == "5" and bar.count > 0
    assert {t.id for t in context.chosen.toolkits} == set(bar.toolkits)
    assert context.selection.count == 5 * bar.count


def test_silhouette_and_sweep_are_computed_as_jobs(charts: ChartsPanel, qtbot) -> None:
    context = charts.context
    for kind in ("silhouette", "sweep"):
        charts.choice.setCurrentIndex(charts.choice.findData(kind))
        assert "Compute it" in charts.note.text()
        with qtbot.waitSignal(context.jobs.ended, timeout=120_000):
            charts.compute_button.click()
        qtbot.waitUntil(lambda: len(charts._bars) > 1, timeout=10_000)
        assert "ilhouette" in charts.note.text() or "Mean" in charts.note.text()
    assert sum(bar.is_marked for bar in charts._bars) == 1
