"""Charts: heaps of toolkits and APIs; a bar selects what it stands for."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.charts_panel import ChartsPanel
from toolplanner_gui.viewmodels.charts import cohesion_bars, silhouette_bars, size_bars


def kit(number: int, size: int) -> Toolkit:
    return Toolkit(id=ToolkitId(number), name=f"T{number}", description="", size=size)


def test_size_bars_hold_every_toolkit_once_and_mark_the_papers_size() -> None:
    kits = [kit(i, size) for i, size in enumerate((1, 2, 9, 9, 12, 500))]
    bars = size_bars(kits)
    assert sum(bar.count for bar in bars) == 6
    assert [(bar.label, bar.count) for bar in bars if bar.is_marked] == [("9", 2)]
    assert (bars[-1].label, bars[-1].toolkits) == ("101+", (ToolkitId(5),))


def test_cohesion_bars_leave_out_lone_apis_and_what_is_not_known() -> None:
    known = {0: 0.61, 1: 0.64, 2: 0.71, 3: 1.0}
    kits = [kit(0, 4), kit(1, 4), kit(2, 3), kit(3, 1), kit(4, 5)]
    bars = cohesion_bars(kits, lambda toolkit: known.get(int(toolkit)))
    assert [(bar.label, bar.count) for bar in bars] == [("0.60", 2), ("0.65", 0), ("0.70", 1)]


def test_silhouette_bars_mark_apis_that_fit_badly() -> None:
    values = np.array([-0.25, -0.01, 0.0, 0.3, 0.31])
    bars = silhouette_bars(values, np.arange(5))
    assert sum(bar.count for bar in bars) == 5
    assert [bar.label for bar in bars if bar.is_marked] == ["-0.3", "-0.2", "-0.1"]
    assert next(bar for bar in bars if bar.label == "0.3").rowids.tolist() == [3, 4]


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
