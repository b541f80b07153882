"""A second start of the program with a workspace that has a window already."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fixtures.processes import python
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from toolplanner_gui.app import Program, StartOptions
from toolplanner_gui.bridge.single_instance import activate_other_window


@pytest.fixture
def started(qapp: QApplication, loop: QEventLoop, qtbot) -> Iterator[Callable[[Path], Program]]:
    """Makes the program as for a double click on a file, before its window is there."""
    made: list[Program] = []

    def start(path: Path) -> Program:
        made.append(Program(qapp, loop, StartOptions(workspace=path)))
        return made[-1]

    yield start
    for program in made:
        program.context.tasks.cancel_all()
        qtbot.waitUntil(lambda: program.context.tasks.is_idle)  # noqa: B023
        program.context.close()
        program.window.close_at_once()
        program.window.deleteLater()


def is_found(path: Path, qtbot) -> bool:
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(activate_other_window, path)
        qtbot.waitUntil(answer.done)
        return answer.result()


def test_program_when_it_has_not_opened_its_workspace_yet_then_a_second_start_finds_it(
    started: Callable[[Path], Program], loop: QEventLoop, demo: Path, qtbot
) -> None:
    program = started(demo)
    assert program.context.workspace is None
    assert is_found(demo, qtbot)
    program.show()
    qtbot.waitUntil(lambda: program.context.catalogue.n_apis > 0)
    asyncio._set_running_loop(loop)
    assert is_found(demo, qtbot)


def test_program_when_its_workspace_cannot_be_opened_then_a_second_start_tries_itself(
    started: Callable[[Path], Program], tmp_path: Path, qtbot
) -> None:
    broken = tmp_path / "broken.toolplanner"
    broken.write_text("no workspace")
    program = started(broken)
    assert is_found(broken, qtbot)
    program.show()
    qtbot.waitUntil(lambda: not is_found(broken, qtbot))
    assert program.context.workspace is None


@pytest.mark.skipif(sys.platform == "win32", reason="ends the window by a signal")
def test_program_when_started_again_with_its_workspace_then_the_second_ends_at_once(
    demo: Path, qtbot
) -> None:
    with python("-m", "toolplanner_gui", demo) as first:
        qtbot.waitUntil(lambda: activate_other_window(demo))
        with python("-m", "toolplanner_gui", demo) as second:
            assert second.wait(120) == 0
        assert first.poll() is None
        first.send_signal(signal.SIGINT)
        assert first.wait(120) == 0
    assert not activate_other_window(demo)
