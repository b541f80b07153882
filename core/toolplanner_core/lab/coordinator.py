"""Run an experiment, or go on with one: plan, lease, collect.

The coordinator is the only one that writes the experiment's file. The workspace is copied once,
when the experiment is begun, so that what is edited meanwhile changes no trial; each worker has a
copy of that copy, which is its journal. They lie in `NAME.lab.work` until all is collected.

What a dead coordinator or worker left is settled in this order: what was collected is done; what
ended in a journal is collected; what was begun there goes on from its last event; what else was
leased is run.
"""

import contextlib
import shutil
import threading
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

from toolplanner_core.domain.experiment import (
    Arm,
    Experiment,
    Trial,
    TrialResult,
    TrialState,
    TrialVerdict,
)
from toolplanner_core.domain.lab import Query
from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.process_identity import is_alive, this_process
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.budgets import BudgetKeeper
from toolplanner_core.lab.datasets.jsonl import query_of_row
from toolplanner_core.lab.executors.dask import FIRST_WORKER
from toolplanner_core.lab.executors.executor import executors
from toolplanner_core.lab.experiment_file import (
    ExperimentFile,
    candidate_keys,
    read_quota,
    resolve,
)
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.lab.paced_models import QUOTA_FILE
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.lab.trial_runs import TrialRunner, TrialTask
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.copying import copy_without_runs
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.lab_store import MOST_ATTEMPTS, LabStore, SpentTrial, Standing
from toolplanner_core.workspace.request_quota import UNLIMITED, QuotaLimits

_UNIT = "trials"
_LOOK_S = 0.2
"""How often is looked whether it shall end: by a worker that waits for room in the budget, and by
who waits for a wish of another process."""
_STOP, _AT_ONCE = "stop", "at once"


