"""What makes the start quick: work after the first paint, and no reading of sources."""

import importlib

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QMainWindow

_UNSEEN_MS = 500
"""A window that starts minimised or behind others may never be asked to paint."""


class FirstPaintWatcher(QObject):
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


def skip_pyside_source_scan() -> None:
    """Tell PySide that no module switches its features (`from __feature__ import snake_case`).

    To know it PySide looks for its name in the source of each module after its import, and Python
    keeps the lines it read: 0.25 s and 38 MB until 45,284 APIs are open, none of it for us. Called
    once, after the first import of PySide; a PySide that does it otherwise is left as it is.
    """
    try:
        feature = importlib.import_module("shibokensupport.feature")
    except ImportError:
        return
    if hasattr(feature, "_mod_uses_pyside"):
        vars(feature)["_mod_uses_pyside"] = lambda _module: False
