"""Calls of functions in worker processes: never in ours, never longer than allowed.

A worker is kept for the next call; one that did not answer in time, or whose call was given up, is
killed. It does not see variables that look like keys: what a package needs, it is given.
"""

import asyncio
import inspect
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from toolplanner_core.errors import Cancelled
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import Worker
from toolplanner_core.mcp_servers.server_spec import is_secret
from toolplanner_core.python_functions.function_schemas import (
    DescribedPackage,
    describe_package,
    functions_in,
)


class FunctionResult(NamedTuple):
    """What came of a call.

    Attributes:
        body: the result as JSON.
        raised: names of the exception's class and of those above it, nearest first; () = none.
        message: what the exception said.
        is_misfit: the arguments did not fit, and the function was not entered.
    """

    body: str
    raised: tuple[str, ...] = ()
    message: str = ""
    is_misfit: bool = False


def call_function(value: str, name: str, arguments: dict[str, Any]) -> FunctionResult:
    """Load what an entry point names and call one of its functions.

    A function that fails is a result; what the package raises when it is loaded comes through.
    """
    from pydantic import TypeAdapter, ValidationError, validate_call

    _, functions = functions_in(value)
    function = functions.get(name)
    if function is None:
        return FunctionResult("", ("LookupError",), f"the package offers no function {name!r} now")
    entered = False

    def enter(*args: Any, **kwargs: Any) -> Any:
        nonlocal entered
        entered = True
        result = function(*args, **kwargs)
        return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result

    enter.__signature__ = inspect.signature(function, eval_str=True)  # pyright: ignore
    enter.__annotations__ = inspect.get_annotations(function, eval_str=True)
    enter.__name__ = enter.__qualname__ = name
    try:
        result = validate_call(enter)(**arguments)
        body = TypeAdapter(Any).dump_json(result, fallback=str).decode()
    except ValidationError as error:
        if entered:
            return _raised(error)
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        return FunctionResult("", ("ValidationError",), f"{where}: {first['msg']}", is_misfit=True)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever foreign code does
        return _raised(error)
    return FunctionResult(body)


async def _awaited(result: Any) -> Any:
    return await result


def _raised(error: BaseException) -> FunctionResult:
    names = tuple(kind.__name__ for kind in type(error).__mro__ if issubclass(kind, BaseException))
    return FunctionResult("", names, str(error)[:2_000])


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
    ) -> FunctionResult:
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
) -> FunctionResult:
    _hide_keys()
    return call_function(value, name, arguments)


def _hide_keys() -> None:
    for name, text in list(os.environ.items()):
        if is_secret(name, text):
            with suppress(KeyError):
                del os.environ[name]
