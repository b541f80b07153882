"""The main window: bars, docks of the layout, and what menu entries ask of it (`Shell`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QStyle, QWidget

from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import demo_path, may_stop, open_dropped
from toolplanner_gui.bridge.errors import A_RUN, AN_EDIT, Problem
from toolplanner_gui.context import AppContext
from toolplanner_gui.dialog_commands import DialogCommand
from toolplanner_gui.layouts import BY_ID, LAYOUTS
from toolplanner_gui.panel_commands import PanelCommand
from toolplanner_gui.panels.panel import panels
from toolplanner_gui.shell import ShownPanel
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.widgets.banner import Banner
from toolplanner_gui.widgets.box_layouts import column_of, pages_of
from toolplanner_gui.windows.dialog import dialogs, show_problem
from toolplanner_gui.windows.status_bar import StatusBar
from toolplanner_gui.windows.welcome_page import WelcomePage

if TYPE_CHECKING:
    # Loaded when the window is on the screen, with all that menus and panels need.
    from toolplanner_gui.windows.menu_bar import Menus
    from toolplanner_gui.windows.workspace_view import WorkspaceView

P = ParamSpec("P")
FIRST_SIZE = QSize(1440, 900)
"""Of a window that nobody has sized yet, where the screen has room for it."""
_LEAST_MIDDLE = 240
"""Pixels of height that the middle keeps, however high the tray is drawn: a map of 200, or a
problem and some of it."""


class MainWindow(QMainWindow):
    """Implements `Shell`. Panels are made after the window was shown for the first time."""

    closed = Signal()

    def __init__(self, context: AppContext, *, layout: str = "curate") -> None:
        super().__init__()
        self._context = context
        self._layout = layout if layout in BY_ID else LAYOUTS[0].id
        self._is_ready = self._may_close = False
        self._problem = Problem(what="")
        self._desk: WorkspaceView | None = None
        context.shell = self
        self.setAcceptDrops(True)
        self.resize(FIRST_SIZE)
        self.setStatusBar(StatusBar(context))
        self.banner = Banner()
        self._welcome = WelcomePage(context)
        self._pages = pages_of(self._welcome)
        middle = QWidget()
        middle.setMinimumHeight(_LEAST_MIDDLE)
        middle.setProperty("role", "map")
        middle.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._banner_place = column_of(self.banner)
        column_of(self._banner_place, (self._pages, 1), of=middle, gap=0)
        self.setCentralWidget(middle)
        self._menus: Menus | None = None
        # As high as it will be: what is below must not move when the entries come.
        self.menuBar().setMinimumHeight(self.fontMetrics().height() + 2 * SPACE)
        context.jobs.ended.connect(self._refresh_menus)
        context.workspace_closing.connect(self._take_down)
        context.workspace_changed.connect(self._on_workspace_changed)
        context.problem_reported.connect(self._on_problem)
        self.banner.dismissed.connect(lambda: self._banner_place.setContentsMargins(0, 0, 0, 0))
        geometry = context.choices.window("all", "geometry")
        if geometry is not None:
            self.restoreGeometry(geometry)
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
        screen = self.screen().availableGeometry().size()
        self.resize(self.size().boundedTo(screen - QSize(0, bar)))
        self._show_title()

    @property
    def window_widget(self) -> QWidget:
        return self

    @property
    def workspace_view(self) -> WorkspaceView:
        """What is shown of the open workspace; there is one."""
        assert self._desk is not None
        return self._desk

    @property
    def is_idle(self) -> bool:
        """Whether everything that is going to be shown is shown."""
        return self._is_ready and (self._desk is None or self._desk.docks.is_idle)

    def finish_start(self) -> None:
        """Make what the first picture did not need; called once the window is on the screen."""
        if not self._is_ready:
            self._is_ready = True
            from toolplanner_gui.windows.menu_bar import Menus

            self._menus = Menus(self, self._context)
            self._on_workspace_changed()

    def show_layout(self, layout: str) -> None:
        self._layout = layout if layout in BY_ID else LAYOUTS[0].id
        if self._desk is not None:
            self._desk.show_layout(self._layout)
        self._refresh_menus()
        self._context.layout_changed.emit()
        if self._layout == "review" and self._desk is not None:
            # Answers are single keys: the keyboard must not stay on the map, which has its own.
            self._desk.docks.panel("review").setFocus(Qt.FocusReason.ShortcutFocusReason)

    def current_layout(self) -> str:
        return self._layout

    def panels(self) -> Sequence[ShownPanel]:
        return () if self._desk is None else self._desk.docks.shown()

    def toggle_panel(self, panel: str) -> None:
        if self._desk is not None:
            self._desk.docks.toggle(panel)

    def toggle_bottom_panels(self) -> None:
        if self._desk is not None:
            self._desk.docks.bottom.turn()

    @property
    def is_bottom_folded(self) -> bool | None:
        bottom = None if self._desk is None else self._desk.docks.bottom
        return bottom.is_folded if bottom is not None and bottom.is_there else None

    def call_panel(self, command: PanelCommand[Any]) -> None:
        if self._desk is None:
            return
        panel = command.panel.id
        places = panels.get(panel).places
        if self._layout not in places:
            self.show_layout(next(layout.id for layout in LAYOUTS if layout.id in places))
        command.call(self._desk.docks.reveal(panel))

    def reset_windows(self) -> None:
        self._context.choices.forget_windows()
        if self._desk is not None:
            self._desk.docks.reset(self._layout)

    def open(self, dialog: DialogCommand[P], *args: P.args, **kwargs: P.kwargs) -> None:
        plugin = dialogs.get(dialog.id)
        made = plugin.make(self._context, self, *args, **kwargs)
        if made is not None:
            made.setObjectName(dialog.id)
        if made is not None and plugin.is_beside:
            # It blocks nothing, so the keys of the menus work while it has the keyboard.
            made.addActions(self.actions())
            made.show()
        elif made is not None:
            made.open()

    def fill_menu(self, menu: QMenu, kind: str, target: object) -> None:
        from toolplanner_gui.actions.context_menu import entries_of

        if self._menus is not None:
            self._menus.fill_context_menu(menu, entries_of(self._context, kind, target))

    def start_run(self, *, is_stepping: bool = False) -> None:
        if self._desk is not None and self._desk.start_run(is_stepping=is_stepping):
            self.show_layout("debug")

    def run_example(self) -> None:
        if self._desk is not None:
            self._desk.query_bar.run_first_example()

    @property
    def has_examples(self) -> bool:
        return self._desk is not None and self._desk.query_bar.has_examples

    def focus_query(self) -> None:
        if self._desk is not None:
            self._desk.query_bar.query.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._desk.query_bar.query.selectAll()

    def go_to_pane(self, by: int) -> None:
        if self._desk is not None:
            self._desk.go_to_pane(by)

    def show_run_options(self) -> None:
        if self._desk is not None:
            self._desk.query_bar.options.open_popup()

    def close_window(self) -> None:
        self.close()

    def close_at_once(self) -> None:
        """Close without asking: the system, or the terminal, wants it so."""
        self._may_close = True
        self.close()

    async def _ask_to_close(self) -> None:
        if await may_stop(self._context, "Close the window"):
            self.close_at_once()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close and self._context.running_work:
            event.ignore()
            if not self._context.tasks.runs_for(self):
                self._context.tasks.spawn(self._ask_to_close(), owner=self)
            return
        if self._desk is not None:
            self._desk.docks.keep(self._layout)
        self._context.choices.keep_window("all", "geometry", self.saveGeometry())
        super().closeEvent(event)
        self.closed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._follow_width)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._menus is not None:
            self._menus.explain_refusal(event)
        super().keyPressEvent(event)

    def _follow_width(self) -> None:
        if self._desk is not None:
            self._desk.follow_width()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(u.toLocalFile()) for u in event.mimeData().urls() if u.isLocalFile()]
        event.acceptProposedAction()
        # After the drop has ended: a dialog opened inside it would keep the other program waiting.
        QTimer.singleShot(0, self, lambda: open_dropped(self._context, paths))

    def _on_workspace_changed(self) -> None:
        context, opened = self._context, self._context.opened
        if context.is_opening and opened is None:
            self.banner.dismiss()  # what it says is of a file that was not opened
        if self._is_ready and opened is not None and self._desk is None:
            from toolplanner_gui.windows.workspace_view import WorkspaceView

            self._desk = desk = WorkspaceView(self, context, opened.workspace)
            desk.query_bar.layout_chosen.connect(self.show_layout)
            desk.query_bar.run_clicked.connect(self.start_run)
            desk.query_bar.step_clicked.connect(lambda: self.start_run(is_stepping=True))
            desk.query_bar.stop_clicked.connect(context.run_view.stop)
            desk.show_layout(self._layout)
            self._pages.addWidget(desk.centre)
            self._pages.setCurrentWidget(desk.centre)
            desk.query_bar.query.setFocus()
            if opened.workspace.path == demo_path() and not context.choices.has_seen_tour:
                QTimer.singleShot(0, self, lambda: self.open(dialog_commands.tour))
            opened.touched.connect(self._refresh_menus)
            opened.debug.held_changed.connect(self._on_held_changed)
            opened.curation.edited.connect(self._on_file_changed)
            opened.curation.edited.connect(lambda: self._end_problem(AN_EDIT))
            opened.run_view.run_changed.connect(lambda: self._end_problem(A_RUN))
            opened.file_watcher.changed.connect(self._on_file_changed)
        elif opened is None:
            self._welcome.refresh()
        self._show_title()
        self._refresh_menus()

    def _refresh_menus(self) -> None:
        if self._menus is not None:
            self._menus.refresh()

    def _take_down(self) -> None:
        self.banner.dismiss()  # what it says is of the file that is closed
        desk, self._desk = self._desk, None
        if desk is not None:
            self._pages.setCurrentWidget(self._welcome)
            desk.destroy_widgets()

    def _show_title(self) -> None:
        opened = self._context.opened
        held = "Held · " if opened is not None and opened.debug.is_paused else ""
        name = f"{held}{opened.workspace.path.name} — " if opened is not None else ""
        self.setWindowTitle(f"{name}ToolPlanner")

    def _on_held_changed(self) -> None:
        self._show_title()
        held = self._context.debug.held
        about = self._problem.about
        if about not in (None, AN_EDIT, A_RUN) and not any(stop is about for stop in held):
            self.banner.dismiss()

    def _end_problem(self, about: str) -> None:
        if self._problem.about == about:
            self.banner.dismiss()

    def _on_file_changed(self) -> None:
        opened = self._context.opened
        if self._problem.is_moved and opened is not None and opened.file_watcher.is_in_place:
            self.banner.dismiss()

    def _on_problem(self, problem: Problem) -> None:
        self._problem = problem
        self._banner_place.setContentsMargins(EDGE, EDGE, EDGE, EDGE)
        show_problem(self.banner, problem, actions_of=self)
