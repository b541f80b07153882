"""Signals of the terminal reach the window, but not past a script that started it."""

import signal
import sys
from collections.abc import Iterator

import pytest

from toolplanner_gui.bridge.signal_handler import InterruptHandler

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")


@pytest.fixture
def heard(qapp) -> Iterator[list[str]]:
    """What arrived; the handlers are put back at the end."""
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    yield []
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGTERM, before[1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_when_it_arrives_then_is_heard_until_closed(
    heard: list[str], qtbot, number: signal.Signals
) -> None:
    before = signal.getsignal(number)
    interrupt = InterruptHandler(lambda: heard.append("stop"))
    signal.raise_signal(number)
    qtbot.waitUntil(lambda: heard == ["stop"])
    interrupt.close()
    assert signal.getsignal(number) is before


def test_ctrl_c_when_a_script_ignores_it_then_only_sigterm_is_heard(heard: list[str]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupt = InterruptHandler(lambda: heard.append("stop"))
    signal.raise_signal(signal.SIGINT)
    assert heard == []
    signal.raise_signal(signal.SIGTERM)
    assert heard == ["stop"]
    interrupt.close()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
