"""The dialog about a fault of the program."""

from PySide6.QtGui import QGuiApplication

from toolplanner_gui import dialog_commands
from toolplanner_gui.windows.crash_dialog import CrashDialog
from toolplanner_gui.windows.main_window import MainWindow


def shown(window: MainWindow) -> list[CrashDialog]:
    return [dialog for dialog in window.findChildren(CrashDialog) if dialog.isVisible()]


def test_crash_when_it_repeats_then_one_dialog_is_shown(window: MainWindow) -> None:
    window.open(dialog_commands.crash_report, report="first")
    window.open(dialog_commands.crash_report, report="second")
    (dialog,) = shown(window)
    assert dialog.report.toPlainText() == "first"
    dialog.reject()
    window.open(dialog_commands.crash_report, report="third")
    assert shown(window)[0].report.toPlainText() == "third"


def test_crash_when_its_report_is_copied_then_it_is_on_the_clipboard(window: MainWindow) -> None:
    window.open(dialog_commands.crash_report, report="ValueError\n  app.py:1 run")
    shown(window)[0].copy_button.click()
    assert QGuiApplication.clipboard().text() == "ValueError\n  app.py:1 run"
