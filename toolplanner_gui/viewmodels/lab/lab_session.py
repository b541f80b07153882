"""The experiments beside the workspace, the one that is looked at, and which of its trials.

Files are read in reader threads; what was read is replaced as a whole, so all panels of the layout
show one moment. While an experiment runs it is read again as soon as it came on, and no more often
than reading takes.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from toolplanner_core.errors import UserError
from toolplanner_core.lab.looking.experiments import ListedExperiment, list_experiments
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.lab.looking.trials import TrialFilter
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.lab_store import JudgedTrial, LabStore
from toolplanner_gui.bridge.jobs import Jobs
from toolplanner_gui.bridge.latest_request import LatestState
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.lab.experiment_runner import ExperimentRunner

_PAUSE_MS = 400
"""Between two readings of an experiment that runs, at least."""


class LogLine(NamedTuple):
    """A line of the log: when it was said (seconds since the epoch) and what."""

    at_s: float
    text: str


class _Read(NamedTuple):
    path: Path | None
    reading: ExperimentReading | None
    problem: str


class LabSession(QObject):
    """State of the layout Lab. GUI thread.

    Attributes:
        experiments: those of the workspace's folder.
        path: results of the one that is looked at; they need not be there yet.
        reading: what was read of it, None = it was not begun, or cannot be read.
        problem: why it cannot be read.
        judge: whose verdicts are shown.
        wanted: which of its trials are listed.
        trial: the one that is looked at.

    Signals:
        listed: the list of experiments was read.
        opened: another experiment is looked at.
        renewed: it was read anew.
        judge_changed, filter_changed, trial_changed: as they say.
        logged: the log has another line.
    """

    listed = Signal()
    opened = Signal()
    renewed = Signal()
    judge_changed = Signal()
    filter_changed = Signal()
    trial_changed = Signal()
    logged = Signal()

    def __init__(
        self,
        workspace: Workspace,
        tasks: Tasks,
        jobs: Jobs,
        *,
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.folder = workspace.path.parent
        self.experiments: Sequence[ListedExperiment] = ()
        self.path: Path | None = None
        self.reading: ExperimentReading | None = None
        self.problem = ""
        self.judge = ""
        self.wanted = TrialFilter()
        self.trial: JudgedTrial | None = None
        self.log: dict[Path, list[LogLine]] = {}
        self._stores: dict[Path, LabStore] = {}
        self._list = LatestState(tasks, self, lambda: list_experiments(self.folder), self._on_list)
        self._reading = LatestState(tasks, self, self._read, self._on_read)
        self._soon = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._soon.timeout.connect(self.refresh)
        self.runner = ExperimentRunner(jobs, report=report, parent=self)
        self.runner.changed.connect(self._on_running)
        self.runner.said.connect(self._on_said)
        self.runner.ended.connect(lambda _store: self.refresh())

    @property
    def current(self) -> ListedExperiment | None:
        """The experiment that is looked at, as it is listed."""
        return next((each for each in self.experiments if each.store == self.path), None)

    @property
    def is_running(self) -> bool:
        """Whether this window runs the experiment that is looked at."""
        return self.path is not None and self.runner.store == self.path

    @property
    def store(self) -> LabStore | None:
        """The file of the experiment that is looked at; any thread may read it."""
        return None if self.path is None else self._stores.get(self.path)

    def refresh(self) -> None:
        """Read the list and the experiment as they are from now on."""
        self._list.refresh()
        if self.path is not None:
            self._reading.refresh()

    def open(self, path: Path) -> None:
        """Look at an experiment."""
        if path == self.path:
            return
        self.path, self.reading, self.problem = path, None, ""
        self.judge, self.wanted, self.trial = "", TrialFilter(), None
        self.opened.emit()
        self.trial_changed.emit()
        self.refresh()

    def choose_judge(self, judge: str) -> None:
        """Show the verdicts of another judge."""
        if judge != self.judge:
            self.judge = judge
            self.judge_changed.emit()

    def filter(self, wanted: TrialFilter) -> None:
        """List other trials."""
        if wanted != self.wanted:
            self.wanted = wanted
            self.filter_changed.emit()

    def show_trials(self, *, arms: Sequence[str], cause: str = "") -> None:
        """List the trials that stand behind a part of a figure."""
        self.filter(TrialFilter(arms=tuple(arms), cause=cause))

    def show_numbers(self, numbers: Sequence[int]) -> None:
        """List these trials."""
        self.filter(TrialFilter(numbers=tuple(numbers)))

    def look_at_trial(self, trial: JudgedTrial | None) -> None:
        """Show another trial."""
        self.trial = trial
        self.trial_changed.emit()

    def say(self, text: str) -> None:
        """Add a line to the log of the experiment that is looked at."""
        if self.path is not None:
            self.log.setdefault(self.path, []).append(LogLine(time.time(), text))
            self.logged.emit()

    def release(self) -> Callable[[], None]:
        """What closes the files, to be called off the GUI thread."""
        stores = list(self._stores.values())
        self._stores = {}

        def close() -> None:
            for store in stores:
                store.close()

        return close

    def _read(self) -> _Read:
        path = self.path
        if path is None or not path.exists():
            return _Read(path, None, "")
        try:
            store = self._stores.get(path)
            if store is None:
                store = self._stores[path] = LabStore.open(path)
            return _Read(path, ExperimentReading.of(store), "")
        except UserError as error:
            return _Read(path, None, error.sentence)

    def _on_read(self, read: _Read) -> None:
        if read.path != self.path:
            self._reading.refresh()
            return
        self.reading, self.problem = read.reading, read.problem
        if read.reading is not None:
            judges = read.reading.results.judges
            if self.judge not in judges:
                self.judge = judges[0] if judges else ""
        self._keep_trial()
        self.renewed.emit()

    def _keep_trial(self) -> None:
        """The trial that is looked at, as it is now."""
        if self.trial is None or self.reading is None:
            return
        number = self.trial.trial.number
        found = (each for each in self.reading.results.trials() if each.trial.number == number)
        self.look_at_trial(next(found, None))

    def _on_list(self, found: Sequence[ListedExperiment]) -> None:
        self.experiments = found
        self.listed.emit()
        if self.path is None and found:
            self.open(found[0].store)

    def _on_running(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _on_said(self, text: str) -> None:
        if self.runner.store is not None:
            line = LogLine(time.time(), text)
            self.log.setdefault(self.runner.store, []).append(line)
            self.logged.emit()
