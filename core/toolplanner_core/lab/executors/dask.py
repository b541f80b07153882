"""Workers of a Dask cluster (the extra `cluster`): scheduler, transport and dashboard are Dask's.

At most two trials a worker are under way, one that runs and one that waits, and what has come back
is let go as soon as it is on the collector's disk: so a worker that dies takes two trials with it
at most, which run again elsewhere. A worker that comes later is given work; without workers the
experiment waits for one. Trials that an earlier start had sent are sent first, to the worker that
had them if it still lives: it has in its journal what was done of them.

A worker may be silent: stopped, or cut off. No other one waits for it: each is asked by itself, in
Dask's own loop, and what it does not answer keeps nobody but its own trials, until it goes on or
Dask takes it for dead (`distributed.scheduler.worker-ttl`).

Dask unpickles what is sent to it, so a cluster must be one that you trust; off this machine only
`tls://` is taken, with the certificates of Dask's own configuration (`distributed.comm.tls`).
"""

import asyncio
import contextlib
import ipaddress
import logging
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
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
    from concurrent.futures import Future as Answer

    from distributed import Client, Future

_log = logging.getLogger(__name__)

_UNDER_WAY = 2
"""Trials a worker. Source: design/lab.md, section 5: without a limit a killed worker took 31."""
_LOOK_S = 0.2
_CONNECTING_S = 30
_SILENT_S = 30.0
"""Without a heartbeat; the largest cluster's workers send one every few seconds."""
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


@dataclass(frozen=True, slots=True)
class _Sent:
    """A trial that is under way.

    Attributes:
        answer: what it gives, when it has arrived here.
    """

    worker: str
    task: TrialTask
    future: "Future[str]"
    answer: "Answer[str]"


