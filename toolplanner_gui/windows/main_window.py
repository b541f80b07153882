"""The main window: bars, docks of the layout, and what menu entries ask of it (`Shell`)."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.workspace.cases import list_cases
from toolplanner_gui.actions.context_menu import entries_of
from toolplanner_gui.actions.opening import import_into_workspace, open_dropped
from toolplanner_gui.bridge.errors import Problem
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import EDGE
from toolplanner_gui.widgets.banner import Banner
from toolplanner_gui.windows.docks import Docks
from toolplanner_gui.windows.hold_follower import HoldFollower
from toolplanner_gui.windows.layouts import BY_ID, LAYOUTS
from toolplanner_gui.windows.menu_bar import Menus
from toolplanner_gui.windows.query_bar import QueryBar
from toolplanner_gui.windows.status_bar import StatusBar
from toolplanner_gui.windows.step_bar import StepBar
from toolplanner_gui.windows.welcome import Welcome

_FIRST_SIZE = (1440, 900)


class MainWindow(QMainWindow):
    """Implements `context.Shell`. Panels are made after the window was shown for the first time."""

    closed = Signal()

    def __init__(self, context: AppContext, *, layout: str = "curate") -> None:
        super().__init__()
        self._context = context
        self._layout = layout if layout in BY_ID else LAYOUTS[0].id
        self._is_ready = False
        context.shell = self
        self.setWindowTitle("ToolPlanner")
        self.setAcceptDrops(True)
        self.resize(*_FIRST_SIZE)
        self.query_bar = QueryBar(context)
        self.step_bar = StepBar(context)
        self._place_bars()
        self.banner = Banner()
        self._welcome = Welcome(context)
        self._centre = QWidget()
        self._centre_column = QVBoxLayout(self._centre)
        self._centre_column.setContentsMargins(0, 0, 0, 0)
        self._centre_column.setSpacing(0)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._welcome)
        self._pages.addWidget(self._centre)
        middle = QWidget()
        middle.setProperty("role", "map")
        middle.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._banner_place = QVBoxLayout()
        self._banner_place.setContentsMargins(0, 0, 0, 0)
        self._banner_place.addWidget(self.banner)
        column.addLayout(self._banner_place)
        column.addWidget(self._pages, 1)
        self.setCentralWidget(middle)
        self.docks = Docks(self, context, self._centre_column)
        self._menus = Menus(self, context)
        self._follower = HoldFollower(context, self.query_bar.query, self)
        self.query_bar.show_layout(self._layout)
        self.query_bar.hide()
        for signal in (
            context.workspace_changed,
            context.catalogue_changed,
            context.selection.changed,
            context.run_view.live_changed,
            context.run_view.runs_changed,
            context.run_view.node_changed,
            context.debug.held_changed,
            context.jobs.ended,
            context.catalogue_edited,
            context.curation.history_changed,
            context.review.listed,
            context.review.current_changed,
        ):
            signal.connect(self._menus.refresh)
        context.workspace_changed.connect(self._on_workspace_changed)
        context.debug.held_changed.connect(self._show_title)
        context.problem_reported.connect(self._on_problem)
        context.theme.changed.connect(self._retheme)
        self.banner.dismissed.connect(lambda: self._banner_place.setContentsMargins(0, 0, 0, 0))
        geometry = context.choices.window("all", "geometry")
        if geometry is not None:
            self.restoreGeometry(geometry)
        self._retheme()

    def _place_bars(self) -> None:
        bar = self.query_bar
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, bar)
        self.addToolBarBreak(Qt.ToolBarArea.TopToolBarArea)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, self.step_bar)
        self.setStatusBar(StatusBar(self._context))
        bar.layout_chosen.connect(self.show_layout)
        bar.run_clicked.connect(self.start_run)
        bar.step_clicked.connect(lambda: self.start_run(is_stepping=True))
        bar.stop_clicked.connect(self._context.run_view.stop)

    @property
    def window_widget(self) -> QWidget:
        return self

    @property
    def is_idle(self) -> bool:
        """Whether everything that is going to be shown is shown."""
        return self._is_ready and self.docks.is_idle

    def finish_start(self) -> None:
        """Make what the first picture did not need; called once the window is on the screen."""
        if not self._is_ready:
            self._is_ready = True
            self._on_workspace_changed()
            self.query_bar.options.fill()

    def show_layout(self, layout: str) -> None:
        if layout not in BY_ID:
            layout = LAYOUTS[0].id
        self._layout = layout
        self.query_bar.show_layout(layout)
        if self._is_ready and self._context.workspace is not None:
            self.docks.show_layout(layout)
            self.step_bar.refresh()  # bars come back as they were when the layout was kept
        self._menus.refresh()
        self._context.layout_changed.emit()

    def current_layout(self) -> str:
        return self._layout

    def panels(self) -> Sequence[tuple[str, str, bool]]:
        return self.docks.shown()

    def toggle_panel(self, panel: str) -> None:
        self.docks.toggle(panel)

    def call_panel(self, panel: str, method: str) -> None:
        if self._context.workspace is None:
            return
        if panel not in BY_ID[self._layout].places:
            wanted = next((x.id for x in LAYOUTS if panel in x.places), self._layout)
            self.show_layout(wanted)
        getattr(self.docks.reveal(panel), method)()

    def reset_windows(self) -> None:
        self._context.choices.forget_windows()
        self.docks.reset(self._layout)

    def show_import(self, paths: Sequence[Path] = ()) -> None:
        from toolplanner_gui.windows.import_dialog import ImportDialog

        if self._context.workspace is None:
            import_into_workspace(self._context, paths)
            return
        ImportDialog(self._context, self, paths=paths).open()

    def show_prepare(self) -> None:
        from toolplanner_gui.windows.prepare_dialog import PrepareDialog

        PrepareDialog(self._context, self).open()

    def show_about(self) -> None:
        from toolplanner_gui.windows.about import AboutDialog

        AboutDialog(self._context, self).open()

    def show_shortcuts(self) -> None:
        from toolplanner_gui.windows.shortcuts import ShortcutsDialog

        ShortcutsDialog(self._context, self).open()

    def show_fork(self, run: RunId, path: NodePath) -> None:
        from toolplanner_gui.windows.fork_dialog import ForkDialog

        ForkDialog(self._context, self, run, path).open()

    def show_replay(self, report: object) -> None:
        from toolplanner_gui.windows.replay_dialog import ReplayDialog

        ReplayDialog(self._context, self, report).open()

    def show_dialog(self, dialog: str) -> None:
        from toolplanner_gui.windows.curation_dialogs import open_dialog

        open_dialog(dialog, self._context, self)

    def fill_menu(self, menu: QMenu, kind: str, target: object) -> None:
        self._menus.fill_context_menu(menu, entries_of(self._context, kind, target))

    def show_breakpoint(self, text: str = "") -> None:
        from toolplanner_gui.windows.breakpoint_dialog import BreakpointDialog

        BreakpointDialog(self._context, self, text).open()

    def show_fault(self, text: str = "") -> None:
        from toolplanner_gui.windows.fault_dialog import FaultDialog

        FaultDialog(self._context, self, text).open()

    def start_run(self, *, is_stepping: bool = False) -> None:
        if self.query_bar.options.problem:
            self.query_bar.options.open_popup()
            return
        spec = self.query_bar.spec()
        if not spec.query or self._context.workspace is None:
            self.focus_query()
            self._context.tell("Write a query first, or choose an example at the end of the field")
            return
        self.show_layout("debug")
        self._context.debug.set_step_at_start(is_stepping)
        self._context.run_view.start(self._context.debug.with_faults(spec))

    def run_example(self) -> None:
        self.query_bar.run_first_example()

    @property
    def has_examples(self) -> bool:
        return self.query_bar.has_examples

    def focus_query(self) -> None:
        self.query_bar.query.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.query_bar.query.selectAll()

    def close_window(self) -> None:
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.docks.keep(self._layout)
        self._context.choices.keep_window("all", "geometry", self.saveGeometry())
        super().closeEvent(event)
        self.closed.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(u.toLocalFile()) for u in event.mimeData().urls() if u.isLocalFile()]
        event.acceptProposedAction()
        # After the drop has ended: a dialog opened inside it would keep the other program waiting.
        QTimer.singleShot(0, self, lambda: open_dropped(self._context, paths))

    def _on_workspace_changed(self) -> None:
        if not self._is_ready:
            return
        workspace = self._context.workspace
        is_open = workspace is not None
        self._show_title()
        self.query_bar.setVisible(is_open)
        self.query_bar.set_examples(list_cases(workspace) if workspace else ())
        if workspace is not None:
            self._pages.setCurrentWidget(self._centre)
            self.docks.show_layout(self._layout)
        else:
            self.docks.hide_all()
            self._welcome.refresh()
            self._pages.setCurrentWidget(self._welcome)

    def _show_title(self) -> None:
        workspace = self._context.workspace
        held = "Held · " if self._context.debug.is_paused else ""
        name = f"{held}{workspace.path.name} — ToolPlanner" if workspace else "ToolPlanner"
        self.setWindowTitle(name)

    def _on_problem(self, problem: Problem) -> None:
        self._banner_place.setContentsMargins(EDGE, EDGE, EDGE, EDGE)
        self.banner.show_problem(
            problem.what, why=problem.why, todo=problem.todo, details=problem.details
        )

    def _retheme(self) -> None:
        theme = self._context.theme
        self.banner.set_icons(theme.icon("alert-circle", "failed"), theme.icon("close"))
