"""A real window in a real loop, and how long its turns take: for the benchmarks of live runs."""

# It sets the loop by hand, as `app.run` does.
# pyright: basic, reportPrivateUsage=false

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.loop_turns import ThreadWaits
from PySide6.QtCore import QEventLoop, QSettings, QTimer
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop as LoopOfQt

from toolplanner_gui.bridge.garbage_collector import GuiGarbageCollector
from toolplanner_gui.bridge.user_settings import UserSettings
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.windows.main_window import MainWindow


class Turns:
    """How long turns of the event loop take, ms: on the clock, but for the time for which others
    had the processor that the thread could have gone on with; and of the thread's own."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.own: list[float] = []
        self._waits = ThreadWaits()
        self._at = self._now()
        self._probe = QTimer()
        self._probe.timeout.connect(self._on_probe)
        self._probe.start(2)

    def end(self) -> None:
        self._probe.stop()
        self._waits.close()

    def _now(self) -> tuple[float, float]:
        return time.perf_counter() - self._waits.s(), time.thread_time()

    def _on_probe(self) -> None:
        now = self._now()
        self.wall.append((now[0] - self._at[0]) * 1000)
        self.own.append((now[1] - self._at[1]) * 1000)
        self._at = now


def wait(is_done: Callable[[], bool], within_s: float = 900) -> None:
    end_s = time.monotonic() + within_s
    tick = QTimer()
    tick.start(5)
    while not is_done():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        assert time.monotonic() < end_s, "it hangs"


@contextmanager
def window_of_file(qapp: QApplication, file: Path, *, layout: str) -> Generator[AppContext]:
    """The window with a workspace open, and threads and garbage as `app.run` has them."""
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(0.001)
    garbage = GuiGarbageCollector(qapp)
    loop = LoopOfQt(qapp, set_running_loop=True)
    asyncio.set_event_loop(loop)
    choices = UserSettings(QSettings(str(file.parent / "c.ini"), QSettings.Format.IniFormat))
    made = AppContext(loop, theme=Theme(qapp, mode="light"), choices=choices)
    window = MainWindow(made, layout=layout)
    window.resize(1440, 900)
    window.show()
    window.finish_start()
    # Else all that the tests before have left is looked through in a turn of the window: 80 ms.
    gc.freeze()
    made.tasks.spawn(made.open_workspace(file), owner=made)
    wait(lambda: made.opened is not None and made.tasks.is_idle and window.is_idle)
    yield made
    made.tasks.cancel_all()
    wait(lambda: made.tasks.is_idle)
    made.close()
    window.close()
    window.deleteLater()
    asyncio.set_event_loop(None)
    asyncio._set_running_loop(None)
    loop.close()
    gc.unfreeze()
    garbage.close()
    sys.setswitchinterval(before_s)
