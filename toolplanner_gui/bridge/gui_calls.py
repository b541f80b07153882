"""Run a function on the GUI thread, asked for from any thread.

The one place where threads cross: jobs, run events and searches all come home through `post`.
"""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal


class GuiCalls(QObject):
    """Queue of calls for the thread that made it (the GUI thread)."""

    _asked = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_closed = False
        self._asked.connect(self._on_asked, Qt.ConnectionType.QueuedConnection)

    def post(self, call: Callable[[], Any]) -> None:
        """Run `call` soon on the GUI thread, in the order of posting. Any thread; never blocks."""
        if not self._is_closed:
            self._asked.emit(call)

    def close(self) -> None:
        """Drop what is still queued and take nothing more: the windows are going."""
        self._is_closed = True

    def _on_asked(self, call: Callable[[], Any]) -> None:
        if not self._is_closed:
            call()
