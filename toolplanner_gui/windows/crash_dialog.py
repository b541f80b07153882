"""What a person sees when something in the program has failed that nobody foresaw."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.log_file import log_path
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin


class CrashDialog(Dialog):
    """Says that it happened, and has the report ready to be copied."""

    def __init__(self, context: AppContext, parent: QWidget, *, report: str) -> None:
        super().__init__(context, parent, "Something went wrong")
        self.setMinimumWidth(560)
        self.column.addWidget(text_label("The program has a fault", role="title"))
        self.paragraph(
            "What was stored is safe, and most often one can go on. If something looks wrong now,"
            " close the window and open the workspace again."
        )
        self.paragraph(
            f"The report below holds none of your data. The log beside it may: {log_path()}",
            role="dim",
        )
        self.report = QPlainTextEdit(report)
        self.report.setReadOnly(True)
        self.report.setProperty("role", "code")
        self.report.setAccessibleName("Report")
        self.add((self.report, 1))
        self.copy_button = push_button("Copy the report", self._copy, role="primary")
        self.add_buttons(self.copy_button, "Close")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self.copy_button.setText("Copied")


def make(context: AppContext, parent: QWidget, *, report: str) -> CrashDialog | None:
    """One at a time: a fault that repeats itself must not fill the screen."""
    is_shown = any(dialog.isVisible() for dialog in parent.findChildren(CrashDialog))
    return None if is_shown else CrashDialog(context, parent, report=report)


PLUGIN = DialogPlugin.of(dialog_commands.crash_report, make, is_beside=True)
