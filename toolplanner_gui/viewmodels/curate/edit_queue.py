"""Edits of toolkits as the window makes them: in order, off the GUI thread, shown when on disk.

One thread makes one edit after the other, in the order of asking, so that two quick keys never
overtake each other and closing the window waits for the last one. What comes back are the values
that changed; the catalogue is patched with them instead of being read again. Panels, dialogs and
menu entries edit only through `context.curation`.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.edits.history_reading import NextSteps, next_steps
from toolplanner_core.domain.ids import EditId
from toolplanner_core.errors import BadInput
from toolplanner_core.settings import person_name
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_gui.bridge.gui_thread import GuiThreadCalls

_log = logging.getLogger(__name__)
_VERSION = "toolkits_version"
_LOOK_EVERY_MS = 2000
T = TypeVar("T")
NOTHING = NextSteps(undo="", redo="")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedEdit:
    """An edit that is on disk, with what the window needs to show it.

    Attributes:
        steps: what undo and redo would do now.
        is_alone: nobody else changed the toolkits since the edit before; else the catalogue has to
            be read again.
    """

    done: Done
    steps: NextSteps
    is_alone: bool


class EditQueue(QObject):
    """Does, undoes and redoes edits of the open workspace. GUI thread.

    Args:
        calls: the way back to the GUI thread.
        loop: futures of edits belong to it.
        report: shows an error to the person.

    Signals:
        edited: a `CommittedEdit`; the context patches the catalogue first, then all others hear.
        history_changed: undo and redo would do something else now.
        pending_changed: edits wait, or none does any more.
        edited_elsewhere: something else wrote to the toolkits, such as the command line; comes
            again every two seconds until `refresh`.
    """

    edited = Signal(object)
    history_changed = Signal()
    pending_changed = Signal()
    edited_elsewhere = Signal()

    def __init__(
        self,
        workspace: Workspace,
        calls: GuiThreadCalls,
        loop: asyncio.AbstractEventLoop,
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._calls = calls
        self._loop = loop
        self._report = report
        self._workspace = workspace
        self._version = 0
        self._steps = NOTHING
        self._pending = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="edits")
        self._looking = QTimer(self, interval=_LOOK_EVERY_MS)
        self._looking.timeout.connect(self.look_elsewhere)
        self._looking.start()
        self.refresh()

    @property
    def undo_label(self) -> str:
        """What undo would take back; "" = nothing."""
        return self._steps.undo

    @property
    def redo_label(self) -> str:
        """What redo would do again; "" = nothing."""
        return self._steps.redo

    @property
    def is_idle(self) -> bool:
        """Whether every edit asked for is on disk, or was refused."""
        return self._pending == 0

    def refresh(self) -> None:
        """Read anew what undo and redo would do, after something else wrote to the history."""
        workspace = self._workspace

        def read() -> NextSteps:
            self._version = _version_of(workspace)
            return next_steps(workspace)

        def shown(steps: NextSteps | None) -> None:
            if steps is not None:
                self._steps = steps
                self.history_changed.emit()

        self._submit(read, shown)

    def do(
        self, edit: Edit, *, origin: Mapping[str, Any] | None = None
    ) -> "asyncio.Future[Done | None]":
        """Make an edit.

        Args:
            origin: how the set of APIs was found, such as `selection.made`.

        Returns:
            Done once it is on disk and on the screen; None when it was refused, which the banner
            says.
        """
        who = person_name()
        return self.run(lambda workspace: history.do(workspace, edit, origin=origin, who=who))

    def undo(self) -> "asyncio.Future[Done | None]":
        """Take back the last edit, if it is the one that `undo_label` names."""
        return self.run(lambda workspace: history.undo(self._as_shown(workspace)))

    def redo(self) -> "asyncio.Future[Done | None]":
        """Make the edit again that was undone last, if it is the one that `redo_label` names."""
        return self.run(lambda workspace: history.redo(self._as_shown(workspace)))

    def jump(self, to: EditId) -> "asyncio.Future[Done | None]":
        """Go to a point of the history."""
        return self.run(lambda workspace: history.jump(workspace, to))

    def revert(self, edit: EditId) -> "asyncio.Future[Done | None]":
        """Take back one old edit and keep those after it."""
        who = person_name()
        return self.run(lambda workspace: history.revert(workspace, edit, who=who))

    def run(
        self,
        work: Callable[[Workspace], Done],
        *,
        report: Callable[[BaseException], None] | None = None,
    ) -> "asyncio.Future[Done | None]":
        """Make an edit in a way of its own, such as accepting a proposal, in the same order.

        Args:
            report: says why it was refused where the person looks; None = as for all others.
        """
        answer: asyncio.Future[Done | None] = self._loop.create_future()
        workspace = self._workspace

        def make() -> CommittedEdit:
            done = work(workspace)
            version = _version_of(workspace)
            is_alone = version == self._version + 1
            self._version = version
            return CommittedEdit(done=done, steps=next_steps(workspace), is_alone=is_alone)

        def shown(made: CommittedEdit | None) -> None:
            if made is not None:
                self._steps = made.steps
                self.edited.emit(made)
                self.history_changed.emit()
            if not answer.done():
                answer.set_result(None if made is None else made.done)

        self._submit(make, shown, report)
        return answer

    def look_elsewhere(self) -> None:
        """Ask whether something else has edited the toolkits; `edited_elsewhere` is the answer."""

        def look() -> None:
            # On the thread of the edits, so that an edit of our own is never taken for another's.
            try:
                is_other = _version_of(self._workspace) != self._version
            except Exception as error:  # noqa: BLE001 - looked for again in two seconds
                _log.info("Could not look for edits made elsewhere: %s", error)
                return
            if is_other:
                self._calls.post(self.edited_elsewhere.emit)

        self._thread.submit(look)

    def close(self) -> None:
        """Return when all edits asked for are on disk; off the GUI thread or while closing."""
        self._thread.shutdown(wait=True)

    def _as_shown(self, workspace: Workspace) -> Workspace:
        if _version_of(workspace) != self._version:
            raise BadInput(
                "Something else has edited this workspace meanwhile",
                why="The last edit is no longer the one that the window shows",
                todo="Look at the history, then try again",
            )
        return workspace

    def _submit(
        self,
        work: Callable[[], T],
        then: Callable[[T | None], None],
        report: Callable[[BaseException], None] | None = None,
    ) -> None:
        self._pending += 1
        self.pending_changed.emit()

        def run() -> None:
            try:
                result = work()
            except Exception as error:  # noqa: BLE001 - handed to the GUI thread, shown there
                problem = error
                self._calls.post(lambda: end(None, problem))
            else:
                self._calls.post(lambda: end(result, None))

        def end(result: T | None, error: Exception | None) -> None:
            self._pending -= 1
            if error is not None:
                _log.info("An edit was refused: %s", error)
                (report or self._report)(error)
            then(result)
            self.pending_changed.emit()

        self._thread.submit(run)


def _version_of(workspace: Workspace) -> int:
    return int(get_setting(workspace, _VERSION, 0))
