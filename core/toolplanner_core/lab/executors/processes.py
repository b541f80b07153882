"""Spawned worker processes, each with its own journal; a thread of the coordinator serves each.

A worker that dies is started again and sent its trial once more: it finds in its journal what was
done of it.
"""

from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from toolplanner_core.domain.experiment import TrialResult
from toolplanner_core.errors import Cancelled, WorkerDied
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import Worker
from toolplanner_core.lab.executors.executor import ExecutorPlugin, TrialDesk
from toolplanner_core.lab.trial_runs import run_in_journal

_LOOK_S = 0.2
_WHAT = "trial"


def _run(desk: TrialDesk, workers: int, progress: Progress, _address: str) -> None:
    with ThreadPoolExecutor(workers, thread_name_prefix="trials") as pool:
        serving = [pool.submit(_serve, desk, n, progress) for n in range(workers)]
        # Waited for in pieces: on Windows Ctrl+C does not wake a wait.
        while wait(serving, timeout=_LOOK_S, return_when=FIRST_EXCEPTION).not_done:
            if any(each.done() and each.exception() for each in serving):
                desk.begin_no_more()
    for each in serving:
        each.result()


def _serve(desk: TrialDesk, number: int, progress: Progress) -> None:
    journal = desk.journal(number)
    worker = Worker(_WHAT)
    try:
        while not progress.is_cancelled:
            task = desk.lease(number)
            while task is not None:
                try:
                    result: TrialResult = worker.call(
                        run_in_journal, journal, task, progress=progress
                    )
                except WorkerDied as died:
                    worker = Worker(_WHAT)
                    if not desk.lease_again(task):
                        desk.give_up(task, died.sentence)
                        break
                else:
                    desk.collect(result)
                    break
            else:
                return
    except Cancelled:
        return  # what was begun stands in the journal
    finally:
        worker.close()


PLUGIN = ExecutorPlugin(
    id="processes",
    title="Processes",
    description="Worker processes of this machine, each on its own copy of the workspace.",
    run=_run,
)
