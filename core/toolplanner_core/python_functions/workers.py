"""Processes in which the code of packages runs: never in ours, never longer than allowed.

A worker is kept for the next call; one that did not answer in time, or whose call was given up, is
killed. It does not see variables that look like keys: what a package needs, it is given.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from toolplanner_core.errors import Cancelled
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import Worker
from toolplanner_core.mcp_servers.spec import is_secret
from toolplanner_core.python_functions.calling import CalledFunction, call_function
from toolplanner_core.python_functions.describing import DescribedPackage, describe_package

T = TypeVar("T")

LOAD_S = 30.0
"""For a package to be loaded and described."""


class FunctionWorkers:
    """The workers of one package; any thread may ask, each call has a worker to itself.

    Args:
        value: of its entry point.
    """

    def __init__(self, value: str) -> None:
        self._value = value
        self._idle: list[Worker] = []
        self._lock = threading.Lock()
        self._is_closed = False

    def describe(self, *, timeout_s: float = LOAD_S) -> DescribedPackage:
        """What the package offers. Blocks.

        Raises:
            TimeoutError: it is not loaded in time.
            WorkerDied: its code ended the process.
            Exception: whatever it raises when it is loaded.
        """
        return self._ask(_describe, self._value, within=Progress(), timeout_s=timeout_s)

    def call(
        self, name: str, arguments: dict[str, Any], *, within: Progress, timeout_s: float
    ) -> CalledFunction:
        """Call one of its functions. Blocks; cancelling `within` kills the worker.

        Raises:
            TimeoutError, Cancelled, WorkerDied: there is no result.
            Exception: whatever the package raises when it is loaded.
        """
        return self._ask(_call, self._value, name, arguments, within=within, timeout_s=timeout_s)

    def close(self) -> None:
        """Kill all that wait; those that work are killed when their call ends."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()

    def _ask(self, function: Callable[..., T], *args: Any, within: Progress, timeout_s: float) -> T:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        worker = worker or Worker("function")
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            within.cancel()

        clock = threading.Timer(timeout_s, end)
        clock.daemon = True
        clock.start()
        try:
            answer = worker.call(function, *args, progress=within)
        except Cancelled:
            if is_late.is_set():
                raise TimeoutError(f"no result within {timeout_s:g} s") from None
            raise
        except BaseException:
            worker.close()
            raise
        finally:
            clock.cancel()
        with self._lock:
            if not self._is_closed:
                self._idle.append(worker)
                return answer
        worker.close()
        return answer


def _describe(value: str, *, report: Report) -> DescribedPackage:  # noqa: ARG001 - of workers
    _hide_keys()
    return describe_package(value)


def _call(
    value: str,
    name: str,
    arguments: dict[str, Any],
    *,
    report: Report,  # noqa: ARG001 - of workers
) -> CalledFunction:
    _hide_keys()
    return call_function(value, name, arguments)


def _hide_keys() -> None:
    for name, text in list(os.environ.items()):
        if is_secret(name, text):
            with suppress(KeyError):
                del os.environ[name]
