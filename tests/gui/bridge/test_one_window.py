"""A workspace that is opened again brings the window to the front that has it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fixtures.processes import python
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from toolplanner_gui.bridge.single_instance import (
    FileOpenEvents,
    SingleInstance,
    activate_other_window,
)

HOLD_AND_WAIT = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from toolplanner_gui.bridge.single_instance import SingleInstance
app = QCoreApplication([])
one = SingleInstance(app)
one.hold(Path(sys.argv[1]))
print("held", flush=True)
app.exec()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "tools.toolplanner"
    made.touch()
    return made


@pytest.fixture
def one(qapp: QApplication) -> Iterator[SingleInstance]:
    made = SingleInstance()
    yield made
    made.hold(None)
    made.deleteLater()


def is_shown(one: SingleInstance, path: Path, qtbot) -> bool:
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(activate_other_window, path)
        qtbot.waitUntil(answer.done)
        return answer.result()


def test_workspace_when_no_window_has_it_then_none_is_shown(
    path: Path, one: SingleInstance
) -> None:
    assert not activate_other_window(path)


def test_workspace_when_a_window_has_it_then_that_one_is_asked(
    path: Path, one: SingleInstance, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    one.hold(path)
    monkeypatch.chdir(path.parent)
    with qtbot.waitSignal(one.asked):
        assert is_shown(one, Path(path.name), qtbot)


def test_workspace_when_the_window_has_another_now_then_none_is_shown(
    path: Path, one: SingleInstance, qtbot
) -> None:
    one.hold(path)
    one.hold(path.with_name("other.toolplanner"))
    assert not is_shown(one, path, qtbot)


def test_workspace_when_its_window_was_killed_then_the_next_one_is_found(
    path: Path, one: SingleInstance, qtbot
) -> None:
    with python("-c", HOLD_AND_WAIT, str(path)) as window:
        assert window.stdout is not None and window.stdout.readline().strip() == "held"
        window.kill()
        window.wait()
    assert not is_shown(one, path, qtbot)
    one.hold(path)
    assert is_shown(one, path, qtbot)


def test_file_when_the_system_asks_to_open_it_then_it_is_said(
    path: Path, qapp: QApplication, qtbot
) -> None:
    openings = FileOpenEvents(qapp)
    try:
        with qtbot.waitSignal(openings.asked) as said:
            qapp.sendEvent(qapp, QFileOpenEvent(str(path)))
        assert said.args == [path]
    finally:
        qapp.removeEventFilter(openings)
        openings.deleteLater()
