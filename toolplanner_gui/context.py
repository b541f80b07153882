"""`AppContext`: the only thing handed to panels, dialogs and menu entries.

Holds what is open, what is selected and what runs, and the ways to change them. Panels know this
and the core, never each other.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from toolplanner_core.curation.looking.chosen import Chosen
from toolplanner_core.curation.looking.curated_catalogue import (
    EMPTY,
    CuratedCatalogue,
    read_catalogue,
)
from toolplanner_core.curation.looking.patching import (
    CatalogueEdit,
    patched,
    touched_toolkits,
)
from toolplanner_core.domain.ids import NodePath, RunId, ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.choices import Choices
from toolplanner_gui.bridge.errors import describe
from toolplanner_gui.bridge.gui_calls import GuiCalls
from toolplanner_gui.bridge.jobs import Job, Jobs
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.viewmodels.curate.curation import Curation, MadeEdit
from toolplanner_gui.viewmodels.curate.figures import Figures
from toolplanner_gui.viewmodels.curate.map_look import MapLook
from toolplanner_gui.viewmodels.curate.review import Review
from toolplanner_gui.viewmodels.curate.review_answers import Answers
from toolplanner_gui.viewmodels.curate.selecting import Selecting
from toolplanner_gui.viewmodels.curate.selection import Selection
from toolplanner_gui.viewmodels.curate.staging import Staging
from toolplanner_gui.viewmodels.debug.debug_session import DebugSession
from toolplanner_gui.viewmodels.debug.run_view import RunView

_log = logging.getLogger(__name__)


class Shell(Protocol):
    """What the main window does for menu entries and panels."""

    @property
    def window_widget(self) -> QWidget:
        """The parent of dialogs."""
        ...

    def show_layout(self, layout: str) -> None:
        """Switch to a layout by id."""
        ...

    def current_layout(self) -> str:
        """The id of the layout that is shown."""
        ...

    def panels(self) -> Sequence[tuple[str, str, bool]]:
        """`(id, title, is shown)` of all panels of the layout."""
        ...

    def toggle_panel(self, panel: str) -> None:
        """Show or hide a panel."""
        ...

    def call_panel(self, panel: str, method: str) -> None:
        """Show a panel and do one of the things it can do, such as "find" or "fit"."""
        ...

    def reset_windows(self) -> None:
        """All layouts as delivered."""
        ...

    def show_import(self, paths: Sequence[Path] = ()) -> None:
        """Open the import dialog."""
        ...

    def show_prepare(self) -> None:
        """Open the prepare dialog."""
        ...

    def show_breakpoint(self, text: str = "") -> None:
        """Open the form of a breakpoint; "" = a new one."""
        ...

    def show_fault(self, text: str = "") -> None:
        """Open the form of a fault; "" = a new one."""
        ...

    def show_about(self) -> None:
        """Open the about box."""
        ...

    def show_shortcuts(self) -> None:
        """Open the list of shortcuts."""
        ...

    def show_fork(self, run: RunId, path: NodePath) -> None:
        """Open the dialog that forks a run at a node."""
        ...

    def show_replay(self, report: object) -> None:
        """Say what a replay showed; a `ReplayReport`."""
        ...

    def show_dialog(self, dialog: str) -> None:
        """Open a dialog of curation by its name; names: `windows/curation_dialogs`."""
        ...

    def fill_menu(self, menu: QMenu, kind: str, target: object) -> None:
        """Add what can be done with a thing to its context menu; kinds: `actions/context_menu`."""
        ...

    def start_run(self, *, is_stepping: bool = False) -> None:
        """Run what stands in the query bar; stepping holds it at its first stop point."""
        ...

    def run_example(self) -> None:
        """Run the first saved query of the workspace."""
        ...

    @property
    def has_examples(self) -> bool:
        """Whether the workspace has saved queries."""
        ...

    def focus_query(self) -> None:
        """Put the cursor into the query field."""
        ...

    def close_window(self) -> None:
        """End the program."""
        ...


class AppContext(QObject):
    """State of the program.

    Args:
        loop: the asyncio loop of the GUI thread.
        theme: colours and icons.
        choices: what is remembered between starts.

    Signals:
        catalogue_changed: read anew: other APIs, points or toolkits.
        catalogue_edited: patched after an edit, a `CatalogueEdit`; the points are the same.
    """

    workspace_changed = Signal()
    catalogue_changed = Signal()
    catalogue_edited = Signal(object)
    colours_changed = Signal()
    problem_reported = Signal(object)
    told = Signal(str)
    layout_changed = Signal()

    def __init__(self, loop: asyncio.AbstractEventLoop, *, theme: Theme, choices: Choices) -> None:
        super().__init__()
        self.theme = theme
        self.choices = choices
        self.calls = GuiCalls(self)
        self.tasks = Tasks(loop, self.report)
        self.jobs = Jobs(self.calls, self)
        self.selection = Selection(self)
        self.curation = Curation(self.calls, loop, self.report, self)
        self.curation.edited.connect(self._on_edited)
        self.curation.edited_elsewhere.connect(self._on_edited_elsewhere)
        self.figures = Figures(self.tasks, self)
        self.map_look = MapLook(self.tasks, self)
        self.selecting = Selecting(
            self.tasks,
            self.selection,
            self.map_look,
            tell=self.tell,
            report=self.report,
            parent=self,
        )
        self.staging = Staging(self)
        self.review = Review(self.tasks, self.jobs, self.curation, report=self.report, parent=self)
        self.answers = Answers(self.review, self.tasks, self.curation, self)
        self.run_view = RunView(self.tasks, self.calls, self.report, self)
        self.run_view.live_changed.connect(self._on_live_changed)
        self.debug = DebugSession(self.run_view, self.calls, self.report, self)
        self.shell: Shell | None = None
        self.workspace: Workspace | None = None
        self._catalogue: CuratedCatalogue = EMPTY
        self.colours: Mapping[ToolkitId, str] = {}
        self._reloading: asyncio.Task[None] | None = None
        self._chosen: Chosen | None = None
        self.selection.changed.connect(self._forget_chosen)
        self.is_opening = False

    @property
    def catalogue(self) -> CuratedCatalogue:
        """The toolkits and points of the workspace; the selection always fits it."""
        return self._catalogue

    @catalogue.setter
    def catalogue(self, catalogue: CuratedCatalogue) -> None:
        self._catalogue = catalogue
        self._chosen = None
        self.selection.set_catalogue(catalogue)
        self.selecting.set_catalogue(catalogue)
        self.staging.set_catalogue(catalogue)

    @property
    def chosen(self) -> Chosen:
        """The selection as an edit needs it; made once per selection."""
        if self._chosen is None:
            self._chosen = self.selection.chosen()
        return self._chosen

    def report(self, error: BaseException, *, doing: str = "") -> None:
        """Show an error to the person, in a banner of the main window."""
        self.problem_reported.emit(describe(error, doing=doing))

    def tell(self, text: str) -> None:
        """Say in the status bar that something was done."""
        self.told.emit(text)

    def compare_runs(self, one: RunId, other: RunId) -> None:
        """Show how two runs differ, the older one on the left."""
        self.run_view.compare(min(one, other), max(one, other))
        if self.shell is not None:
            self.shell.call_panel("compare", "focus_tree")

    async def open_workspace(self, path: Path) -> None:
        """Close what is open and open a workspace file; an error is shown and changes nothing."""
        self.is_opening = True
        self.workspace_changed.emit()
        try:
            opened = await self.tasks.in_thread(lambda: Workspace.open(path))
        except Exception as error:  # noqa: BLE001 - shown to the person, who can choose another
            self.is_opening = False
            self.workspace_changed.emit()
            self.report(error, doing="Opening the workspace")
            return
        await self.close_workspace()
        self.is_opening = False
        self.workspace = opened
        self.choices.add_recent(path)
        self.run_view.set_workspace(opened)
        self.curation.set_workspace(opened)
        self.figures.set_workspace(opened)
        self.map_look.set_workspace(opened)
        self.selecting.set_workspace(opened)
        self.review.set_workspace(opened)
        self.debug.set_workspace(opened)
        self.workspace_changed.emit()
        await self._reload(opened)

    async def new_workspace(self, path: Path) -> None:
        """Make an empty workspace file and open it."""
        await self.tasks.in_thread(lambda: Workspace.create(path).close())
        await self.open_workspace(path)

    async def close_workspace(self) -> None:
        """Stop what works on the workspace, finish its writes, close the file."""
        workspace, self.workspace = self.workspace, None
        if workspace is None:
            return
        if self._reloading is not None:
            self._reloading.cancel()
        self.selection.clear()
        self.catalogue = EMPTY
        self.colours = {}
        self.debug.set_workspace(None)
        wait_for_jobs = self.jobs.cancel_all()
        self.figures.set_workspace(None)
        self.map_look.set_workspace(None)
        self.selecting.set_workspace(None)
        self.review.set_workspace(None)
        self.answers.forget()
        engine = self.run_view.release()
        self.curation.set_workspace(None)
        self.workspace_changed.emit()
        self.catalogue_changed.emit()

        def finish() -> None:
            wait_for_jobs()
            if engine is not None:
                engine()
            self.curation.drain()
            workspace.close()

        await self.tasks.in_thread(finish)

    def reload_catalogue(self) -> None:
        """Read toolkits and map anew, after an import or a prepare."""
        if self.workspace is not None:
            if self._reloading is not None:
                self._reloading.cancel()
            self._reloading = self.tasks.spawn(self._reload(self.workspace), owner=self)

    def set_colours(self, colours: Mapping[ToolkitId, str]) -> None:
        """The colours the map gave to the toolkits, "#rrggbb"; lists show the same."""
        self.colours = colours
        self.colours_changed.emit()

    def job_failed(self, job: Job, error: BaseException) -> None:
        """Show why a job ended; for `job.failed` where no panel shows it in place."""
        self.report(error, doing=job.title)

    def _on_live_changed(self) -> None:
        if not self.run_view.is_live:
            self.figures.refresh_health()
            self.review.read_runs()

    def _forget_chosen(self, _origin: object) -> None:
        self._chosen = None

    async def _reload(self, workspace: Workspace) -> None:
        catalogue = await self.tasks.in_thread(lambda: read_catalogue(workspace))
        if workspace is self.workspace:
            self.catalogue = catalogue
            self.catalogue_changed.emit()
            self.curation.refresh()
            self.figures.set_catalogue(catalogue)
            self.map_look.set_catalogue(catalogue)
            self.review.set_catalogue(catalogue)

    @property
    def _is_reading(self) -> bool:
        return self._reloading is not None and not self._reloading.done()

    def _on_edited_elsewhere(self) -> None:
        # Jobs of this window write toolkits as well, and have them read anew when they are done.
        if not self._is_reading and not self.jobs.running:
            self.tell("Something else has edited this workspace; shown as it is now.")
            self.reload_catalogue()

    def _on_edited(self, made: MadeEdit) -> None:
        if self._is_reading or not made.is_alone:
            # What is being read may be from before the edit, or others have edited meanwhile.
            self.reload_catalogue()
            return
        before, changes = self._catalogue, made.done.changes
        self.catalogue = patched(before, changes)
        touched = touched_toolkits(before, changes)
        edit = CatalogueEdit(done=made.done, before=before, touched=touched)
        self.figures.follow(edit, self._catalogue)
        self.map_look.follow(edit, self._catalogue)
        self.catalogue_edited.emit(edit)

    def close(self) -> None:
        """End threads and files; the window is going."""
        _log.info("Closing")
        # First: releasing the engine tells of an ended run, and nobody shall read of it now.
        self.figures.set_workspace(None)
        self.map_look.set_workspace(None)
        self.selecting.set_workspace(None)
        self.review.set_workspace(None)
        self.calls.close()
        self.jobs.close()
        engine = self.run_view.release()
        if engine is not None:
            engine()
        self.curation.close()
        self.tasks.close()
        if self.workspace is not None:
            self.workspace.close()
            self.workspace = None
