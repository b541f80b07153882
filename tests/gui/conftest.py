"""Parts of the window under test: an event loop, stored choices in a folder, a small workspace."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.thread_delays import SEED, delay_threads
from fixtures.window_report import report_windows_and_threads
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.exceptions import TimeoutError  # noqa: A004 - as pytest-qt calls it
from pytestqt.qtbot import QtBot
from qasync import QEventLoop

from toolplanner_gui.bridge.garbage_collector import GuiGarbageCollector
from toolplanner_gui.bridge.user_settings import UserSettings
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.windows.main_window import MainWindow

PATIENCE_MS = 300_000


class PatientBot(QtBot):
    """A `qtbot` whose waits end when what is waited for is there; the limit only bounds a hang."""

    def waitUntil(  # noqa: N802 - the name of pytest-qt
        self, callback: Callable[[], object], *, timeout: int = PATIENCE_MS
    ) -> None:
        try:
            super().waitUntil(callback, timeout=max(timeout, PATIENCE_MS))
        except TimeoutError as error:
            error.add_note(report_windows_and_threads())
            raise

    def waitSignal(  # noqa: N802 - as above
        self, signal: Any, *, timeout: int = PATIENCE_MS, **options: Any
    ) -> Any:
        # 0 is what `assertNotEmitted` waits: it would wait for nothing as patiently.
        patient = max(timeout, PATIENCE_MS) if timeout else 0
        return super().waitSignal(signal, timeout=patient, **options)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    """As of pytest-qt, but patient."""
    return PatientBot(request)


@pytest.fixture(scope="package", autouse=True)
def garbage(qapp: QApplication) -> Iterator[GuiGarbageCollector]:
    """As in the program: the panels of one test are never destroyed by a thread of another."""
    made = GuiGarbageCollector(qapp)
    yield made
    made.close()


@pytest.fixture(scope="package", autouse=True)
def delays() -> Iterator[None]:
    """Where they are asked for: delays between the threads."""
    with pytest.MonkeyPatch.context() as patch:
        if SEED:
            delay_threads(patch, SEED)
        yield


@pytest.fixture
def loop(qapp: QApplication) -> Iterator[QEventLoop]:
    """The asyncio loop of the GUI thread, running in the eyes of coroutines."""
    made = QEventLoop(qapp, set_running_loop=True)
    asyncio.set_event_loop(made)
    yield made
    asyncio.set_event_loop(None)
    # A closed loop that stays "running" would hide the next test's.
    asyncio._set_running_loop(None)
    made.close()
    # What is never called has timers that end in their next turn: nobody may collect them before.
    made._timer.setParent(qapp)


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    """The light theme."""
    return Theme(qapp, mode="light")


@pytest.fixture
def choices(tmp_path: Path) -> UserSettings:
    """Choices that nobody has made yet."""
    return UserSettings(QSettings(str(tmp_path / "choices.ini"), QSettings.Format.IniFormat))


def end(context: AppContext, qtbot) -> None:
    """End a program as `app.run` does: coroutines first, then threads and files."""
    context.tasks.cancel_all()
    try:
        qtbot.waitUntil(lambda: context.tasks.is_idle, timeout=30_000)
    finally:
        context.close()  # else its workspace would go on in the loop of the next test


class FakeShell:
    """The window as panels see it when there is only a panel: remembers what was asked of it."""

    def __init__(self, parent: QWidget) -> None:
        self.window_widget = parent
        self.asked: list[str] = []
        self.has_examples = False

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_args, **_what: self.asked.append(name)


@pytest.fixture
def context(loop: QEventLoop, theme: Theme, choices: UserSettings, qtbot) -> Iterator[AppContext]:
    """A program without a window."""
    made = AppContext(loop, theme=theme, choices=choices)
    parent = QWidget()
    made.shell = FakeShell(parent)
    yield made
    end(made, qtbot)
    parent.deleteLater()


@pytest.fixture
def opened(context: AppContext, demo: Path, qtbot) -> AppContext:
    """A program with the demo workspace open."""
    context.tasks.spawn(context.open_workspace(demo), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=30_000)
    return context


@pytest.fixture
def window(loop: QEventLoop, theme: Theme, choices: UserSettings, qtbot) -> Iterator[MainWindow]:
    """The main window, shown, without a workspace."""
    made_context = AppContext(loop, theme=theme, choices=choices)
    made = MainWindow(made_context)
    made.resize(1280, 720)
    made.show()
    made.finish_start()
    try:
        qtbot.waitUntil(lambda: made_context.tasks.is_idle, timeout=20_000)
        # As in the program: who waits in a coroutine asks for the running loop.
        asyncio._set_running_loop(loop)
        yield made
    finally:  # a window that is left open would go on in the next test
        end(made_context, qtbot)
        made.close()
        made.deleteLater()
