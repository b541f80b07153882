"""Workers of a Dask cluster (the extra `cluster`): scheduler, transport and dashboard are Dask's.

At most two trials a worker are under way, one that runs and one that waits, and what has come back
is let go as soon as it is on the collector's disk: so a worker that dies takes two trials with it
at most, which run again elsewhere. A worker that comes later is given work; without workers the
experiment waits for one. Trials that an earlier start had sent are sent first, to the worker that
had them if it still lives: it has in its journal what was done of them.

Dask unpickles what is sent to it, so a cluster must be one that you trust; off this machine only
`tls://` is taken, with the certificates of Dask's own configuration (`distributed.comm.tls`).
"""

import contextlib
import ipaddress
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.cluster_worker import (
    describe_worker,
    has_workspace,
    keep_workspace,
    result_from_json,
    run_trial,
    sha256_of,
    task_to_json,
)
from toolplanner_core.lab.executors.executor import ExecutorPlugin, TrialDesk
from toolplanner_core.lab.trial_runs import TrialTask

if TYPE_CHECKING:
    from distributed import Client, Future

_UNDER_WAY = 2
"""Trials a worker. Source: design/lab.md, section 5: without a limit a killed worker took 31."""
_LOOK_S = 0.2
_CONNECTING_S = 30
FIRST_WORKER = 1_000
"""Numbers from here on are workers of clusters: their journals are not beside the experiment."""


