"""Figures of an experiment in which chance decides what is down: curves with what is possible at
all, and effects of tools; each is a table, and leads to its trials."""

import csv
import io
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.coordinator import run_experiment
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.experiment_file import read_experiment_file
from toolplanner_core.lab.looking.resilience import POSSIBLE
from toolplanner_gui.actions.action import Action
from toolplanner_gui.actions.lab_menu import PLUGIN
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.theme.tokens import DARK, LIGHT
from toolplanner_gui.widgets.interval_chart import IntervalChart, Mark, Series
from toolplanner_gui.widgets.plots import SERIES, series_colour, series_line, series_symbol
from toolplanner_gui.windows.main_window import MainWindow

TEXT = """
workspace = "demo.toolplanner"
dataset = "few.jsonl"
seeds = [1, 2, 3]
judges = ["evidence"]
baseline = "whole/none"
[arm.whole]
provider = "demo"
[arm.one]
provider = "demo"
options = { max_in_toolkit = 1, max_replans = 0 }
[factor.faults]
none = []
half = ["500:all,p=0.5"]
"""


@pytest.fixture
def lab_window(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    """The Lab over an experiment that has run."""
    queries = (
        Query(id="miles", text="Convert 26.2 miles to kilometres."),
        Query(id="pounds", text="Convert 12 pounds to kilograms."),
    )
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(TEXT, encoding="utf-8")
    with ThreadPoolExecutor(1) as other_thread:  # this one has a running loop
        other_thread.submit(
            run_experiment, read_experiment_file(file), executor="inline", workers=1,
            progress=Progress(), stopping=threading.Event(),
        ).result()  # fmt: skip
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=30_000)
    window.show_layout("lab")
    qtbot.waitUntil(lambda: context.lab.reading is not None and window.is_idle)
    return window


def test_figures_when_chance_decides_what_is_down_then_show_bounds_and_causes_and_lead_to_trials(
    lab_window: MainWindow, qtbot
) -> None:
    context = lab_window._context
    results = lab_window.workspace_view.docks.panel("lab_results")
    trials = lab_window.workspace_view.docks.panel("trials")

    def show(page: str) -> QWidget:
        results.show_page(page)
        qtbot.waitUntil(lambda: results.figure.table is not None and lab_window.is_idle)
        chart = results.figure.chart
        chart.setFocus()
        return chart

    chart = show("resilience")
    rows = results.figure.table.rows
    shares = {(name, rate): share for name, rate, share, _ in rows}
    assert {name for name, _ in shares} == {
        "whole/none", "whole/half", "one/none", "one/half", POSSIBLE,
    }  # fmt: skip
    best = max(shares[f"{arm}/half", 0.5].value for arm in ("whole", "one"))
    assert shares[POSSIBLE, 0.5].value >= best
    assert [each.is_dashed for each in chart._series] == [False, False, True]
    for _ in chart.places():  # the last one is the dashed line at a half
        qtbot.keyClick(chart, Qt.Key.Key_Right)
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: trials.model.rowCount() == 12)
    assert context.lab.wanted.arms == ("whole/half", "one/half")

    chart = show("effects")
    page = results.figure
    page.arm.setCurrentIndex(page.arm.findText("one/half"))
    page.arm.activated.emit(page.arm.currentIndex())
    qtbot.waitUntil(lambda: page.newest.is_idle and "one/half" in page.table.title)
    [(name, effect, down, queries)] = page.table.rows
    assert (name, queries) == ("Reference/unitwise/convert_units", 2)
    assert effect.value == 1.0, "nothing stands in for it"
    assert 0 < down < 6
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: trials.model.rowCount() == 6)
    # Each form can be read by who reads it.
    results.copy_as("csv")
    [head, row] = csv.reader(io.StringIO(QGuiApplication.clipboard().text()))
    assert len(head) == len(row)
    results.copy_as("svg")
    assert ElementTree.fromstring(QGuiApplication.clipboard().text()).tag.endswith("svg")
    results.copy_as("latex")
    assert r"convert\_units" in QGuiApplication.clipboard().text()
    results.copy_as("png")
    assert QGuiApplication.clipboard().image().width() > 100


def test_menu_when_a_figure_would_be_empty_then_says_why_and_names_tabs_alike(
    lab_window: MainWindow,
) -> None:
    context = lab_window._context
    results = lab_window.workspace_view.docks.panel("lab_results")
    entries = {each.id: each for each in PLUGIN.entries if isinstance(each, Action)}
    for figure in results.figures:
        assert entries[f"lab.{figure.id}"].title.replace("&", "") == figure.title
    refused = {
        figure.id: why
        for figure in results.figures
        if (why := entries[f"lab.{figure.id}"].refused_when(context))
    }
    assert refused == {"sweep": "All its arms work with the same toolkits"}
    results.show_page("sweep")
    assert results.figure.table is None


def test_series_when_there_are_more_than_colours_then_symbol_or_line_tells_them_apart() -> None:
    looks = {(series_colour(LIGHT, at).name(), series_symbol(at)) for at in range(64)}
    assert len(looks) == 64
    first, ninth = 0, len(SERIES)
    assert series_colour(LIGHT, first) == series_colour(LIGHT, ninth)
    assert series_line(first) != series_line(ninth)


def test_axis_when_the_theme_changes_over_small_figures_then_does_not_say_thousandths(
    qtbot,
) -> None:
    chart = IntervalChart("Shares")
    qtbot.addWidget(chart)
    mark = Mark(x=0.5, y=0.5, x_ends=(0, 0.5), y_ends=(0.2, 0.8), tooltip="")
    chart.show_series([Series(name="one", marks=[mark])], x="Chance", y="Solved")
    chart.show()
    chart.set_tokens(DARK)
    assert chart._plot.getAxis("bottom").autoSIPrefixScale == 1.0
