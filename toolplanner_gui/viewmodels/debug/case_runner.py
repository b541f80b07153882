"""Cases that are being run, one after the other, as a job that can be stopped."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from toolplanner_core.domain.cases import Case
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.jobs import Job, Jobs


class CaseRunner(QObject):
    """At most one series of cases at a time. GUI thread.

    Attributes:
        saved: the case that a person saved last, until a list has gone to it.

    Signals:
        changed: a series began, came on, or ended.
        ended: what it came to is stored; the list of runs is another one.
    """

    changed = Signal()
    ended = Signal()

    def __init__(
        self,
        workspace: Workspace,
        jobs: Jobs,
        *,
        tell: Callable[[str], None],
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace, self._jobs = workspace, jobs
        self._tell, self._report = tell, report
        self._job: Job | None = None
        self.saved: Case | None = None

    @property
    def is_running(self) -> bool:
        """Whether cases are being run."""
        return self._job is not None

    def start(self, cases: Sequence[Case]) -> None:
        """Run these cases; what each came to is stored when it has ended."""
        if self._job is not None or not cases:
            return
        workspace = self._workspace

        def work(progress: Progress) -> str:
            from toolplanner_core.cases.case_runs import describe_series, run_cases

            told = describe_series(run_cases(workspace, cases, progress))
            return told if len(cases) > 1 else f"“{one_line(cases[0].title, 60)}”: {told}"

        self._job = job = self._jobs.start(f"Running {counted(len(cases), 'case')}", work)
        job.succeeded.connect(self._tell)
        job.failed.connect(self._report)
        job.progressed.connect(lambda _report: self.changed.emit())
        job.ended.connect(self._on_ended)
        self.changed.emit()

    def stop(self) -> None:
        """Stop the case that runs; those that have run keep their results."""
        if self._job is not None:
            self._job.cancel()

    def _on_ended(self) -> None:
        self._job = None
        self.changed.emit()
        self.ended.emit()
