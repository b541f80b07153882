"""What is read beside the window, such as a report, stands back while a run asks for leave.

Windows over the window always cover it: the question would not be seen. Made by `workspace_view`.
"""

import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialog, QMainWindow

from toolplanner_gui.context import AppContext

_ASKS = "approval"


class DialogHider(QObject):
    """Hides dialogs that block nothing, and shows them again when the question is answered."""

    def __init__(self, window: QMainWindow, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._context = context
        self._hidden: list[QDialog] = []
        context.debug.held_changed.connect(self._on_held_changed)

    def _on_held_changed(self) -> None:
        if any(held.reason == _ASKS for held in self._context.debug.held):
            self._stand_back()
        else:
            self._come_back()

    def _stand_back(self) -> None:
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        over = [
            dialog
            for dialog in self._window.findChildren(QDialog, options=direct)
            if dialog.isVisible() and not dialog.isModal()
        ]
        for dialog in over:
            dialog.hide()
        if over:
            self._hidden += over
            self._window.activateWindow()
            titles = " and ".join(dialog.windowTitle() for dialog in over)
            self._context.show_message(
                f"A run asks for leave: {titles} comes back when it is answered"
            )

    def _come_back(self) -> None:
        hidden, self._hidden = self._hidden, []
        for dialog in hidden:
            if shiboken6.isValid(dialog):
                dialog.show()
