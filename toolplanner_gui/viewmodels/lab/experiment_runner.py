"""The experiment that this window runs, as a job: its trials run in worker processes."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_gui.bridge.jobs import Job, Jobs

MOST_WORKERS = 8


class ExperimentRunner(QObject):
    """At most one experiment at a time. GUI thread.

    Attributes:
        store: of the experiment that is run, None while none is.
        report: how far it is.

    Signals:
        changed: it began, came on, or ended.
        said: a line for the log.
        ended: what it came to is stored; its `store`.
    """

    changed = Signal()
    said = Signal(str)
    ended = Signal(object)

    def __init__(
        self, jobs: Jobs, *, report: Callable[[BaseException], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._jobs, self._report_error = jobs, report
        self._job: Job | None = None
        self._stopping = threading.Event()
        self.store: Path | None = None
        self.report: ProgressReport | None = None

    @property
    def is_stopping(self) -> bool:
        """Whether no further trial begins."""
        return self._stopping.is_set()

    def start(self, file: Path) -> None:
        """Run what is left of the experiment that a file describes."""
        if self._job is not None:
            return
        self._stopping = stopping = threading.Event()
        workers = min(os.cpu_count() or 1, MOST_WORKERS)

        def work(progress: Progress) -> str:
            from toolplanner_core.lab.coordinator import run_experiment
            from toolplanner_core.lab.experiment_file import read_experiment_file
            from toolplanner_core.lab.looking.experiments import standing_words

            standing = run_experiment(
                read_experiment_file(file),
                executor="processes",
                workers=workers,
                progress=progress,
                stopping=stopping,
            )
            return standing_words(standing)

        self.store = file.with_name(file.name.removesuffix(".toml"))
        self.report = None
        self._job = job = self._jobs.start(f"Running {self.store.name.removesuffix('.lab')}", work)
        job.succeeded.connect(lambda words: self.said.emit(f"Ended: {words}"))
        job.cancelled.connect(lambda: self.said.emit("Stopped; Start goes on from here"))
        job.failed.connect(self._on_failed)
        job.progressed.connect(self._on_progress)
        job.ended.connect(self._on_ended)
        self.said.emit(f"Started with {workers} worker processes")
        self.changed.emit()

    def stop(self) -> None:
        """Begin no further trial; asked again, stop those that run, too. Both go on later."""
        if self._job is None:
            return
        if self._stopping.is_set():
            self._job.cancel()
            self.said.emit("Stopping the trials that run")
        else:
            self._stopping.set()
            self.said.emit("No further trial begins; those that run are finished")
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self.said.emit(f"Ended: {error}")
        self._report_error(error)

    def _on_progress(self, report: ProgressReport | None) -> None:
        self.report = report
        self.changed.emit()

    def _on_ended(self) -> None:
        self._job, ended, self.store = None, self.store, None
        self.changed.emit()
        self.ended.emit(ended)
