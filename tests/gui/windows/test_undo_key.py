"""Ctrl+Z undoes what was typed in the field that has the keyboard, else the last edit."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_gui.actions.opening import open_later
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
    curation, query = edited._context.curation, edited.desk.query_bar.query
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
    panel = edited.desk.docks.panel("toolkits")
    assert isinstance(panel, ToolkitsPanel)
    for field in (edited.desk.query_bar.query, panel.field):
        field.setFocus()
        qtbot.waitUntil(field.hasFocus)
        QTest.keyClicks(field, "money")
        QTest.keyClick(field, Qt.Key.Key_Z, CONTROL)
        assert field.text() == ""
        assert curation.undo_label
    QTest.keyClick(panel.field, Qt.Key.Key_Z, CONTROL)
    qtbot.waitUntil(lambda: not curation.undo_label)