class Coordinator:
    """Leases trials and collects results; the desk of the executors. Any thread.

    Args:
        stopping: set when no further trial shall begin.
        quota: what a person allows for each endpoint.
    """

    def __init__(
        self,
        store: LabStore,
        journals: "Journals",
        *,
        progress: Progress,
        stopping: threading.Event,
        quota: QuotaLimits = UNLIMITED,
    ) -> None:
        self._quota = quota
        self._store, self._journals = store, journals
        self._progress, self._stopping = progress, stopping
        experiment = store.experiment()
        self._arms: dict[str, Arm] = {arm.name: arm for arm in experiment.arms}
        self._queries: dict[str, Query] = {
            query.id: query for query in map(query_of_row, store.query_rows())
        }
        trials = store.trials()
        self._query_of = {trial.number: trial.query for trial in trials}
        self._keeper = BudgetKeeper(experiment, trials, store.spent())
        self._open: dict[int, Trial] = {trial.number: trial for trial in store.leased()}
        self._ends = False
        self._judges = [judges.get(name) for name in experiment.judges]
        standing = store.standing()
        self._done, self._planned = standing.planned - standing.left, standing.planned
        self._changed = threading.Condition()

    def lease(self, worker: int, *, may_wait: bool = True) -> TrialTask | None:
        """The next trial for a worker; None where there is none, or none shall begin.

        Args:
            may_wait: while only trials that run can make room in the budget; else None is said.
        """
        with self._changed:
            while not (self._ends or self._stopping.is_set() or self._progress.is_cancelled):
                found = self._store.next_trials()
                trial = next(filter(self._keeper.has_room, found), None)
                if trial is not None:
                    leased = self._store.lease(worker, trial.number)
                    self._open[leased.number] = leased
                    return self.task(leased)
                if not found:
                    return None
                if not self._open:
                    self._store.stop(self._keeper.refusal(found[0]))
                    return None
                if not may_wait:
                    return None
                self._changed.wait(_LOOK_S)
        return None

    def unsettled(self, first_worker: int) -> list[TrialTask]:
        """Trials that an earlier start had sent to workers from this number on."""
        leased = self._store.leased()
        return [self.task(trial) for trial in leased if trial.worker >= first_worker]

    def base(self) -> bytes:
        """The workspace as it was when the experiment was begun, the file as it is. Blocks."""
        return self._journals.base()

    def begin_no_more(self) -> None:
        """Lease nothing any more: a worker could not go on."""
        with self._changed:
            self._ends = True
            self._changed.notify_all()

    def task(self, trial: Trial) -> TrialTask:
        """A trial with what is needed to run it."""
        query, arm = self._queries[trial.query], self._arms[trial.arm]
        return TrialTask(
            trial=trial,
            query=query.text,
            arm=arm,
            quota=self._quota,
            candidates=candidate_keys(arm, query),
        )

    def lease_again(self, task: TrialTask) -> bool:
        """Whether a trial whose worker died may be sent once more."""
        number = task.trial.number
        attempt = self._store.lease_again(number)
        with self._changed:
            self._open[number] = replace(task.trial, attempt=attempt)
        return attempt <= MOST_ATTEMPTS

    def collect(self, result: TrialResult) -> None:
        """Store a result with what judges say of it, and wait until it is on disk.

        A trial that was stopped stays with its worker: it goes on in the same journal.
        """
        if result.state is TrialState.STOPPED:
            return
        verdicts: dict[tuple[str, int], TrialVerdict] = {}
        if result.state is TrialState.DONE and result.facts is not None:
            query = self._queries[self._query_of[result.number]]
            verdicts = {
                (judge.id, judge.version): verdict
                for judge in self._judges
                if judge.applies(query)
                and (verdict := judge.verdict(query, result.facts, result.packed))
            }
        self._store.collect(result, verdicts)
        with self._changed:
            self._settle_budget(result)
            self._done += 1
            self._progress.report("Running trials", self._done, self._planned, unit=_UNIT)

    def _settle_budget(self, result: TrialResult) -> None:
        trial, facts = self._open.pop(result.number, None), result.facts
        if trial is None:
            return
        ended = replace(trial, state=result.state)
        took = facts and SpentTrial(facts.api_calls, facts.model_calls, facts.tokens, facts.cost)
        self._keeper.settle(ended, took)
        self._changed.notify_all()

    def give_up(self, task: TrialTask, why: str) -> None:
        """Store that a trial broke."""
        trial = task.trial
        self.collect(
            TrialResult(number=trial.number, key=trial.key, state=TrialState.BROKEN, why=why)
        )

    def journal(self, worker: int) -> Path:
        """A worker's own file."""
        return self._journals.of(worker)

    def settle(self, *, has_cluster: bool) -> None:
        """Finish what an earlier start had leased, each in the journal of its worker. Blocks.

        Args:
            has_cluster: what workers of a cluster had is left to them.
        """
        left: dict[int, list[Trial]] = {}
        for trial in self._store.leased():
            if has_cluster and trial.worker >= FIRST_WORKER:
                continue
            left.setdefault(trial.worker, []).append(trial)
        for worker, trials in left.items():
            with TrialRunner(self.journal(worker)) as runner:
                for trial in trials:
                    if self._progress.is_cancelled:
                        return
                    self.collect(runner.run(self.task(trial), self._progress))


class Journals:
    """The copies of the workspace that belong to an experiment."""

    def __init__(self, store: Path) -> None:
        self._folder = store.with_name(f"{store.name}.work")
        self._base = self._folder / f"base{SUFFIX}"
        self._lock = threading.Lock()

    def begin(self, workspace: Path) -> int:
        """Copy the workspace, unless it was; the number of the copy's last edit. Blocks.

        Raises:
            WorkspaceError: it cannot be copied.
        """
        self._folder.mkdir(exist_ok=True)
        if not self._base.exists():
            with Workspace.open(workspace) as source:
                copy_without_runs(source, self._base)
        with Workspace.open(self._base) as base:
            return read_head(base.reader())

    def base(self) -> bytes:
        """The copy of the workspace. Blocks."""
        return self._base.read_bytes()

    def of(self, worker: int) -> Path:
        """A worker's journal, made at its first use."""
        path = self._folder / f"{worker}{SUFFIX}"
        with self._lock:
            if not path.exists():
                part = path.with_suffix(".part")
                shutil.copyfile(self._base, part)
                part.replace(path)
        return path

    def ask_to_stop(self, who: str, *, at_once: bool) -> None:
        """Leave word for the process that runs the experiment. Blocks."""
        self._folder.mkdir(exist_ok=True)
        word = f"{who}\n{_AT_ONCE if at_once else ''}"
        (self._folder / _STOP).write_text(word, encoding="utf-8")

    @contextlib.contextmanager
    def heeding_stops(
        self, who: str, stopping: threading.Event, progress: Progress
    ) -> Generator[None]:
        """Pass on what other processes ask of this one, `who`, while the block runs."""
        ended = threading.Event()

        def look() -> None:
            while not ended.wait(_LOOK_S):
                with contextlib.suppress(OSError):  # nobody asked
                    asked, _, how = (self._folder / _STOP).read_text("utf-8").partition("\n")
                    if asked == who and not stopping.is_set():
                        stopping.set()
                        progress.report("Asked to stop: no further trial begins", 0)
                    if asked == who and how == _AT_ONCE:
                        progress.cancel()

        looking = threading.Thread(target=look, name="wishes to stop", daemon=True)
        looking.start()
        try:
            yield
        finally:
            ended.set()
            looking.join()
            (self._folder / _STOP).unlink(missing_ok=True)

    def remove(self) -> None:
        """Take them away, once all is collected."""
        for file in self._folder.glob(f"*{SUFFIX}*"):
            file.unlink(missing_ok=True)
        (self._folder / QUOTA_FILE).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # somebody put something else there
            self._folder.rmdir()


