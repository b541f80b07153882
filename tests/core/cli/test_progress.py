"""Ctrl+C while long work is shown: the first asks it to stop, the second ends the program."""

import signal
from collections.abc import Iterator

import pytest

from toolplanner_core.cli.progress import describe, shown_progress
from toolplanner_core.jobs.progress import ProgressReport


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


@pytest.mark.parametrize(
    ("done", "total", "said"),
    [(0, None, "Storing"), (1, None, "Storing: 1 API"), (0, 1, "Storing: 0 of 1 API"),
     (1000, 2000, "Storing: 1,000 of 2,000 APIs")],
)  # fmt: skip
def test_line_when_one_or_nothing_is_counted_then_no_noise_and_no_plural(
    done: int, total: int | None, said: str
) -> None:
    report = ProgressReport(
        stage="Storing", done=done, total=total, unit="APIs", rate=None, left_s=None
    )
    assert describe(report) == said
