"""Ctrl+C while long work is shown: the first asks it to stop, the second ends the program."""

import signal
from collections.abc import Iterator

import pytest

from toolplanner_core.cli.progress import shown_progress


@pytest.fixture(autouse=True)
def default_ctrl_c() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_when_pressed_twice_then_cancels_and_then_ends() -> None:
    with shown_progress() as progress:
        signal.raise_signal(signal.SIGINT)
        assert progress.is_cancelled
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_when_a_script_runs_it_in_the_background_then_the_work_goes_on() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with shown_progress() as progress:
        signal.raise_signal(signal.SIGINT)
        assert not progress.is_cancelled
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
