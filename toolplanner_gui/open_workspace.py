"""`OpenWorkspace`: all that lives and dies with one open workspace file.

Made when a file was opened, released when it is closed; nothing in it ever changes its workspace.
Panels, dialogs and menu entries reach its parts through the context.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.edits.consequences import besides
from toolplanner_core.curation.looking.chosen import Chosen
from toolplanner_core.curation.looking.curated_catalogue import (
    EMPTY,
    CuratedCatalogue,
    read_catalogue,
)
from toolplanner_core.curation.looking.patching import CatalogueEdit, patched, touched_toolkits
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.connections import moved_away
from toolplanner_gui.bridge.errors import AN_EDIT
from toolplanner_gui.bridge.gui_thread import GuiThreadCalls
from toolplanner_gui.bridge.jobs import Jobs
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.bridge.user_settings import UserSettings
from toolplanner_gui.bridge.view_state import ViewState
from toolplanner_gui.viewmodels.curate.edit_queue import CommittedEdit, EditQueue
from toolplanner_gui.viewmodels.curate.first_map import FirstMap
from toolplanner_gui.viewmodels.curate.map_view_state import MapViewState
from toolplanner_gui.viewmodels.curate.review import Review
from toolplanner_gui.viewmodels.curate.selection import Selection, SelectionActions
from toolplanner_gui.viewmodels.curate.staging import Staging
from toolplanner_gui.viewmodels.curate.toolkit_metrics import ToolkitMetrics
from toolplanner_gui.viewmodels.curate.transitions import Transitions
from toolplanner_gui.viewmodels.debug.case_runner import CaseRunner
from toolplanner_gui.viewmodels.debug.debug_session import DebugSession
from toolplanner_gui.viewmodels.debug.deleted_runs import DeletedRuns
from toolplanner_gui.viewmodels.debug.run_view import RunView
from toolplanner_gui.viewmodels.debug.serving import Serving
from toolplanner_gui.viewmodels.workspace_file_watcher import WorkspaceFileWatcher

if TYPE_CHECKING:
    from toolplanner_gui.viewmodels.curate.review_answers import ReviewAnswers
    from toolplanner_gui.viewmodels.lab.lab_session import LabSession


class OpenWorkspace(QObject):
    """A workspace, its catalogue, what is selected in it and what runs on it. GUI thread.

    Args:
        report: shows an error to the person.
        tell: says in the status bar that something was done.

    Signals:
        catalogue_changed: read anew: other APIs, points or toolkits.
        catalogue_edited: patched after an edit, a `CatalogueEdit`; the points are the same.
        colours_changed: toolkits have other colours.
        touched: anything that decides what can be done now may be another one.
    """

    catalogue_changed = Signal()
    catalogue_edited = Signal(object)
    colours_changed = Signal()
    touched = Signal()

    def __init__(
        self,
        workspace: Workspace,
        *,
        tasks: Tasks,
        jobs: Jobs,
        calls: GuiThreadCalls,
        choices: UserSettings,
        report: Callable[..., None],
        tell: Callable[[str], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self._tasks, self._jobs, self._tell = tasks, jobs, tell
        self._report = report
        self.view = ViewState(choices, workspace.path, self)
        self._is_in_place = True
        self._catalogue: CuratedCatalogue = EMPTY
        self._chosen: Chosen | None = None
        self._reloading: asyncio.Task[None] | None = None
        self.colours: Mapping[ToolkitId, str] = {}
        self.file_watcher = WorkspaceFileWatcher(workspace, tasks, calls, self)
        self.file_watcher.changed.connect(self._on_file_changed)
        self._begin_curating(calls)
        self._begin_running(calls)
        self._follow_what_can_be_done()
        self.reload()

    def _begin_curating(self, calls: GuiThreadCalls) -> None:
        workspace, tasks = self.workspace, self._tasks
        self.selection = Selection(self)
        self.selection.changed.connect(self._forget_chosen)
        refused = partial(self._report, about=AN_EDIT)
        self.first_map = FirstMap(self.selection, self.view, self)
        self.curation = EditQueue(workspace, calls, tasks.loop, refused, self)
        self.curation.edited.connect(self._on_edited)
        self.curation.edited_elsewhere.connect(self._on_edited_elsewhere)
        self.figures = ToolkitMetrics(workspace, tasks, self)
        self.map_look = MapViewState(workspace, tasks, self.view, self)
        self.selecting = SelectionActions(
            workspace,
            tasks,
            self.selection,
            self.map_look,
            tell=self._tell,
            report=self._report,
            parent=self,
        )
        self.staging = Staging(self.view, self)
        self.staging.came_back.connect(self._tell_what_is_staged)
        self.transitions = Transitions(self)
        self.review = Review(
            workspace, tasks, self._jobs, self.curation, report=self._report, parent=self
        )

    def _begin_running(self, calls: GuiThreadCalls) -> None:
        workspace, report = self.workspace, self._report
        self.run_view = RunView(workspace, self._tasks, calls, report, self)
        self.run_view.live_changed.connect(self._on_live_changed)
        self.deleted_runs = DeletedRuns(self)
        self.curation.edited.connect(self.deleted_runs.forget)
        self.case_runs = CaseRunner(
            workspace, self._jobs, tell=self._tell, report=report, parent=self
        )
        self.case_runs.ended.connect(self.run_view.refresh)
        self.case_runs.ended.connect(self._on_live_changed)
        self.debug = DebugSession(self.run_view, calls, report, self._tell, self)
        self.serving = Serving(
            self.run_view, self.debug, tasks=self._tasks, calls=calls, report=report, parent=self
        )

    def _follow_what_can_be_done(self) -> None:
        for signal in (
            self.catalogue_changed,
            self.catalogue_edited,
            self.selection.changed,
            self.run_view.live_changed,
            self.run_view.runs_changed,
            self.run_view.node_changed,
            self.case_runs.changed,
            self.debug.held_changed,
            self.serving.changed,
            self.serving.waiting_changed,
            self.deleted_runs.changed,
            self.curation.history_changed,
            self.review.listed,
            self.review.current_changed,
            self.review.cards.changed,
        ):
            signal.connect(self.touched)

    @cached_property
    def answers(self) -> "ReviewAnswers":
        """Gives answers to the questions of the review; made when somebody reviews."""
        from toolplanner_gui.viewmodels.curate.review_answers import ReviewAnswers

        return ReviewAnswers(self.review, self._tasks, self.curation, self)

    @cached_property
    def lab(self) -> "LabSession":
        """The experiments beside the file; made when somebody looks at them."""
        from toolplanner_gui.viewmodels.lab.lab_session import LabSession

        made = LabSession(self.workspace, self._tasks, self._jobs, report=self._report, parent=self)
        for signal in (made.opened, made.renewed, made.trial_changed, made.runner.changed):
            signal.connect(self.touched)
        return made

    @property
    def catalogue(self) -> CuratedCatalogue:
        """The toolkits and points of the workspace; the selection always fits it."""
        return self._catalogue

    @property
    def is_catalogue_loading(self) -> bool:
        """Whether the catalogue is being read for the first time."""
        return self._catalogue is EMPTY and self._is_reading

    @property
    def chosen(self) -> Chosen:
        """The selection as an edit needs it; made once per selection."""
        if self._chosen is None:
            self._chosen = self.selection.chosen()
        return self._chosen

    def reload(self) -> None:
        """Read toolkits and map anew, after an import or a prepare."""
        if self._reloading is not None:
            self._reloading.cancel()
        self._reloading = self._tasks.spawn(self._reload(), owner=self)

    def show_first_map(self) -> None:
        """Show the places that are there while a preparation computes better ones."""
        self.first_map.begin()
        self.reload()

    def show_final_map(self) -> None:
        """Show final places, which waited while somebody worked on the first ones."""
        self.first_map.show_final()
        self.reload()

    def set_colours(self, colours: Mapping[ToolkitId, str]) -> None:
        """The colours the map gave to the toolkits, "#rrggbb"; lists show the same."""
        self.colours = colours
        self.colours_changed.emit()

    def release(self, *, wait_s: float = 10.0) -> Callable[[], None]:
        """Stop what works on the workspace; no part says anything any more.

        Args:
            wait_s: how long a job may take to stop.

        Returns:
            What finishes the writes and closes the file, to be called off the GUI thread. Called
            again, it waits for the first call and does nothing.
        """
        self.file_watcher.release()
        self.view.flush()
        for part in (self, *self.findChildren(QObject)):
            part.blockSignals(True)
            self._tasks.cancel_all(part)
        wait_for_jobs = self._jobs.cancel_all(wait_s=wait_s)
        end_engine = self.run_view.release()
        close_lab = self.lab.release() if "lab" in self.__dict__ else None
        one_by_one, is_finished = threading.Lock(), threading.Event()

        def finish() -> None:
            with one_by_one:
                if is_finished.is_set():
                    return
                wait_for_jobs()
                if end_engine is not None:
                    end_engine()
                if close_lab is not None:
                    close_lab()
                self.curation.close()
                self.workspace.close()
                is_finished.set()

        return finish

    def _take(self, catalogue: CuratedCatalogue) -> None:
        self._catalogue = catalogue
        self._chosen = None
        self.selection.set_catalogue(catalogue)
        self.selecting.set_catalogue(catalogue)
        self.staging.set_catalogue(catalogue)

    async def _reload(self) -> None:
        read = await self._tasks.in_thread(lambda: read_catalogue(self.workspace))
        catalogue = self.first_map.places_for(read, self._catalogue)
        self._take(catalogue)
        # First: lists show toolkits in the regions of the map.
        self.map_look.set_catalogue(catalogue)
        self.catalogue_changed.emit()
        self.curation.refresh()
        self.figures.set_catalogue(catalogue)
        self.review.reading.check()

    @property
    def _is_reading(self) -> bool:
        return self._reloading is not None and not self._reloading.done()

    def _on_edited(self, made: CommittedEdit) -> None:
        done = made.done
        self.first_map.note_edit()
        self._tell(f"{done.label}{besides(done, name_of=self._catalogue.name_of)}")
        if made.done.changes.texts:
            self._embed_changed()
        if self._is_reading or not made.is_alone:
            # What is being read may be from before the edit, or others have edited meanwhile.
            self.reload()
            return
        before, changes = self._catalogue, made.done.changes
        self._take(patched(before, changes))
        touched = touched_toolkits(before, changes)
        edit = CatalogueEdit(done=made.done, before=before, touched=touched)
        self.figures.follow(edit, self._catalogue)
        self.map_look.follow(self._catalogue)
        self.catalogue_edited.emit(edit)

    def _embed_changed(self) -> None:
        """Give the texts of APIs that an edit wrote their vectors, as a job; all others stay."""
        workspace = self.workspace

        def work(progress: Progress) -> object:
            from toolplanner_core.describing.job import embed_changed

            return embed_changed(workspace, progress=progress)

        job = self._jobs.start("Embedding changed texts", work, is_asked_for=False)
        job.failed.connect(self._report)

    def _on_edited_elsewhere(self) -> None:
        # Jobs of this window write toolkits as well, and have them read anew when they are done.
        if not self._is_reading and not self._jobs.running:
            self._tell("Something else has edited this workspace; shown as it is now.")
            self.reload()

    def _on_file_changed(self) -> None:
        if self.file_watcher.is_in_place == self._is_in_place:
            return
        self._is_in_place = self.file_watcher.is_in_place
        if self._is_in_place:
            self._tell("The file is back in its place; edits are saved again.")
            return
        self._report(moved_away(self.workspace.path))
        if self.run_view.is_live:
            self.run_view.stop()

    def _tell_what_is_staged(self) -> None:
        kits = counted(len(self.staging.toolkits), "toolkit")
        waits = "waits" if len(self.staging.toolkits) == 1 else "wait"
        self._tell(f"{kits} still {waits} in the staging tray, as you left them")

    def _on_live_changed(self) -> None:
        if not self.run_view.is_live:
            self.figures.refresh_health()
            self.review.reading.read_runs()

    def _forget_chosen(self, _origin: object) -> None:
        self._chosen = None
