"""One trial after the other in this process: for few trials, and to compare others with."""

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.executors.executor import ExecutorPlugin, TrialDesk
from toolplanner_core.lab.trial_runs import TrialRunner


def _run(desk: TrialDesk, _workers: int, progress: Progress, _address: str) -> None:
    with TrialRunner(desk.journal(0)) as runner:
        while not progress.is_cancelled and (task := desk.lease(0)) is not None:
            desk.collect(runner.run(task, progress))


PLUGIN = ExecutorPlugin(
    id="inline",
    title="In this process",
    description="One trial after the other, without worker processes.",
    run=_run,
)
