"""Escape asks before it drops what was typed, and only then."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from toolplanner_core.domain.ids import RunId
from toolplanner_core.workspace.cases import list_cases
from toolplanner_gui.context import AppContext
from toolplanner_gui.windows.case_dialog import CaseDialog
from toolplanner_gui.windows.dialog import Dialog
from toolplanner_gui.windows.run_label_dialog import RunLabelDialog


@pytest.fixture(params=["label", "case"])
def dialog(request: pytest.FixtureRequest, opened: AppContext, qtbot) -> Dialog:
    parent = opened.shell.window_widget
    made: Dialog
    if request.param == "label":
        made = RunLabelDialog(opened, parent, run=RunId(1))
    else:
        made = CaseDialog(opened, parent, case=list_cases(opened.file)[0])
    made.show()
    # As in the program: who waits in a coroutine asks for the running loop.
    asyncio._set_running_loop(opened.tasks.loop)
    return made


def text_of(dialog: Dialog):
    return dialog.note if isinstance(dialog, RunLabelDialog) else dialog.answer


def answer(dialog: Dialog, qtbot, button: str) -> None:
    qtbot.waitUntil(lambda: any(box.isVisible() for box in dialog.findChildren(QMessageBox)))
    box = next(box for box in dialog.findChildren(QMessageBox) if box.isVisible())
    next(each for each in box.buttons() if each.text().replace("&", "") == button).click()


def test_dialog_when_something_was_typed_then_escape_asks_before_it_is_dropped(
    dialog: Dialog, opened: AppContext, qtbot
) -> None:
    gone: list[bool] = []
    dialog.destroyed.connect(lambda: gone.append(True))
    QTest.keyClicks(text_of(dialog), "Ask Ada.")
    QTest.keyClick(text_of(dialog), Qt.Key.Key_Escape)
    answer(dialog, qtbot, "Cancel")
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    assert dialog.isVisible()
    assert "Ask Ada." in text_of(dialog).toPlainText()
    QTest.keyClick(text_of(dialog), Qt.Key.Key_Escape)
    answer(dialog, qtbot, "Drop")
    qtbot.waitUntil(lambda: bool(gone))


def test_dialog_when_nothing_was_typed_then_escape_closes_it(dialog: Dialog) -> None:
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_dialog_when_the_workspace_closes_then_it_closes_without_asking(
    dialog: Dialog, opened: AppContext
) -> None:
    QTest.keyClicks(text_of(dialog), "Ask Ada.")
    opened.workspace_closing.emit()
    assert not dialog.isVisible()
