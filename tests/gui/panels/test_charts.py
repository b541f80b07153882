"""Charts: heaps of toolkits and APIs; a bar selects what it stands for."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fixtures.command_line import command_here
from PySide6.QtCore import Qt

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.charts_panel import ChartsPanel
from toolplanner_gui.viewmodels.curate.filters import CHOSEN, ApiFilter


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


def test_sizes_when_no_toolkit_has_the_size_of_the_paper_then_none_is_said_to_stand_out(
    charts: ChartsPanel, qtbot
) -> None:
    context = charts.context
    assert "stands out" not in charts.note.text()
    assert all(toolkit.size != 9 for toolkit in context.catalogue.toolkits)
    assert "None has the 9 of the paper." in charts.note.text()


def test_toolkit_counts_when_plain_is_chosen_then_groups_are_as_k_means_finds_them(
    charts: ChartsPanel, qtbot
) -> None:
    assert charts.context.workspace is not None
    command = ("run", charts.context.workspace.path, "What is the temperature now in Madrid?")
    with ThreadPoolExecutor() as aside:  # it has a loop of its own
        assert aside.submit(command_here, *command).result().status == 0
    charts.choice.setCurrentIndex(charts.choice.findData("sizes"))
    assert not charts.plain_check.isVisible()
    charts.choice.setCurrentIndex(charts.choice.findData("sweep"))
    fits: list[list[float | None]] = []
    for is_plain in (False, True):
        charts.plain_check.setChecked(is_plain)
        assert not charts._sweep, "what was computed in the other way is not shown"
        with qtbot.waitSignal(charts.context.jobs.ended, timeout=120_000):
            charts.compute_button.click()
        qtbot.waitUntil(lambda: len(charts._sweep) == 8, timeout=10_000)
        fits.append([point.silhouette for point in charts._sweep])
    assert fits[0] != fits[1]
    assert {point.ceiling for point in charts._sweep} == {1.0}, "the demo has 35 toolkits"
    qtbot.waitUntil(lambda: "100% of the answered queries" in charts.note.text())
    assert "of one: silhouette" in charts._bars[0].meaning


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
    qtbot.waitUntil(lambda: "Best silhouette 0." in charts.note.text())
    assert "9 per toolkit stands out" in charts.note.text()
    curve = charts._sweep
    best = max(curve, key=lambda point: point.silhouette or -1.0)
    assert ("at the end of what was tried" in charts.note.text()) is (best in (curve[0], curve[-1]))
    charts._is_computing = True
    charts._sweep = [point for point in curve if not point.is_papers][:1]
    charts.renew()
    assert "Best silhouette so far" in charts.note.text(), "while others are tried"
    assert "stands out" not in charts.note.text()


def test_distances_when_computed_then_the_one_that_fits_these_vectors_stands_out(
    charts: ChartsPanel, qtbot
) -> None:
    context = charts.context
    charts.choice.setCurrentIndex(charts.choice.findData("distances"))
    assert "Compute it" in charts.note.text()
    with qtbot.waitSignal(context.jobs.ended, timeout=120_000):
        charts.compute_button.click()
    qtbot.waitUntil(lambda: "stands out" in charts.note.text())
    assert len(charts._bars) == 10
    (marked,) = (bar for bar in charts._bars if bar.is_marked)
    assert f"By the distances of these vectors {marked.label.split()[0]} stands out" in (
        charts.note.text()
    )
    assert "194 of one" in charts._bars[0].meaning


def test_charts_when_a_filter_is_set_then_only_what_passes_counts(
    charts: ChartsPanel, qtbot
) -> None:
    context = charts.context
    catalogue, filters = context.catalogue, context.map_look.filters
    total, toolkits = len(catalogue.toolkits), [catalogue.toolkits[3], catalogue.toolkits[7]]
    firsts = [int(catalogue.points_of_toolkit(toolkit.id)[0]) for toolkit in toolkits]
    passing = catalogue.rowids[firsts]
    filters.put(ApiFilter(id=CHOSEN, words="two", rowids=passing))
    assert sum(bar.count for bar in charts._bars) == 2
    assert {t for bar in charts._bars for t in bar.toolkits} == {t.id for t in toolkits}
    assert charts.note.text().startswith(f"2 of {total} toolkits, those with an API that passes")
    charts.choice.setCurrentIndex(charts.choice.findData("cohesion"))
    assert sum(bar.count for bar in charts._bars) == sum(t.size > 1 for t in toolkits)

    charts.choice.setCurrentIndex(charts.choice.findData("silhouette"))
    with qtbot.waitSignal(context.jobs.ended, timeout=120_000):
        charts.compute_button.click()
    qtbot.waitUntil(lambda: bool(charts._bars))
    assert charts.note.text().startswith("2 of ")
    shown = {rowid for bar in charts._bars if bar.rowids is not None for rowid in bar.rowids}
    assert shown == set(passing)
    filters.put(ApiFilter(id=CHOSEN, words="none", rowids=np.zeros(0, np.int64)))
    assert (charts._bars, charts.note.text()) == (
        [], "No API that is in a toolkit passes the filter.",
    )  # fmt: skip
    filters.clear()
    charts.choice.setCurrentIndex(charts.choice.findData("sizes"))
    assert sum(bar.count for bar in charts._bars) == total
    assert charts.note.text().startswith(f"{total} toolkits of ")