def run_experiment(
    file: ExperimentFile,
    *,
    executor: str,
    workers: int,
    progress: Progress,
    stopping: threading.Event,
    address: str = "",
    on_begin: Callable[[Standing], object] = lambda _: None,
) -> Standing:
    """Run what is left of an experiment; one that is finished is left as it is. Blocks.

    Args:
        stopping: set from another thread or a signal's handler: no further trial begins.
        address: of the scheduler of a cluster, for the executor that has one.
        on_begin: is given how it stands before the first trial.

    Raises:
        BadInput: the file was changed since the experiment was begun, or another process runs it.
        UserError: see `resolve`; a file cannot be read or written.
    """
    plugin = executors.get(executor)
    journals = Journals(file.store)
    with _opened(file, journals) as store:
        standing = store.standing()
        on_begin(standing)
        if not standing.left:
            return standing
        store.take(this_process(), is_alive=is_alive)
        try:
            journals.begin(file.workspace)
            desk = Coordinator(
                store, journals, progress=progress, stopping=stopping, quota=read_quota(file)
            )
            with journals.heeding_stops(this_process(), stopping, progress):
                desk.settle(has_cluster=bool(address))
                plugin.run(desk, workers, progress, address)
            standing = store.standing()
        finally:
            store.release(this_process())
        if not standing.left:
            journals.remove()
        return standing


def stop_experiment(store: Path, *, at_once: bool = False) -> bool:
    """Ask the process that runs an experiment to begin no further trial. Returns at once.

    Args:
        store: `NAME.lab`.
        at_once: trials that run are stopped, too; they go on when it is run again.

    Returns:
        False where nobody runs it.

    Raises:
        WorkspaceError: it is no experiment, or cannot be read.
    """
    with LabStore.open(store) as opened:
        who = opened.coordinator()
    if not who or not is_alive(who):
        return False
    Journals(store).ask_to_stop(who, at_once=at_once)
    return True


def _opened(file: ExperimentFile, journals: Journals) -> LabStore:
    """The experiment's file, made where there is none."""
    if file.store.exists():
        store = LabStore.open(file.store)
        try:
            stored = store.experiment()
            now, _ = resolve(file, edit=stored.arms[0].edit)
            _refuse_changed(file, now, stored)
            if now.budget != stored.budget:
                store.allow(now.budget)
        except BaseException:
            store.close()
            raise
        return store
    resolve(file, edit=0)  # what is wrong is said before anything is copied
    experiment, data_set = resolve(file, edit=journals.begin(file.workspace))
    return LabStore.create(file.store, experiment, data_set, plan_trials(experiment, data_set))


def _refuse_changed(file: ExperimentFile, now: Experiment, stored: Experiment) -> None:
    if replace(now, judges=stored.judges, budget=stored.budget) != stored:
        raise BadInput(
            "The experiment or its data set was changed since it was begun",
            where=file.path.name,
            why=f"What was planned then stands in {file.store.name}",
            todo="Save the changed file under another name, and run that",
        )
