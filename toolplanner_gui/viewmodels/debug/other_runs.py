"""Runs of others on the same file: made in a terminal or another window, or left by one that died.

Looked for every two seconds, off the GUI thread; one small query where nothing is new.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from toolplanner_core.domain.ids import RunId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import RunsSeen, runs_seen
from toolplanner_gui.bridge.tasks import Tasks

if TYPE_CHECKING:
    from toolplanner_core.runs.spec import RunSummary

_LOOK_EVERY_MS = 2000


class _Look(NamedTuple):
    seen: RunsSeen
    interrupted: Sequence[RunId]


class OtherRuns(QObject):
    """Watches the runs of a workspace. GUI thread."""

    changed = Signal()
    """There are other runs, or others have ended, than at the last look."""
    interrupted = Signal(object)
    """list[RunId]: runs whose process died; their logs say so now."""

    def __init__(self, workspace: Workspace, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._tasks = workspace, tasks
        self._seen: RunsSeen | None = None
        self._timer = QTimer(self, interval=_LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Ask the file; the signals are the answer."""
        if not self._tasks.runs_for(self):
            self._tasks.spawn(self.look_now(), owner=self)

    def note(self, seen: RunsSeen) -> None:
        """The list of runs was read as of then: runs of this window are not those of others."""
        self._seen = seen

    async def look_now(self) -> None:
        """As `look`; done when the answer is there."""
        workspace = self._workspace

        def read() -> _Look:
            seen = runs_seen(workspace)
            if not seen.going:
                return _Look(seen, ())
            # Runs whose process died say so before anybody takes them for going on.
            from toolplanner_core.runs.interrupted import mark_interrupted

            return _Look(seen, mark_interrupted(workspace))

        found = await self._tasks.in_thread(read)
        is_other = self._seen not in (None, found.seen)
        self._seen = found.seen
        if found.interrupted:
            self.interrupted.emit(found.interrupted)
        elif is_other:
            self.changed.emit()


def read_list(workspace: Workspace) -> "tuple[RunsSeen, Sequence[RunSummary]]":
    """The runs of a file, and what to tell the next list by; not on the GUI thread."""
    seen = runs_seen(workspace)
    if not seen.number:
        return seen, ()
    from toolplanner_core.runs.reading import list_runs

    return seen, list_runs(workspace)
