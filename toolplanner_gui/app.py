"""Start-up: application, loop, window; also the mode that draws one picture and ends.

The window is shown before anything heavy is imported (architecture rule 4): panels, map and
registries are loaded once the window has painted itself.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import open_demo, open_first, open_later
from toolplanner_gui.bridge.crash_handler import CrashHandler
from toolplanner_gui.bridge.garbage_collector import GuiGarbageCollector
from toolplanner_gui.bridge.log_file import route_qt_messages, start_log_file
from toolplanner_gui.bridge.signal_handler import InterruptHandler
from toolplanner_gui.bridge.single_instance import (
    FileOpenEvents,
    SingleInstance,
    activate_other_window,
)
from toolplanner_gui.bridge.startup import FirstPaintWatcher
from toolplanner_gui.bridge.user_settings import UserSettings
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import program_icon
from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.windows.main_window import FIRST_SIZE, MainWindow

_log = logging.getLogger(__name__)
_SWITCH_S = 0.001
"""How long a thread that computes may keep the interpreter while the window waits for it: each cell
that is drawn asks anew. Python's own 5 ms made frames of 100 ms while a long run was read."""
_POLL_MS = 100
_QUIET_POLLS = 4
_PICTURE_TIMEOUT_S = 240.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOptions:
    """What the command line said."""

    workspace: Path | None = None
    is_demo: bool = False
    layout: str = "curate"
    screenshot: Path | None = None
    size: QSize | None = None
    theme: str | None = None


class Program:
    """The running program; tests make one without entering its loop."""

    def __init__(self, app: QApplication, loop: QEventLoop, options: StartOptions) -> None:
        self.options = options
        is_picture = options.screenshot is not None
        choices = UserSettings.of_user(is_read_only=is_picture)
        self.theme = Theme(app, mode=options.theme or choices.theme)
        self.context = AppContext(loop, theme=self.theme, choices=choices)
        self.window = MainWindow(self.context, layout=options.layout)
        size = options.size or (FIRST_SIZE if is_picture else None)
        if size is not None:
            self.window.resize(size)
        if not is_picture:
            self._one = SingleInstance(self.context)
            self._one.asked.connect(self._come_to_front)
            # From now on, not when it is open: a second double click in between finds this window.
            self._one.hold(options.workspace)
            self.context.workspace_changed.connect(self._hold)

    def show(self) -> None:
        """Show the window; everything else follows once its first picture is there."""
        self._first_picture = FirstPaintWatcher(self.window)
        self._first_picture.shown.connect(self._after_first_picture)
        self.window.show()

    def _hold(self) -> None:
        if self.context.is_opening:
            return
        workspace = self.context.workspace
        self._one.hold(None if workspace is None else workspace.path)

    def _come_to_front(self) -> None:
        window = self.window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.raise_()
        window.activateWindow()

    def _after_first_picture(self) -> None:
        self.window.finish_start()
        QApplication.setWindowIcon(program_icon())
        # Modules and windows live as long as the program: the collector need not look at them.
        gc.freeze()
        if self.options.workspace is not None:
            open_first(self.context, self.options.workspace)
        elif self.options.is_demo:
            open_demo(self.context)


def run(options: StartOptions) -> int:
    """Run the program until its window is closed.

    Returns:
        Exit status: 0; for a picture 1 when it could not be taken, 2 when the workspace could not
        be opened.
    """
    route_qt_messages()
    sys.setswitchinterval(_SWITCH_S)
    app = QApplication(sys.argv[:1])
    app.setApplicationName("ToolPlanner")
    app.setOrganizationName("ToolPlanner")
    app.setDesktopFileName("toolplanner")
    app.setQuitOnLastWindowClosed(False)
    garbage = GuiGarbageCollector(app)
    is_picture = options.screenshot is not None
    if not is_picture:
        if options.workspace is not None and activate_other_window(options.workspace):
            _log.warning("%s is open already; its window is in front now", options.workspace)
            return 0
        start_log_file()
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    status = 0
    with loop:
        program = Program(app, loop, options)
        ended: asyncio.Future[int] = loop.create_future()

        def end(code: int) -> None:
            if not ended.done():
                ended.set_result(code)

        program.window.closed.connect(lambda: end(0))
        interrupt = InterruptHandler(program.window.close_at_once)
        crashes = CrashHandler(program.window)
        crashes.happened.connect(
            lambda report: program.window.open(dialog_commands.crash_report, report=report)
        )
        if sys.platform == "darwin":
            # Nothing else sends them, and a filter in Python costs each event of the program.
            FileOpenEvents(app).asked.connect(lambda path: open_later(program.context, path))
        program.show()
        if options.screenshot is not None:
            picture = Screenshot(program, options.screenshot, end)
            picture.start()
        status = loop.run_until_complete(ended)
        interrupt.close()
        crashes.close()
        loop.run_until_complete(program.context.tasks.finish())
        program.context.close()
        program.window.deleteLater()
        app.processEvents()
    garbage.close()
    return status


class Screenshot:
    """Waits until the window shows all it is going to show, saves it, and ends the program."""

    def __init__(self, program: Program, path: Path, end: Callable[[int], None]) -> None:
        self._program = program
        self._path = path
        self._end = end
        self._quiet = 0
        self._polls = 0
        self._timer = QTimer(program.window, interval=_POLL_MS)
        self._timer.timeout.connect(self._on_poll)

    def start(self) -> None:
        """Begin to look."""
        self._timer.start()

    def _on_poll(self) -> None:
        self._polls += 1
        context, window = self._program.context, self._program.window
        is_idle = (
            window.is_idle
            and not context.jobs.running
            and context.tasks.is_idle
            and not (context.opened is not None and context.opened.run_view.is_live)
        )
        self._quiet = self._quiet + 1 if is_idle else 0
        is_late = self._polls * _POLL_MS / 1000 > _PICTURE_TIMEOUT_S
        if self._quiet < _QUIET_POLLS and not is_late:
            return
        self._timer.stop()
        is_saved = window.grab().save(str(self._path))
        if not is_saved:
            sys.stderr.write(f"The picture could not be written: {self._path}\n")
        elif window.banner.isVisible():
            sys.stderr.write(f"{window.banner.text}\n")
        is_opened = self._program.options.workspace is None or context.workspace is not None
        if not is_opened:
            self._end(2)
            return
        self._end(0 if is_saved and not is_late else 1)
