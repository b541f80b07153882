"""Prompts in the window: what does not fit is said, what is saved holds, what was is kept."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from toolplanner_core.prompts.editing import edited_texts, workspace_prompt
from toolplanner_gui.context import AppContext
from toolplanner_gui.windows.prompts_dialog import PromptsDialog


@pytest.fixture
def dialog(opened: AppContext, qtbot) -> PromptsDialog:
    made = PromptsDialog(opened, opened.shell.window_widget)
    made.show()
    qtbot.waitUntil(lambda: made.model.rowCount() > 20 and bool(made.text.toPlainText()))
    made.choose("make_plan")
    # As in the program: who waits in a coroutine asks for the running loop.
    asyncio._set_running_loop(opened.tasks.loop)
    return made


def leave(dialog: PromptsDialog, qtbot, answer: str) -> None:
    """Press Escape with unsaved texts, and answer the question."""
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: any(box.isVisible() for box in dialog.findChildren(QMessageBox)))
    box = next(box for box in dialog.findChildren(QMessageBox) if box.isVisible())
    assert "1 text is not saved" in box.text()
    next(each for each in box.buttons() if each.text().replace("&", "") == answer).click()


def test_prompt_when_edited_then_compared_saved_kept_and_reset(
    dialog: PromptsDialog, opened: AppContext, qtbot
) -> None:
    workspace = opened.workspace
    assert workspace is not None
    default = dialog.text.toPlainText()
    assert default.startswith("You plan which toolkits")
    assert not dialog.save_button.isEnabled() and not dialog.reset_button.isEnabled()
    assert "Be brief" not in dialog.changes.toPlainText()
    dialog.text.setPlainText(f"Be brief.\n{default}")
    assert "Be brief." in dialog.changes.toPlainText()
    dialog.save_button.click()
    qtbot.waitUntil(lambda: "edited" in dialog.title.text())
    assert edited_texts(workspace) == {"make_plan": f"Be brief.\n{default}"}
    dialog.reset_button.click()
    qtbot.waitUntil(lambda: "the default" in dialog.title.text())
    assert dialog.text.toPlainText() == default
    assert edited_texts(workspace) == {}
    dialog.versions.activated.emit(1)
    assert dialog.text.toPlainText() == f"Be brief.\n{default}"
    assert len(workspace_prompt(workspace, "make_plan").versions) == 1
    leave(dialog, qtbot, "Cancel")
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    assert dialog.isVisible() and "Be brief." in dialog.text.toPlainText()
    gone: list[bool] = []
    dialog.destroyed.connect(lambda: gone.append(True))
    leave(dialog, qtbot, "Drop")
    qtbot.waitUntil(lambda: bool(gone))


def test_prompt_when_a_place_is_missing_then_said_and_the_draft_waits(
    dialog: PromptsDialog,
) -> None:
    default = dialog.text.toPlainText()
    wrong = default.replace("{{search}}", "{{serch}}")
    dialog.text.setPlainText(wrong)
    assert dialog.problem.isVisible()
    assert "{{search}} is missing" in dialog.problem.text()
    assert "{{serch}} is unknown" in dialog.problem.text()
    assert not dialog.save_button.isEnabled()
    dialog.choose("replan")
    assert dialog.text.toPlainText().startswith("You revise a plan")
    dialog.choose("make_plan")
    assert dialog.text.toPlainText() == wrong
    dialog.text.setPlainText(default)
    dialog.reject()
    assert not dialog.isVisible()
