"""The smoke test of installers: what it asks is known, what of a late closing is the window's."""

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from toolplanner_core.llm.example import QUERY

_PACKAGING = Path(__file__).resolve().parents[3] / "packaging"
_ENDS_WITH_WORK = """
import signal, sys, time
def work(*_):
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
    sys.exit()
signal.signal(signal.SIGTERM, work)
print(flush=True)
signal.pause()
"""
_ENDS_WITH_A_WAIT = """
import signal, sys, time
def wait(*_):
    time.sleep(0.3)
    sys.exit()
signal.signal(signal.SIGTERM, wait)
print(flush=True)
signal.pause()
"""
_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts it")


@pytest.fixture
def closing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(_PACKAGING))
    return importlib.import_module("smoke_closing")


@pytest.fixture
def one_processor() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


def _start(program: str) -> subprocess.Popen[bytes]:
    window = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert window.stdout is not None
    with window.stdout as said:
        said.readline()
    return window


def test_query_of_the_program_step_when_compared_then_scripted_replies_know_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(_PACKAGING))
    assert importlib.import_module("smoke_samples").EXAMPLE_QUERY == QUERY


def test_runs_when_replayed_and_exported_then_they_are_those_that_were_just_made() -> None:
    text = (_PACKAGING / "smoke_test.py").read_text("utf-8")
    # Run 1 of a demo is an example that came with it.
    assert '"replay", self._demo, self._own_run' in text
    assert '"1"' not in text


@_linux
@pytest.mark.usefixtures("one_processor")
def test_closing_when_another_program_has_the_processor_then_that_time_is_not_the_windows(
    closing: ModuleType,
) -> None:
    window = _start(_ENDS_WITH_WORK)
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        closed = closing.close(window)
    finally:
        other.kill()
        other.wait()
    assert closed.queued_s > 0.05
    assert 0.25 < closed.own_s < closed.clock_s
    assert window.returncode == 0


@_linux
def test_closing_when_the_window_waits_by_itself_then_that_time_is_its_own(
    closing: ModuleType,
) -> None:
    closed = closing.close(_start(_ENDS_WITH_A_WAIT))
    assert closed.own_s > 0.25


@_linux
def test_closing_when_the_window_has_died_of_a_signal_then_it_has_ended(
    closing: ModuleType,
) -> None:
    window = _start("import signal; print(flush=True); signal.pause()")
    assert closing.close(window).clock_s >= 0
    assert window.returncode == -signal.SIGTERM
