"""Calls functions of installed packages, in worker processes, once a person has allowed that.

Before the first call a package is asked to describe itself again: a function that is documented
otherwise than when it was imported is not called. Found by the registry of providers.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.errors import Cancelled, WorkerDied
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.mcp_servers.consent import is_allowed
from toolplanner_core.options.option import option
from toolplanner_core.providers.error_classes import class_of_exception
from toolplanner_core.providers.provider import CallLimits, Provider, ProviderPlugin, not_sent
from toolplanner_core.python_functions.function_schemas import DescribedPackage
from toolplanner_core.python_functions.packages import (
    METHOD,
    FunctionPackage,
    function_of,
    package_of,
)
from toolplanner_core.python_functions.workers import LOAD_S, FunctionResult, FunctionWorkers
from toolplanner_core.sources.identity import doc_hash
from toolplanner_core.sources.python import documented_function
from toolplanner_core.workspace import Workspace

ORIGIN = "python"


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonProviderOptions:
    """Options of the provider."""

    load_s: float = option(LOAD_S, "Seconds for a package to be loaded.", minimum=0.1, maximum=3600)


class PythonProvider(Provider):
    """Calls functions."""

    def __init__(self, options: PythonProviderOptions) -> None:
        self._options = options
        self._workers: dict[str, FunctionWorkers] = {}
        self._described: dict[str, DescribedPackage] = {}

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        """What the function returns, or why it does not."""
        if api.operation is None or api.operation.method != METHOD:
            return not_sent(ErrorClass.UNKNOWN_API, "it is no function of a package")
        package = package_of(api.operation)
        if package is None:
            where = api.operation.servers[0]
            return not_sent(ErrorClass.NOT_FOUND, f"the package of {where} is not installed here")
        if not is_allowed(package):
            why = f"nobody has allowed this code to run: {package.in_words}. Import it again"
            return not_sent(ErrorClass.BLOCKED_BY_POLICY, why)
        workers = self._workers.setdefault(package.id, FunctionWorkers(package.value))
        within, reached = Progress(), False
        try:
            if changed := await self._change(workers, api, package):
                return not_sent(ErrorClass.BLOCKED_BY_POLICY, changed)
            reached = True
            called = await asyncio.to_thread(
                workers.call,
                function_of(api.operation),
                dict(arguments),
                within=within,
                timeout_s=limits.timeout_s,
            )
        except TimeoutError as error:
            return _failed(ErrorClass.TIMEOUT, str(error), reached=reached)
        except Cancelled:
            return _failed(ErrorClass.CANCELLED, "the call was stopped", reached=reached)
        except WorkerDied as error:
            return _failed(ErrorClass.SERVER_ERROR, error.sentence, reached=reached)
        except Exception as error:  # noqa: BLE001 - whatever foreign code does when it is loaded
            why = f"the package cannot be loaded: {type(error).__name__}: {str(error)[:500]}"
            return _failed(ErrorClass.SERVER_ERROR, why, reached=reached)
        finally:
            within.cancel()
        return _result(called, limits)

    async def close(self) -> None:
        """End the workers."""
        closing, self._workers = [*self._workers.values()], {}
        for workers in closing:
            await asyncio.to_thread(workers.close)

    async def _change(self, workers: FunctionWorkers, api: Api, package: FunctionPackage) -> str:
        """Why a function is not what was imported any more, "" if it is."""
        described = self._described.get(package.id)
        if described is None:
            described = await asyncio.to_thread(workers.describe, timeout_s=self._options.load_s)
            self._described[package.id] = described
        assert api.operation is not None
        name = function_of(api.operation)
        function = next((each for each in described.functions if each.name == name), None)
        if function is None:
            return f"the package offers no function {name!r} any more"
        today = documented_function(function, described, package)
        if doc_hash(tool=api.tool, name=api.name, **today) == api.doc_hash:
            return ""
        fields = [key for key, value in today.items() if value != getattr(api, key)]
        return (
            "the package describes this function otherwise than when it was imported"
            f" ({', '.join(fields)}). Import it again to see what has changed"
        )


def _result(called: FunctionResult, limits: CallLimits) -> RawResult:
    if called.is_misfit:
        return not_sent(ErrorClass.INVALID_PARAMETER, called.message)
    if called.raised:
        said = f"{called.raised[0]}: {called.message}" if called.message else called.raised[0]
        return _failed(class_of_exception(called.raised, called.message), said)
    if len(called.body.encode()) > limits.max_bytes:
        why = f"the result is larger than {limits.max_bytes:,} bytes"
        return _failed(ErrorClass.BAD_PAYLOAD, why)
    return RawResult(status=200, body=called.body, origin=ORIGIN)


def _failed(error: ErrorClass, message: str, *, reached: bool | None = None) -> RawResult:
    return RawResult(failure=error, message=message, reached=reached, origin=ORIGIN)


def _make(_workspace: Workspace, options: Any) -> PythonProvider:
    return PythonProvider(options)


PLUGIN = ProviderPlugin(
    id="python",
    title="Python functions",
    description="Calls functions of installed packages, each in a process of its own.",
    touches_world=True,
    options=PythonProviderOptions,
    make=_make,
)
