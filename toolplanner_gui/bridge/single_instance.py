"""One window for one workspace, also for files that the system asks to open.

One window for one workspace: whoever opens it again brings the first window to the front. Windows
find each other by a local socket (a pipe on Windows) that is named after the file, and say nothing
else to each other. A window that hangs counts as none.
"""

import hashlib
import os
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication

_REACHED_MS = 500
_LOOK_MS = 10
_LOOKS = 1000
"""PySide lets no other thread run while it waits: it waits a little, often."""


def activate_other_window(path: Path) -> bool:
    """Bring the window that has a workspace open to the front; False if there is none.

    Waits up to 10 s where that window does not answer, as it may while it starts. Any thread.
    """
    socket = QLocalSocket()
    socket.connectToServer(_name(path))
    if not socket.waitForConnected(_REACHED_MS):
        return False
    return any(socket.waitForReadyRead(_LOOK_MS) or _has_answer(socket) for _ in range(_LOOKS))


class SingleInstance(QObject):
    """What another start of the program finds while this window has a workspace open.

    Signals:
        asked: somebody opened the same workspace again.
    """

    asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server: QLocalServer | None = None

    def hold(self, path: Path | None) -> None:
        """Be found for this workspace and no other; None: for none."""
        name = None if path is None else _name(path)
        if self._server is not None:
            if self._server.serverName() == name:
                # Whoever has knocked already would lose their answer.
                return
            self._server.close()
            self._server.deleteLater()
            self._server = None
        if name is None:
            return
        self._server = server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._on_connection)
        if not server.listen(name):
            # Left behind by a window that was killed.
            QLocalServer.removeServer(name)
            server.listen(name)

    def _on_connection(self) -> None:
        assert self._server is not None
        socket = self._server.nextPendingConnection()
        socket.disconnected.connect(socket.deleteLater)
        socket.write(b"\n")
        socket.disconnectFromServer()
        self.asked.emit()


def _has_answer(socket: QLocalSocket) -> bool:
    return socket.bytesAvailable() > 0


def _name(path: Path) -> str:
    whose = f"{Path.home()}\n{os.path.normcase(path.resolve())}"
    return f"toolplanner-{hashlib.sha256(whose.encode()).hexdigest()[:24]}"


class FileOpenEvents(QObject):
    """Says which file the system asks the program to open."""

    asked = Signal(Path)

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QFileOpenEvent) or not event.file():
            return False
        self.asked.emit(Path(event.file()))
        return True
