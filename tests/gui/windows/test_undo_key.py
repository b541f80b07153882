"""Ctrl+Z undoes what was typed in the field that has the keyboard, else the last edit."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.actions.run_actions import delete_these_runs
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.panels.runs_panel import RunsPanel
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel
from toolplanner_gui.windows.main_window import MainWindow

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def edited(window: MainWindow, demo, qtbot) -> MainWindow:
    """The demo, opened, with one edit."""
    open_later(window._context, demo)
    context = window._context
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    context.curation.do(PinToolkits(toolkits=(context.catalogue.toolkits[0].id,)), origin={})
    qtbot.waitUntil(lambda: bool(context.curation.undo_label) and window.is_idle)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def test_undo_when_nothing_was_typed_in_the_query_then_the_last_edit_is_undone(
    edited: MainWindow, qtbot
) -> None:
    curation, query = edited._context.curation, edited.workspace_view.query_bar.query
    query.setFocus()
    qtbot.waitUntil(query.hasFocus)
    QTest.keyClick(query, Qt.Key.Key_Z, CONTROL)
    qtbot.waitUntil(lambda: not curation.undo_label and bool(curation.redo_label))
    QTest.keyClick(query, Qt.Key.Key_Z, CONTROL | SHIFT)
    qtbot.waitUntil(lambda: bool(curation.undo_label))


def test_undo_when_something_was_typed_then_first_the_text_and_then_the_edit_is_undone(
    edited: MainWindow, qtbot
) -> None:
    curation = edited._context.curation
    panel = edited.workspace_view.docks.panel("toolkits")
    assert isinstance(panel, ToolkitsPanel)
    for field in (edited.workspace_view.query_bar.query, panel.field):
        field.setFocus()
        qtbot.waitUntil(field.hasFocus)
        QTest.keyClicks(field, "money")
        QTest.keyClick(field, Qt.Key.Key_Z, CONTROL)
        assert field.text() == ""
        assert curation.undo_label
    QTest.keyClick(panel.field, Qt.Key.Key_Z, CONTROL)
    qtbot.waitUntil(lambda: not curation.undo_label)


@pytest.fixture
def ran(edited: MainWindow, qtbot) -> MainWindow:
    """The edited demo with three runs."""
    view = edited._context.run_view
    for n in (1, 2, 3):
        view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
        qtbot.waitUntil(lambda n=n: not view.is_live and len(view.summaries) == n)
        qtbot.waitUntil(lambda: edited.is_idle)
    return edited


def _undo_title(window: MainWindow) -> str:
    undo = next(action for _, action in all_actions() if action.id == "edit.undo")
    return undo.shown_title(window._context)


def test_undo_right_after_runs_were_deleted_brings_them_back_and_leaves_edits(
    ran: MainWindow, qtbot
) -> None:
    context = ran._context
    context.shell.show_layout("debug")
    view, curation = context.run_view, context.curation
    runs = [summary.run for summary in view.summaries]
    for gone in (runs[:1], runs[1:3]):
        delete_these_runs(context, gone)
        qtbot.waitUntil(lambda g=gone: not {s.run for s in view.summaries} & set(g))
        qtbot.waitUntil(lambda: ran.is_idle)
    assert _undo_title(ran) == "&Undo: Delete 2 runs"
    panel = ran.workspace_view.docks.reveal("runs")
    assert isinstance(panel, RunsPanel)
    panel.view.setFocus()
    for left, title in ((1, f"&Undo: Delete run {runs[0]}"), (0, "&Undo: Pin")):
        QTest.keyClick(panel.view, Qt.Key.Key_Z, CONTROL)
        qtbot.waitUntil(lambda n=left: len(view.summaries) == len(runs) - n and ran.is_idle)
        assert _undo_title(ran).startswith(title)
        assert curation.undo_label
    QTest.keyClick(panel.view, Qt.Key.Key_Z, CONTROL)
    qtbot.waitUntil(lambda: not curation.undo_label)


def test_undo_when_an_edit_came_after_the_deletion_of_a_run_then_the_edit_is_undone(
    ran: MainWindow, qtbot
) -> None:
    context = ran._context
    delete_these_runs(context, [context.run_view.summaries[0].run])
    qtbot.waitUntil(lambda: _undo_title(ran).startswith("&Undo: Delete run"))
    context.curation.do(PinToolkits(toolkits=(context.catalogue.toolkits[1].id,)), origin={})
    qtbot.waitUntil(lambda: _undo_title(ran).startswith("&Undo: Pin"))