def _run(desk: TrialDesk, _workers: int, progress: Progress, address: str) -> None:
    _refuse_open_network(address)
    try:
        from distributed import Client
    except ImportError as error:
        raise BadInput(
            "Dask is not installed here", todo="Install toolplanner[cluster], here and there"
        ) from error
    try:
        client = Client(address, timeout=_CONNECTING_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BadInput("No Dask scheduler answers", where=address, why=str(error)) from error
    with client:
        _Cluster(client, desk, progress).work()


class _Cluster:
    """The trials that are under way on a cluster."""

    def __init__(self, client: "Client", desk: TrialDesk, progress: Progress) -> None:
        self._client, self._desk, self._progress = client, desk, progress
        self._base = desk.base()
        self._name = sha256_of(self._base)
        self._sent: dict[Future[str], tuple[str, TrialTask]] = {}
        self._again: deque[TrialTask] = deque(desk.unsettled(FIRST_WORKER))
        self._ready: set[str] = set()
        self._pause = threading.Event()

    def work(self) -> None:
        """Run trials until none is left, or none shall begin."""
        try:
            while True:
                if self._progress.is_cancelled:
                    return  # what was begun stands in the journals of the workers
                workers = self._living()
                self._take_back(workers)
                is_over = not self._send(workers)
                if is_over and not self._sent:
                    return
                self._collect()
        finally:
            self._client.cancel([*self._sent], force=True)

    def _living(self) -> list[str]:
        found: dict[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        workers = sorted(found)
        for worker in workers:
            if worker not in self._ready:
                self._prepare(worker)
        self._ready &= {*workers}
        if not self._ready:
            self._progress.report("Waiting for workers of the cluster", 0)
        return [worker for worker in workers if worker in self._ready]

    def _prepare(self, worker: str) -> None:
        """Give a worker the workspace, if it is like us."""
        with contextlib.suppress(
            OSError, ValueError, KeyError
        ):  # it has gone, or was not yet there
            theirs = self._ask(worker, describe_worker)
            if theirs != describe_worker():
                raise BadInput(
                    "A worker of the cluster has another version",
                    where=worker,
                    why=f"There: {theirs}; here: {describe_worker()}",
                    todo="Install the same on all machines",
                )
            if not self._ask(worker, has_workspace, self._name):
                self._ask(worker, keep_workspace, self._name, self._base)
            self._ready.add(worker)

    def _ask(self, worker: str, function: Callable[..., Any], *arguments: object) -> Any:
        said: Any = self._client.run(function, *arguments, workers=[worker])
        return said[worker]

    def _send(self, workers: Sequence[str]) -> bool:
        """Fill up what workers have under way; False where nothing is left to send."""
        if not (workers or self._sent or self._again):
            task = self._desk.lease(FIRST_WORKER, may_wait=False)  # for whoever comes first
            self._again.extend([] if task is None else [task])
            return task is not None
        busy = [worker for worker, _ in self._sent.values()]
        for worker in workers:
            for _ in range(_UNDER_WAY - busy.count(worker)):
                task = self._next(worker)
                if task is None:
                    return False
                future = self._client.submit(
                    run_trial,
                    self._name,
                    task_to_json(task),
                    workers=[worker],
                    key=f"{task.trial.key}-{task.trial.attempt}-{worker}",
                    retries=0,
                    pure=False,
                )
                self._sent[future] = (worker, task)
        return True

    def _next(self, worker: str) -> TrialTask | None:
        mine = _number(worker)
        task = next((each for each in self._again if each.trial.worker == mine), None)
        if task is None and (leased := self._desk.lease(mine, may_wait=False)) is not None:
            return leased
        # Last: a trial that its workers die of holds up no other one.
        task = task or (self._again[0] if self._again else None)
        if task is not None:
            self._again.remove(task)
        return task

    def _collect(self) -> None:
        from distributed import wait

        if not self._sent:
            self._pause.wait(_LOOK_S)
            return
        # Not by callbacks: Dask would leave a thread of theirs behind. Cancelled is what was with a
        # worker that has gone.
        with self._client.as_current(), contextlib.suppress(TimeoutError, CancelledError):
            wait([*self._sent], timeout=_LOOK_S, return_when="FIRST_COMPLETED")
        for future in [each for each in self._sent if each.status == "finished"]:
            _, task = self._sent[future]
            result = result_from_json(future.result())
            if (result.number, result.key) != (task.trial.number, task.trial.key):
                self._desk.give_up(task, "A worker sent the result of another trial")
            else:
                self._desk.collect(result)
            del self._sent[future]
            future.release()

    def _take_back(self, workers: Iterable[str]) -> None:
        """Send again what was with workers that have gone.

        Of those of one worker the first ran, and may be what it died of; the other one waited.
        """
        living, ran = {*workers}, set[str]()
        for future, (worker, task) in [*self._sent.items()]:
            is_gone = worker not in living and future.status != "finished"
            if not is_gone and future.status not in ("error", "cancelled", "lost"):
                continue
            del self._sent[future]
            why = "Its worker died"
            if future.status == "error" and isinstance(error := future.exception(), UserError):
                why = error.sentence
            self._client.cancel([future], force=True)
            if worker in ran:
                self._again.append(task)
                continue
            ran.add(worker)
            if self._desk.lease_again(task):
                self._again.append(task)
            else:
                self._desk.give_up(task, why)


def _number(worker: str) -> int:
    """A worker's number in the experiment's file: the same for the same address."""
    return FIRST_WORKER + zlib.crc32(worker.encode()) % 2**30


def _refuse_open_network(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in ("tcp", "tls") or not parts.hostname:
        raise BadInput("This is no address of a scheduler", where=address, todo="tcp://HOST:8786")
    is_here = parts.hostname == "localhost"
    with contextlib.suppress(ValueError):
        is_here = is_here or ipaddress.ip_address(parts.hostname).is_loopback
    if parts.scheme == "tcp" and not is_here:
        raise BadInput(
            "A scheduler on another machine is reached over TLS only",
            where=address,
            why="Whoever is between could send code that is run",
            todo="Start it with certificates, and give its address as tls://HOST:8786",
        )


PLUGIN = ExecutorPlugin(
    id="dask",
    title="Dask cluster",
    description="Workers of a Dask cluster, on this machine or many, which the scheduler at an"
    " address knows.",
    run=_run,
)
