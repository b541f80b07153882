"""Runs of others on the same file: made in a terminal or another window, or left by one that died.

The one that is looked at is followed while it goes on. Looked for every two seconds, off the GUI
thread; one small query where nothing is new.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import RunListState, run_list_state
from toolplanner_gui.bridge.tasks import Tasks

if TYPE_CHECKING:
    from toolplanner_core.runs.config.spec import RunSummary
    from toolplanner_core.runs.events.event import Record

_LOOK_EVERY_MS = 2000
_MOST_RECORDS = 2000
"""Read at one look; the next look reads on."""


class ExternalRun(NamedTuple):
    """A run of another that goes on, and how far it is known: the number of its last event."""

    run: RunId
    last_seq: int


class _Look(NamedTuple):
    seen: RunListState
    interrupted: Sequence[RunId]
    records: "Sequence[Record]"


class ExternalRuns(QObject):
    """Watches the runs of a workspace. GUI thread.

    Args:
        followed: the run that is looked at, if it is another's and goes on.
    """

    changed = Signal()
    """There are other runs, or others have ended, than at the last look."""
    interrupted = Signal(object)
    """list[RunId]: runs whose process died; their logs say so now."""
    went_on = Signal(object, object)
    """RunElsewhere, list[Record]: what it did since the last look."""

    def __init__(
        self,
        workspace: Workspace,
        tasks: Tasks,
        followed: Callable[[], ExternalRun | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace, self._tasks, self._followed = workspace, tasks, followed
        self._seen: RunListState | None = None
        self._timer = QTimer(self, interval=_LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Ask the file; the signals are the answer."""
        if not self._tasks.runs_for(self):
            self._tasks.spawn(self.look_now(), owner=self)

    def note(self, seen: RunListState) -> None:
        """The list of runs was read as of then: runs of this window are not those of others."""
        self._seen = seen

    async def look_now(self) -> None:
        """As `look`; done when the answer is there."""
        workspace, followed = self._workspace, self._followed()

        def read() -> _Look:
            seen, interrupted = run_list_state(workspace), ()
            if seen.going:
                # Runs whose process died say so before anybody takes them for going on.
                from toolplanner_core.runs.engine.interrupted import mark_interrupted

                interrupted = mark_interrupted(workspace)
            return _Look(seen, interrupted, _read_on(workspace, followed) if followed else ())

        found = await self._tasks.in_thread(read)
        is_other = self._seen not in (None, found.seen)
        self._seen = found.seen
        if followed and found.records:
            self.went_on.emit(followed, found.records)
        if found.interrupted:
            self.interrupted.emit(found.interrupted)
        elif is_other:
            self.changed.emit()


def _read_on(workspace: Workspace, followed: ExternalRun) -> "Sequence[Record]":
    from toolplanner_core.runs.log.stored_runs import read_typed

    try:
        return read_typed(workspace, followed.run, after=followed.last_seq, limit=_MOST_RECORDS)
    except NotFound:
        return ()  # deleted elsewhere; the list, read anew, says so


def read_list(workspace: Workspace) -> "tuple[RunListState, Sequence[RunSummary]]":
    """The runs of a file, and what to tell the next list by; not on the GUI thread."""
    seen = run_list_state(workspace)
    if not seen.number:
        return seen, ()
    from toolplanner_core.runs.log.stored_runs import list_runs

    return seen, list_runs(workspace)
