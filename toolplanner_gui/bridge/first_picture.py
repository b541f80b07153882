"""When a window has painted itself for the first time."""

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QMainWindow

_UNSEEN_MS = 500
"""A window that starts minimised or behind others may never be asked to paint."""


class FirstPicture(QObject):
    """Watches a window that is about to be shown.

    A timer of no length is too early: it ends before the system has asked for a picture.

    Args:
        window: not shown yet; its central widget is what is looked at.
    """

    shown = Signal()
    """Once: in the turn after the first picture, or a while later where none is asked for."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._is_over = False
        centre = window.centralWidget()
        assert centre is not None
        self._watched = centre
        centre.installEventFilter(self)
        QTimer.singleShot(_UNSEEN_MS, self, self._tell)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self, self._tell)
        return False

    def _tell(self) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._watched.removeEventFilter(self)
        self.shown.emit()
