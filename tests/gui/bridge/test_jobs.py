"""Jobs: progress, outcome, cancel, error."""

import threading

from PySide6.QtCore import QObject

from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_gui.bridge.gui_thread import GuiThreadCalls
from toolplanner_gui.bridge.jobs import Jobs


def make_jobs(parent: QObject) -> Jobs:
    return Jobs(GuiThreadCalls(parent), parent)


def test_job_when_it_works_reports_and_succeeds(qapp, qtbot) -> None:
    parent = QObject()
    jobs = make_jobs(parent)
    seen: list[tuple[str, int]] = []

    def work(progress: Progress) -> int:
        for i in range(3):
            progress.report(f"Stage {i}", i, 3)
        return 42

    job = jobs.start("Count", work)
    job.progressed.connect(lambda report: seen.append((report.stage, report.done)))
    results: list[int] = []
    job.succeeded.connect(results.append)
    with qtbot.waitSignal(jobs.ended):
        pass
    assert results == [42]
    assert seen == [("Stage 0", 0), ("Stage 1", 1), ("Stage 2", 2)]
    assert jobs.running == []


def test_job_when_cancelled_stops_at_its_next_report(qapp, qtbot) -> None:
    parent = QObject()
    jobs = make_jobs(parent)
    going = threading.Event()

    def work(progress: Progress) -> None:
        while True:
            progress.report("Working", 0)
            going.set()

    job = jobs.start("Endless", work)
    assert going.wait(120)
    with qtbot.waitSignal(job.cancelled):
        job.cancel()
    assert job.is_cancelling
    assert jobs.running == []


def test_job_when_it_fails_hands_over_the_error(qapp, qtbot) -> None:
    parent = QObject()
    jobs = make_jobs(parent)

    def work(progress: Progress) -> None:
        raise BadInput("no tools", todo="Choose another file")

    job = jobs.start("Import", work)
    with qtbot.waitSignal(job.failed) as failed:
        pass
    assert isinstance(failed.args[0], BadInput)


def test_jobs_when_closed_stop_what_runs(qapp, qtbot) -> None:
    parent = QObject()
    jobs = make_jobs(parent)
    ended = threading.Event()

    def work(progress: Progress) -> None:
        try:
            while True:
                progress.report("Working", 0)
        finally:
            ended.set()

    jobs.start("Endless", work)
    [thread] = jobs._running.values()
    jobs.close()
    assert ended.wait(120)
    thread.join(120)  # it still posts its end, through what ends with this test
    assert not thread.is_alive()