class _Cluster:
    """The trials that are under way on a cluster."""

    def __init__(self, client: "Client", desk: TrialDesk, progress: Progress) -> None:
        self._client, self._desk, self._progress = client, desk, progress
        self._scheduler: Any = client.scheduler
        self._base = desk.base()
        self._name = sha256_of(self._base)
        self._sent: list[_Sent] = []
        self._again: deque[TrialTask] = deque(desk.unsettled(FIRST_WORKER))
        self._prepared: dict[str, Answer[None]] = {}
        self._heartbeats = _Heartbeats()
        self._pause = threading.Event()

    def work(self) -> None:
        """Run trials until none is left, or none shall begin."""
        try:
            while True:
                if self._progress.is_cancelled:
                    return  # what was begun stands in the journals of the workers
                workers = self._ready()
                self._take_back()
                is_over = not self._send(workers)
                if is_over and not self._sent:
                    return
                self._wait()
                self._collect()
        finally:
            for answer in self._prepared.values():
                answer.cancel()
            self._let_go(self._sent)

    def _ready(self) -> list[str]:
        """Workers that have the workspace and are heard of."""
        # Not by `scheduler_info`: another thread of Dask's empties what it is about to give.
        known: Any = self._client.sync(self._scheduler.identity, n_workers=-1)
        found: dict[str, Any] = known["workers"]
        for worker in self._prepared.keys() - found.keys():
            self._prepared.pop(worker).cancel()
        for worker in found.keys() - self._prepared.keys():
            self._prepared[worker] = self._begin(self._prepare(worker))
        for answer in self._prepared.values():
            if answer.done():
                answer.result()
        heard = {worker: about["last_seen"] for worker, about in found.items()}
        for worker in self._heartbeats.fallen_silent(heard):
            self._say_silent(worker)
        ready = [
            worker
            for worker, answer in sorted(self._prepared.items())
            if answer.done() and worker not in self._heartbeats.silent
        ]
        if not (ready or self._sent):
            self._progress.report("Waiting for workers of the cluster", 0)
        return ready

    def _say_silent(self, worker: str) -> None:
        waiting = sum(sent.worker == worker for sent in self._sent)
        text = f"Worker {worker} is silent and left out; trials that wait for it: {waiting}"
        _log.warning("%s", text)
        self._progress.report(text, 0)

    async def _prepare(self, worker: str) -> None:
        """Give a worker the workspace, if it is like us."""
        theirs = await self._ask(worker, describe_worker)
        if theirs != describe_worker():
            raise BadInput(
                "A worker of the cluster has another version",
                where=worker,
                why=f"There: {theirs}; here: {describe_worker()}",
                todo="Install the same on all machines",
            )
        if not await self._ask(worker, has_workspace, self._name):
            await self._ask(worker, keep_workspace, self._name, self._base)

    async def _result(self, future: "Future[str]") -> str:
        """What a trial gives, however late; who waits cancels this when its worker has gone."""
        # Not by Dask's `result`: it fetches several at once, so that all wait for a silent worker,
        # and waits for ever when the worker goes in between.
        while True:
            error: BaseException | None = await future.exception()
            if error is not None:
                raise error
            with contextlib.suppress(OSError):
                said: Any = await self._scheduler.gather(keys=[future.key])
                if said["status"] == "OK":
                    result: str = said["data"][future.key]
                    return result
            await asyncio.sleep(_LOOK_S)

    async def _ask(self, worker: str, function: Callable[..., Any], *arguments: object) -> Any:
        """What a worker answers, however late; who waits cancels this when it has gone."""
        while True:
            with contextlib.suppress(OSError, ValueError, KeyError):  # broken off, not yet there
                said: Any = await self._client.run(function, *arguments, workers=[worker])
                return said[worker]
            await asyncio.sleep(_LOOK_S)

    def _begin(self, asking: Coroutine[Any, Any, Any]) -> "Answer[Any]":
        loop: Any = self._client.loop  # Tornado's, round that of asyncio
        return asyncio.run_coroutine_threadsafe(asking, loop.asyncio_loop)

    def _send(self, workers: Sequence[str]) -> bool:
        """Fill up what workers have under way; False where nothing is left to send."""
        if not (workers or self._sent or self._again):
            task = self._desk.lease(FIRST_WORKER, may_wait=False)  # for whoever comes first
            self._again.extend([] if task is None else [task])
            return task is not None
        busy = [sent.worker for sent in self._sent]
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
                answer = self._begin(self._result(future))
                self._sent.append(_Sent(worker, task, future, answer))
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

    def _wait(self) -> None:
        """Wait until something has come, or a moment."""
        asked: list[Answer[Any]] = [sent.answer for sent in self._sent]
        asked += [answer for answer in self._prepared.values() if not answer.done()]
        if asked:
            wait(asked, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        else:
            self._pause.wait(_LOOK_S)

    def _collect(self) -> None:
        arrived = [
            each for each in self._sent if each.answer.done() and not each.answer.exception()
        ]
        for sent in arrived:
            task, result = sent.task, result_from_json(sent.answer.result())
            if (result.number, result.key) != (task.trial.number, task.trial.key):
                self._desk.give_up(task, "A worker sent the result of another trial")
            else:
                self._desk.collect(result)
            self._sent.remove(sent)
            sent.future.release()

    def _take_back(self) -> None:
        """Send again what was with workers that have gone.

        Of those of one worker the first ran, and may be what it died of; the other one waited.
        """
        ran = set[str]()
        lost = [each for each in self._sent if self._is_lost(each)]
        if lost:
            self._let_go(lost)
        for sent in lost:
            self._sent.remove(sent)
            task = sent.task
            if sent.worker in ran:
                self._again.append(task)
                continue
            ran.add(sent.worker)
            if self._desk.lease_again(task):
                self._again.append(task)
            else:
                self._desk.give_up(task, _why(sent))

    def _is_lost(self, sent: _Sent) -> bool:
        if sent.answer.done():
            return sent.answer.exception() is not None
        return sent.worker not in self._prepared

    def _let_go(self, sent: Sequence[_Sent]) -> None:
        """Have trials neither run nor handed in."""
        for each in sent:
            each.answer.cancel()
        self._client.cancel([each.future for each in sent], force=True)


class _Heartbeats:
    """Which workers are heard of, by the clock of this machine."""

    def __init__(self) -> None:
        self._heard: dict[str, tuple[float, float]] = {}
        self.silent: set[str] = set()

    def fallen_silent(self, last_seen: Mapping[str, float]) -> list[str]:
        """Workers that are silent now and were not.

        Args:
            last_seen: of each worker, by the scheduler's clock.
        """
        now_s, before = time.monotonic(), self.silent
        self._heard = {
            worker: known
            if (known := self._heard.get(worker)) is not None and known[0] == seen
            else (seen, now_s)
            for worker, seen in last_seen.items()
        }
        self.silent = {
            worker for worker, (_, since_s) in self._heard.items() if now_s - since_s >= _SILENT_S
        }
        return sorted(self.silent - before)


def _why(sent: _Sent) -> str:
    if not sent.answer.cancelled() and isinstance(error := sent.answer.exception(), UserError):
        return error.sentence
    return "Its worker died"


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
