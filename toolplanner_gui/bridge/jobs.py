"""Long work of the window: a core function on a thread, with progress, cancel and an outcome.

Called by panels and dialogs through `context.jobs.start`; the status bar shows what runs. Heavy
computing happens in worker processes of the core; the thread here mostly waits.
"""

import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from toolplanner_core.errors import Cancelled
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_gui.bridge.gui_thread import GuiThreadCalls

MOMENT_S = 0.2
"""How long a job may take to stop when the program ends."""


class Job(QObject):
    """One piece of long work. All signals arrive on the GUI thread; `ended` is always the last.

    Attributes:
        title: for people, such as "Import toolenv.zip".
        is_asked_for: a person started it and would miss what it makes.
        report: the last progress, None before the first.
        newest: the last thing that it found out, "" = nothing yet.
    """

    progressed = Signal(object)
    succeeded = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    ended = Signal()

    def __init__(self, title: str, parent: QObject, *, is_asked_for: bool) -> None:
        super().__init__(parent)
        self.title = title
        self.is_asked_for = is_asked_for
        self.report: ProgressReport | None = None
        self.newest = ""
        self.is_cancelling = False
        self.progress: Progress | None = None

    def cancel(self) -> None:
        """Ask the work to stop at its next report."""
        self.is_cancelling = True
        if self.progress is not None:
            self.progress.cancel()
        self.progressed.emit(self.report)

    def found(self, newest: str) -> None:
        """Show the last thing that the work found out. GUI thread."""
        self.newest = newest
        self.progressed.emit(self.report)


class Jobs(QObject):
    """Running jobs. GUI thread."""

    started = Signal(object)
    ended = Signal(object)

    def __init__(self, calls: GuiThreadCalls, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls = calls
        self._running: dict[Job, threading.Thread] = {}

    @property
    def running(self) -> list[Job]:
        """Jobs that have not ended, oldest first."""
        return list(self._running)

    def start(
        self, title: str, work: Callable[[Progress], Any], *, is_asked_for: bool = True
    ) -> Job:
        """Run `work(progress)` on a thread of its own.

        The caller connects `succeeded`, `failed`, `cancelled` right after; none fires before the
        control is back in the event loop.
        """
        job = Job(title, self, is_asked_for=is_asked_for)
        job.progress = Progress(
            lambda report: self._calls.post(lambda: self._on_report(job, report))
        )
        progress = job.progress

        def run() -> None:
            try:
                result = work(progress)
            except BaseException as error:  # noqa: BLE001 - handed to the GUI thread, shown there
                problem = error
                self._calls.post(lambda: self._on_error(job, problem))
            else:
                self._calls.post(lambda: self._end(job, lambda: job.succeeded.emit(result)))

        thread = threading.Thread(target=run, name=f"job {title}", daemon=True)
        self._running[job] = thread
        self.started.emit(job)
        thread.start()
        return job

    def cancel_all(self, *, wait_s: float = 10.0) -> Callable[[], None]:
        """Ask all jobs to stop; what they came to is told to nobody but the status bar.

        Returns:
            What waits for their ends, to be called off the GUI thread; the workspace may be closed
            after it.
        """
        threads = list(self._running.values())
        for job in self._running:
            job.cancel()
            job.blockSignals(True)

        def wait() -> None:
            for thread in threads:
                thread.join(wait_s)

        return wait

    def close(self) -> None:
        """Ask all jobs to stop and give them a moment; the writer rolls back what is unfinished."""
        self.cancel_all(wait_s=MOMENT_S)()

    def _on_report(self, job: Job, report: ProgressReport) -> None:
        job.report = report
        job.progressed.emit(report)

    def _on_error(self, job: Job, error: BaseException) -> None:
        if isinstance(error, Cancelled):
            self._end(job, job.cancelled.emit)
        else:
            self._end(job, lambda: job.failed.emit(error))

    def _end(self, job: Job, tell: Callable[[], None]) -> None:
        self._running.pop(job, None)
        tell()
        job.ended.emit()
        self.ended.emit(job)
        job.deleteLater()
