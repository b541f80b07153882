"""`AppContext`: the only thing handed to panels, dialogs and menu entries.

Holds the services of the program and the workspace that is open, whose parts it offers as its own.
Panels know this and the core, never each other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, Signal, SignalInstance

from toolplanner_core.domain.ids import RunId, ToolkitId
from toolplanner_core.jobs.progress import Progress
from toolplanner_gui import panel_commands
from toolplanner_gui.bridge.errors import describe
from toolplanner_gui.bridge.gui_thread import GuiThreadCalls
from toolplanner_gui.bridge.jobs import MOMENT_S, Job, Jobs
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.bridge.user_settings import UserSettings
from toolplanner_gui.shell import Shell
from toolplanner_gui.theme.theme import Theme

if TYPE_CHECKING:
    # What only an open workspace needs is loaded after the window is on the screen.
    from toolplanner_core.curation.looking.chosen import Chosen
    from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
    from toolplanner_core.workspace import Workspace
    from toolplanner_gui.bridge.view_state import ViewState
    from toolplanner_gui.open_workspace import OpenWorkspace
    from toolplanner_gui.viewmodels.curate.edit_queue import EditQueue
    from toolplanner_gui.viewmodels.curate.first_map import FirstMap
    from toolplanner_gui.viewmodels.curate.map_view_state import MapViewState
    from toolplanner_gui.viewmodels.curate.review import Review
    from toolplanner_gui.viewmodels.curate.review_answers import ReviewAnswers
    from toolplanner_gui.viewmodels.curate.selection import Selection, SelectionActions
    from toolplanner_gui.viewmodels.curate.staging import Staging
    from toolplanner_gui.viewmodels.curate.toolkit_metrics import ToolkitMetrics
    from toolplanner_gui.viewmodels.curate.transitions import Transitions
    from toolplanner_gui.viewmodels.debug.case_runner import CaseRunner
    from toolplanner_gui.viewmodels.debug.debug_session import DebugSession
    from toolplanner_gui.viewmodels.debug.deleted_runs import DeletedRuns
    from toolplanner_gui.viewmodels.debug.run_view import RunView
    from toolplanner_gui.viewmodels.debug.serving import Serving
    from toolplanner_gui.viewmodels.lab.lab_session import LabSession

_log = logging.getLogger(__name__)
T = TypeVar("T")


class _Opened(Generic[T]):
    """A part of the workspace that is open; asking for it while none is open is a mistake."""

    def __init__(self, name: str = "") -> None:
        self._name = name

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = self._name or name

    def __get__(self, context: AppContext, _owner: type) -> T:
        if context.opened is None:
            raise RuntimeError(f"no workspace is open, so there is no {self._name}")
        return getattr(context.opened, self._name)


class AppContext(QObject):
    """State of the program.

    Args:
        loop: the asyncio loop of the GUI thread.
        theme: colours and icons.
        choices: what is remembered between starts.

    Attributes:
        shell: the main window, which puts itself here.
        opened: the workspace that is open; its parts are also reached as attributes of this.

    Signals:
        workspace_closing: the workspace is about to be closed; what was made for it goes.
        workspace_changed: another workspace is open, or none, or one is being opened.
    """

    workspace_closing = Signal()
    workspace_changed = Signal()
    problem_reported = Signal(object)
    message_shown = Signal(str)
    layout_changed = Signal()
    preferences_changed = Signal()

    shell: Shell

    file: _Opened[Workspace] = _Opened("workspace")
    selection: _Opened[Selection] = _Opened()
    chosen: _Opened[Chosen] = _Opened()
    first_map: _Opened[FirstMap] = _Opened()
    curation: _Opened[EditQueue] = _Opened()
    figures: _Opened[ToolkitMetrics] = _Opened()
    map_look: _Opened[MapViewState] = _Opened()
    selecting: _Opened[SelectionActions] = _Opened()
    staging: _Opened[Staging] = _Opened()
    transitions: _Opened[Transitions] = _Opened()
    review: _Opened[Review] = _Opened()
    answers: _Opened[ReviewAnswers] = _Opened()
    view: _Opened[ViewState] = _Opened()
    run_view: _Opened[RunView] = _Opened()
    case_runs: _Opened[CaseRunner] = _Opened()
    debug: _Opened[DebugSession] = _Opened()
    serving: _Opened[Serving] = _Opened()
    deleted_runs: _Opened[DeletedRuns] = _Opened()
    lab: _Opened[LabSession] = _Opened()
    catalogue_changed: _Opened[SignalInstance] = _Opened()
    catalogue_edited: _Opened[SignalInstance] = _Opened()
    colours_changed: _Opened[SignalInstance] = _Opened()

    def __init__(
        self, loop: asyncio.AbstractEventLoop, *, theme: Theme, choices: UserSettings
    ) -> None:
        super().__init__()
        self.theme = theme
        self.choices = choices
        self.calls = GuiThreadCalls(self)
        self.tasks = Tasks(loop, self.report)
        self.jobs = Jobs(self.calls, self)
        self.opened: OpenWorkspace | None = None
        self._closing: list[Callable[[], None]] = []
        """What finishes the writes of workspaces that are being closed."""
        self.is_opening = False

    @property
    def workspace(self) -> Workspace | None:
        """The file that is open."""
        return None if self.opened is None else self.opened.workspace

    @property
    def catalogue(self) -> CuratedCatalogue:
        """The toolkits and points of the workspace."""
        if self.opened is not None:
            return self.opened.catalogue
        from toolplanner_core.curation.looking.curated_catalogue import EMPTY

        return EMPTY

    @property
    def is_catalogue_loading(self) -> bool:
        """Whether what the open file holds is being read for the first time."""
        return self.opened is not None and self.opened.is_catalogue_loading

    @property
    def colours(self) -> Mapping[ToolkitId, str]:
        """The colours of the toolkits on the map, "#rrggbb"."""
        return {} if self.opened is None else self.opened.colours

    def report(self, error: BaseException, *, doing: str = "", about: object = None) -> None:
        """Show an error to the person, in a banner of the main window.

        Args:
            about: the stop of a run that it is about, with which it goes.
        """
        self.problem_reported.emit(replace(describe(error, doing=doing), about=about))

    def show_message(self, text: str) -> None:
        """Say in the status bar that something was done."""
        self.message_shown.emit(text)

    def job_failed(self, job: Job, error: BaseException) -> None:
        """Show why a job ended; for `job.failed` where no panel shows it in place."""
        self.report(error, doing=job.title)

    def start_job(
        self, title: str, work: Callable[[Progress], T], then: Callable[[T], object]
    ) -> Job:
        """Run `work` on a thread and `then` with what it gives; why it fails is shown."""
        job = self.jobs.start(title, work)
        job.succeeded.connect(then)
        job.failed.connect(lambda error: self.job_failed(job, error))
        return job

    @property
    def is_run_live(self) -> bool:
        """Whether the run that is looked at goes on, or is held."""
        return self.opened is not None and self.opened.run_view.is_live

    @property
    def running_work(self) -> Sequence[str]:
        """What a person started and closing would stop, in words."""
        opened = self.opened
        jobs = [j.title for j in self.jobs.running if j.is_asked_for and not j.is_cancelling]
        if opened is None:
            return jobs
        serves = [f"Agents use this workspace ({opened.serving.words})"] * bool(
            any(client.is_here for client in opened.serving.clients)
        )
        if not self.is_run_live:
            return [*serves, *jobs]
        return ["A run is held" if opened.debug.is_paused else "A run goes on", *serves, *jobs]

    def compare_runs(self, one: RunId, other: RunId) -> None:
        """Show how two runs differ, the older one on the left."""
        self.run_view.compare(min(one, other), max(one, other))
        self.shell.call_panel(panel_commands.focus_comparison)

    def reload_catalogue(self) -> None:
        """Read toolkits and map anew, after an import or a prepare."""
        if self.opened is not None:
            self.opened.reload()

    def set_colours(self, colours: Mapping[ToolkitId, str]) -> None:
        """The colours the map gave to the toolkits; lists show the same."""
        if self.opened is not None:
            self.opened.set_colours(colours)

    async def open_workspace(self, path: Path) -> None:
        """Close what is open and open a workspace file; an error is shown and changes nothing."""
        self.is_opening = True
        self.workspace_changed.emit()
        from toolplanner_core.workspace import Workspace
        from toolplanner_gui.open_workspace import OpenWorkspace

        try:
            workspace = await self.tasks.in_thread(lambda: Workspace.open(path))
        except Exception as error:  # noqa: BLE001 - shown to the person, who can choose another
            self.is_opening = False
            self.workspace_changed.emit()
            self.report(error, doing="Opening the workspace")
            return
        await self.close_workspace()
        self.is_opening = False
        self.choices.add_recent(path)
        self.opened = OpenWorkspace(
            workspace,
            tasks=self.tasks,
            jobs=self.jobs,
            calls=self.calls,
            choices=self.choices,
            report=self.report,
            tell=self.show_message,
            parent=self,
        )
        self.workspace_changed.emit()
        if workspace.copy_of_before is not None:
            self.show_message(
                f"“{path.name}” was brought to the format of now. The file as it was is kept beside"
                f" it as “{workspace.copy_of_before.name}”; you may delete it."
            )

    async def new_workspace(self, path: Path) -> None:
        """Make an empty workspace file and open it."""
        from toolplanner_core.workspace import Workspace

        await self.tasks.in_thread(lambda: Workspace.create(path).close())
        await self.open_workspace(path)

    async def close_workspace(self) -> None:
        """Stop what works on the workspace, finish its writes, close the file."""
        opened = self.opened
        if opened is not None:
            self.workspace_closing.emit()
            self.opened = None
            finish = opened.release()
            self._closing.append(finish)
            self.workspace_changed.emit()
            await self.tasks.in_thread(finish)
            self._closing.remove(finish)
            opened.deleteLater()

    def close(self) -> None:
        """End threads and files; the window is going."""
        _log.info("Closing")
        self.calls.close()
        self.jobs.close()
        if self.opened is not None:
            self.workspace_closing.emit()
            self.opened.release(wait_s=MOMENT_S)()
        # One that was closed just before: the end of the program may come before its turn.
        for finish in self._closing:
            finish()
        self.tasks.close()
