"""What the window shows of the open workspace: bars, panels, and following a held run.

Made when a workspace was opened, taken down before it is closed, so that no widget ever shows
another workspace than the one it was made for.
"""

from collections.abc import Sequence
from dataclasses import replace

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.catalogue import ids_by_rowid
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.curate.filters import CHOSEN, FOUND
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.tab_order import focus_pane
from toolplanner_gui.windows.debug_toolbar import DebugToolbar
from toolplanner_gui.windows.dialog_hiding import DialogHider
from toolplanner_gui.windows.docks import Docks
from toolplanner_gui.windows.held_run_follower import HeldRunFollower
from toolplanner_gui.windows.interrupted_notice import InterruptedNotice
from toolplanner_gui.windows.query_bar import QueryBar


class WorkspaceView:
    """Bars and panels of a window for one workspace.

    Attributes:
        centre: the page that holds the central panel of the layout.
    """

    def __init__(self, window: QMainWindow, context: AppContext, workspace: Workspace) -> None:
        self._context = context
        self.query_bar = QueryBar(context)
        self.step_bar = DebugToolbar(context)
        top = Qt.ToolBarArea.TopToolBarArea
        window.addToolBar(top, self.query_bar)
        window.addToolBarBreak(top)
        window.addToolBar(top, self.step_bar)
        self.centre = QWidget()
        column = column_of(of=self.centre, gap=0)
        self.docks = Docks(window, context, column)
        self._follower = HeldRunFollower(context, self.query_bar.query, self.query_bar)
        self._aside = DialogHider(window, context, self.query_bar)
        self._interrupted = InterruptedNotice(context, self.query_bar)
        self._workspace = workspace
        self._renew_examples()
        context.run_view.runs_changed.connect(self._renew_examples)
        self.query_bar.options.fill()
        context.run_view.live_changed.connect(self._on_live_changed)
        context.case_runs.changed.connect(self._on_cases_changed)
        context.map_look.filters.changed.connect(self._on_filters_changed)

    def _on_live_changed(self) -> None:
        if self._context.run_view.is_live:
            self.docks.use("timeline", layout="debug")

    def _on_cases_changed(self) -> None:
        if self._context.case_runs.is_running:
            self.docks.use("cases", layout=self._context.shell.current_layout())

    def _on_filters_changed(self) -> None:
        """What a search or a selection lets through is listed below the map."""
        filters = self._context.map_look.filters
        if filters.get(FOUND) or filters.get(CHOSEN):
            self.docks.use("apis", layout="curate")

    def _renew_examples(self) -> None:
        """Offer the cases there are; a few hundred rows at most, read in a millisecond."""
        self.query_bar.set_examples(list_cases(self._workspace))

    def show_layout(self, layout: str) -> None:
        """Arrange the panels of a layout."""
        self.query_bar.show_layout(layout)
        self.docks.show_layout(layout)
        self.step_bar.refresh()  # bars come back as they were when the layout was kept

    def follow_width(self) -> None:
        """Arrange the panels for a narrow window, or for a wide one again."""
        self.docks.follow_width()
        self.step_bar.refresh()  # as in `show_layout`

    def start_run(self, *, is_stepping: bool) -> bool:
        """Run what stands in the query bar. Returns whether it can be run."""
        if self.query_bar.options.problem:
            self.query_bar.options.open_popup()
            return False
        spec = self.query_bar.spec()
        if not spec.query:
            self.query_bar.query.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._context.show_message(
                "Write a query first, or choose an example at the end of the field"
            )
            return False
        rowids = [int(rowid) for rowid in self._context.selection.rowids()]
        is_over_selected = self.query_bar.options.is_over_selected
        if is_over_selected and not rowids:
            self._context.show_message("Select the APIs first that the run may see")
            return False
        self._context.debug.set_step_at_start(is_stepping)
        spec = self._context.debug.with_faults(spec)
        if is_over_selected:
            self._context.tasks.spawn(self._start_over(spec, rowids), owner=self.query_bar)
        else:
            self._context.run_view.start(spec)
        return True

    async def _start_over(self, spec: RunSpec, rowids: Sequence[int]) -> None:
        """Run with these APIs as the only ones."""
        workspace = self._workspace
        ids = await self._context.tasks.in_thread(lambda: ids_by_rowid(workspace, rowids))
        candidates = tuple(ids[rowid] for rowid in rowids if rowid in ids)
        self._context.run_view.start(replace(spec, candidates=candidates))

    def go_to_pane(self, by: int) -> None:
        """Give the keyboard to the next pane: the query, then the panels, the middle first."""
        panes: list[QWidget] = [self.query_bar, *self.docks.seen()]
        focused = QApplication.focusWidget()
        at = next((n for n, p in enumerate(panes) if focused and _holds(p, focused)), -by)
        order = [panes[(at + by * step) % len(panes)] for step in range(1, len(panes) + 1)]
        for pane in order:
            if pane is self.query_bar:
                self.query_bar.query.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return
            if focus_pane(pane):
                return

    def destroy_widgets(self) -> None:
        """Destroy it all, at once: nothing of it may hear of what comes after."""
        self.docks.destroy_widgets()
        for widget in (self.centre, self.step_bar, self.query_bar):
            shiboken6.delete(widget)


def _holds(pane: QWidget, widget: QWidget) -> bool:
    return pane is widget or pane.isAncestorOf(widget)
