"""A second start of the program with a workspace that has a window already."""

import signal
import sys
from pathlib import Path

import pytest
from fixtures.processes import python

from toolplanner_gui.bridge.one_window import show_elsewhere


@pytest.mark.skipif(sys.platform == "win32", reason="ends the window by a signal")
def test_program_when_started_again_with_its_workspace_then_the_second_ends_at_once(
    demo: Path, qtbot
) -> None:
    with python("-m", "toolplanner_gui", demo) as first:
        qtbot.waitUntil(lambda: show_elsewhere(demo))
        with python("-m", "toolplanner_gui", demo) as second:
            assert second.wait(120) == 0
        assert first.poll() is None
        first.send_signal(signal.SIGINT)
        assert first.wait(120) == 0
    assert not show_elsewhere(demo)
