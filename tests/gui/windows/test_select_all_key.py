"""Ctrl+A selects where the keyboard is: rows of a list, letters of a field, points of the map."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.panels.apis_panel import ApisPanel
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.panels.run_tree_panel import RunTreePanel
from toolplanner_gui.panels.runs_panel import RunsPanel
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def shown(window: MainWindow, demo, qtbot) -> MainWindow:
    """The demo, opened, with two runs."""
    open_later(window._context, demo)
    context = window._context
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    view = context.run_view
    for n in (1, 2):
        view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
        qtbot.waitUntil(lambda n=n: not view.is_live and len(view.summaries) == n)
        qtbot.waitUntil(lambda: window.is_idle)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def press_in(window: MainWindow, qtbot, place: QWidget) -> None:
    """Ctrl+A where the keyboard is."""
    window._context.selection.clear()
    qtbot.waitUntil(lambda: window.is_idle)
    place.setFocus()
    qtbot.waitUntil(place.hasFocus)
    QTest.keyClick(place, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.is_idle)


def test_in_debug_when_a_list_of_runs_has_the_keyboard_then_all_runs_are_selected(
    shown: MainWindow, qtbot
) -> None:
    context = shown._context
    context.shell.show_layout("debug")
    runs = shown.workspace_view.docks.reveal("runs")
    assert isinstance(runs, RunsPanel)
    press_in(shown, qtbot, runs.view)
    assert len(runs.selected()) == 2
    assert context.selection.is_empty

    tree = shown.workspace_view.docks.reveal("run_tree")
    assert isinstance(tree, RunTreePanel)
    press_in(shown, qtbot, tree.tree)
    assert context.selection.is_empty, "one node at a time, and none on the map"

    shown.workspace_view.query_bar.query.setText("miles")
    press_in(shown, qtbot, shown.workspace_view.query_bar.query)
    assert shown.workspace_view.query_bar.query.selectedText() == "miles"
    assert context.selection.is_empty

    on_map = shown.workspace_view.docks.reveal("map")
    assert isinstance(on_map, MapPanel)
    press_in(shown, qtbot, on_map.canvas)
    assert context.selection.count == len(context.catalogue.rowids)


def test_in_curate_when_a_list_has_the_keyboard_then_its_rows_are_selected(
    shown: MainWindow, qtbot
) -> None:
    context = shown._context
    toolkits = shown.workspace_view.docks.reveal("toolkits")
    assert isinstance(toolkits, ToolkitsPanel)
    press_in(shown, qtbot, toolkits.tree)
    assert {t.id for t in context.chosen.toolkits} == {t.id for t in context.catalogue.toolkits}

    apis = shown.workspace_view.docks.reveal("apis")
    assert isinstance(apis, ApisPanel)
    apis.field.setText("weather")
    qtbot.waitUntil(lambda: 0 < apis.model.rowCount() < len(context.catalogue.rowids))
    press_in(shown, qtbot, apis.view)
    # What is found by meaning comes after what is found by words: the list as it was at the key.
    listed = set(apis.model.shown_rowids.tolist())
    assert set(context.selection.rowids().tolist()) == listed

    press_in(shown, qtbot, shown.workspace_view.query_bar.options)
    assert context.selection.count == len(listed), "all that the filter shows on the map"
