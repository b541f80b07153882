"""Ctrl+C in the terminal closes the window like a click on its cross.

Python runs signal handlers only between its own instructions, and a waiting Qt loop has none: the
signal's byte on a socket wakes the loop, and with it the handler.
"""

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier


class InterruptHandler(QObject):
    """Calls `on_interrupt` on the GUI thread when SIGINT or SIGTERM arrives.

    A window that a script started in the background got SIGINT ignored and leaves it so: that
    Ctrl+C is meant for the script.
    """

    def __init__(self, on_interrupt: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        self._notifier = QSocketNotifier(
            self._read.fileno(), QSocketNotifier.Type.Read, parent=self
        )
        self._notifier.activated.connect(self._on_woken)
        signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._before = {
            number: before
            for number in (signal.SIGINT, signal.SIGTERM)
            if (before := signal.getsignal(number)) is not signal.SIG_IGN
        }
        for number in self._before:
            signal.signal(number, lambda *_: on_interrupt())

    def close(self) -> None:
        """Give the signals back to Python."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(-1)
        for number, before in self._before.items():
            signal.signal(number, before)
        self._read.close()
        self._write.close()

    def _on_woken(self) -> None:
        # Running this line is what lets Python run the handler.
        self._read.recv(64)
