"""Worker processes: results, progress, cancelling, dying, and no orphans."""

import multiprocessing.connection
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixtures import worker_functions as functions
from fixtures.processes import python

from toolplanner_core.errors import BadInput, Cancelled, WorkerDied
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.jobs.worker import Worker, run_in_worker


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def wait_until(condition: Callable[[], bool]) -> bool:
    """Look a hundred times a second, for two minutes at least."""
    tick = threading.Event()
    return any(condition() or tick.wait(0.01) for _ in range(12_000))


def test_worker_when_given_a_large_array_then_returns_a_writable_one() -> None:
    array = np.arange(3_000_000, dtype=np.float32)
    doubled = run_in_worker(functions.double, array, progress=Progress(), what="test", offset=1.0)
    np.testing.assert_array_equal(doubled, array * 2 + 1)
    doubled[0] = 7.0


def test_worker_when_array_is_empty_then_returns_it() -> None:
    empty = np.zeros((0, 4), dtype=np.float32)
    out = run_in_worker(functions.double, empty, progress=Progress(), what="test")
    assert out.shape == (0, 4)


def test_worker_when_it_reports_then_listener_hears_begin_and_end() -> None:
    heard: list[ProgressReport] = []
    array = np.zeros(3, dtype=np.float32)
    run_in_worker(functions.double, array, progress=Progress(heard.append), what="test")
    assert (heard[0].stage, heard[0].done) == ("Doubling", 1)
    assert (heard[-1].done, heard[-1].total, heard[-1].unit) == (200, 200, "rows")


def test_worker_when_it_emits_pieces_then_they_come_in_order() -> None:
    pieces: list[np.ndarray] = []
    n = run_in_worker(
        functions.emit_numbers, 50, progress=Progress(), what="test", on_piece=pieces.append
    )
    assert n == 50
    assert [int(piece[0]) for piece in pieces] == list(range(50))


def test_worker_when_it_raises_our_error_then_the_same_error_comes_out() -> None:
    with pytest.raises(BadInput) as caught:
        run_in_worker(functions.bad_input, progress=Progress(), what="test")
    assert caught.value.sentence == "line 3: No good. Write it anew."


def test_worker_when_it_has_a_bug_then_the_traceback_is_a_note() -> None:
    with pytest.raises(ValueError, match="a mistake") as caught:
        run_in_worker(functions.bug, progress=Progress(), what="test")
    assert "worker_functions.py" in caught.value.__notes__[0]


def test_worker_when_answer_cannot_be_pickled_then_says_so() -> None:
    with pytest.raises(Exception, match="pickle"):
        run_in_worker(functions.unpicklable_answer, progress=Progress(), what="test")


def test_worker_when_memory_runs_out_then_worker_died_says_so() -> None:
    with pytest.raises(WorkerDied, match="The layout worker ran out of memory"):
        run_in_worker(functions.out_of_memory, progress=Progress(), what="layout")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGKILL, r"The layout worker was killed \(signal 9\)\. It may have run out of"),
        (signal.SIGSEGV, r"The layout worker crashed \(signal 11\)"),
    ],
)
def test_worker_when_it_is_killed_then_worker_died_names_the_signal(
    number: int, words: str
) -> None:
    with pytest.raises(WorkerDied, match=words):
        run_in_worker(functions.kill_self, int(number), progress=Progress(), what="layout")


def test_worker_when_it_exits_without_answer_then_worker_died() -> None:
    with pytest.raises(WorkerDied, match=r"ended without an answer \(exit code 3\)"):
        run_in_worker(functions.exit_hard, progress=Progress(), what="layout")


def test_worker_when_cancelled_then_it_is_gone_after_one_look_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look every 50 ms makes 200 ms, the machine's own delays apart."""
    pid_file = tmp_path / "pid"
    progress = Progress()
    looks: list[float] = []
    wait = multiprocessing.connection.wait

    def counted_wait(things: Any, timeout: float | None = None) -> Any:
        if progress.is_cancelled:
            assert timeout is not None
            looks.append(timeout)
        return wait(things, timeout)

    def cancel_when_it_runs() -> None:
        assert wait_until(pid_file.exists)
        progress.cancel()

    monkeypatch.setattr(multiprocessing.connection, "wait", counted_wait)
    thread = threading.Thread(target=cancel_when_it_runs)
    thread.start()
    with pytest.raises(Cancelled):
        run_in_worker(functions.wait_for_ever, str(pid_file), progress=progress, what="test")
    thread.join()
    assert not is_alive(int(pid_file.read_text()))
    assert len(looks) <= 1 and sum(looks) <= 0.1


def test_worker_when_cancelled_while_a_request_is_sent_then_its_sender_has_ended_too() -> None:
    """The worker reads nothing while it starts: a large request fills the pipe and waits there."""
    large = np.zeros(4_000_000, dtype=np.float32)
    progress = Progress()
    progress.cancel()
    for _ in range(5):
        with pytest.raises(Cancelled):
            run_in_worker(functions.double, large, progress=progress, what="test")
        assert "to test worker" not in {thread.name for thread in threading.enumerate()}


def test_worker_when_kept_open_then_answers_again_also_after_an_error() -> None:
    worker = Worker("test")
    try:
        pids = [worker.call(functions.pid, progress=Progress()) for _ in range(2)]
        with pytest.raises(BadInput):
            worker.call(functions.bad_input, progress=Progress())
        pids.append(worker.call(functions.pid, progress=Progress()))
    finally:
        worker.close()
    assert len(set(pids)) == 1
    assert not is_alive(pids[0])
    worker.close()


def test_worker_when_cancelled_before_it_starts_then_raises_at_once() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        run_in_worker(functions.bug, progress=progress, what="test")


def test_worker_when_it_prints_then_standard_output_stays_clean() -> None:
    code = (
        "from fixtures import worker_functions as f\n"
        "from toolplanner_core.jobs.progress import Progress\n"
        "from toolplanner_core.jobs.worker import run_in_worker\n"
        "if __name__ == '__main__':\n"
        "    print(run_in_worker(f.chatty, progress=Progress(), what='test'))\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout == "1\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_worker_when_its_parent_is_killed_then_it_ends_too(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    code = (
        "import sys\nfrom fixtures.worker_functions import start_worker_and_wait\n"
        "if __name__ == '__main__':\n    start_worker_and_wait(sys.argv[1])\n"
    )
    with python("-c", code, pid_file):
        assert wait_until(pid_file.exists)
    assert wait_until(lambda: not is_alive(int(pid_file.read_text())))
