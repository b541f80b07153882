"""Keys that a quick hand presses while a dialog is still on its way to the screen.

Until the system has given the dialog the keyboard they come to the window below, where Qt drops
them: the first letters of what was typed would be missing.
"""

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit


class TypeAhead(QObject):
    """Gives such keys to a field of a dialog, until the dialog has the keyboard.

    Args:
        dialog: about to be opened; ends with it.
        field: what is typed into.
    """

    def __init__(self, dialog: QDialog, field: QLineEdit) -> None:
        super().__init__(dialog)
        self._dialog, self._field = dialog, field
        watched = QApplication.instance()
        assert watched is not None
        self._watched = watched
        dialog.finished.connect(self._end)
        self._watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn and watched is self._field:
            self._end()
            # In the next turn, for a field that is given the keyboard marks all that it holds.
            QTimer.singleShot(0, self._field, lambda: self._field.end(False))
        elif (
            isinstance(event, QKeyEvent)
            and isinstance(watched, QWindow)
            and watched is not self._dialog.windowHandle()
        ):
            early = QKeyEvent(
                event.type(), event.key(), event.modifiers(), event.text(), event.isAutoRepeat()
            )
            QApplication.sendEvent(self._field, early)
            return True
        return False

    def _end(self, *_: object) -> None:
        self._watched.removeEventFilter(self)
