"""Whether what the window shows is in the file that the person sees: in place, all of it inside.

A file that is moved, renamed, replaced or deleted while it is open is noticed at once where the
system tells of it, and within two seconds where it does not, such as on network drives.
"""

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.gui_thread import GuiThreadCalls
from toolplanner_gui.bridge.tasks import Tasks

_LOOK_EVERY_MS = 2000


class WorkspaceFileWatcher(QObject):
    """Watches the file of the open workspace. GUI thread.

    Signals:
        changed: it went, came back, or all that was written is in it now, or no longer.
    """

    changed = Signal()

    def __init__(
        self,
        workspace: Workspace,
        tasks: Tasks,
        calls: GuiThreadCalls,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._writer = workspace.writer
        self._tasks = tasks
        self.is_in_place = True
        """Whether the file is where it was opened; else nothing is written any more."""
        self._writer.heard = lambda: calls.post(self.changed.emit)
        self._watcher = QFileSystemWatcher([str(workspace.path.absolute().parent)], self)
        self._watcher.directoryChanged.connect(self.look)
        self._timer = QTimer(self, interval=_LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    @property
    def has_everything(self) -> bool:
        """Whether all that was written is in the file itself, not only in the log beside it."""
        return self._writer.is_folded

    def look(self) -> None:
        """Ask the disk where the file is; `changed` is the answer if it is another one."""
        if not self._tasks.runs_for(self):
            self._tasks.spawn(self._look(), owner=self)

    def release(self) -> None:
        """Watch no more: the workspace is being closed.

        The watcher must go before signals are blocked: its inner socket notifier would never be
        read again, and wake the GUI thread without end.
        """
        self._timer.stop()
        self._watcher.directoryChanged.disconnect(self.look)
        self._watcher.deleteLater()
        self._writer.heard = lambda: None

    async def _look(self) -> None:
        is_in_place = await self._tasks.in_thread(lambda: self._writer.is_in_place)
        if is_in_place != self.is_in_place:
            self.is_in_place = is_in_place
            self.changed.emit()
