"""A line of text that takes Ctrl+Z while it has something typed to undo, and else leaves it to the
window, where it undoes the last edit. Used for the fields of the main window."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit


class TextLine(QLineEdit):
    """A `QLineEdit`, which by itself takes the key whatever it could undo."""

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._is_for_the_window(event)
        ):
            event.ignore()
            return True
        return super().event(event)

    def _is_for_the_window(self, event: QKeyEvent) -> bool:
        keys = QKeySequence.StandardKey
        if event.matches(keys.Undo):
            return not self.isUndoAvailable()
        return event.matches(keys.Redo) and not self.isRedoAvailable()
