"""Keys that a quick hand presses while a dialog is still on its way to the screen.

Until the system has given the dialog the keyboard they come to the window below. They reach a
program at all only where the dialog blocks nothing: Qt drops what is typed into a blocked window.
"""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFocusEvent, QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit


class TypeAhead(QObject):
    """Gives keys that come to the window below to a field of a dialog, in their order.

    Shortcuts of the window below wait as long: a letter that is a command there is typed.

    Args:
        dialog: about to be shown, blocking nothing; ends with it.
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
        if isinstance(event, QFocusEvent) and event.gotFocus() and watched is self._field:
            # Some reasons of being given the keyboard mark all that was typed, and the next key
            # would be written over it.
            self._field.event(event)
            self._field.end(False)
            return True
        if isinstance(event, QKeyEvent) and watched is self._window_below():
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            early = QKeyEvent(
                event.type(), event.key(), event.modifiers(), event.text(), event.isAutoRepeat()
            )
            QApplication.sendEvent(self._field, early)
            return True
        return False

    def _window_below(self) -> QWindow | None:
        below = self._dialog.parentWidget()
        return None if below is None else below.window().windowHandle()

    def _end(self, *_: object) -> None:
        self._watched.removeEventFilter(self)
