"""One call outside a run: what would be sent, what came back, and how it would be understood.

For a person at the console, who decides by pressing a button; no model and no plan is asked.
"""

import asyncio
import json
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import MADE_UP, Observation, RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.providers.classify import observe
from toolplanner_core.providers.http_request import (
    curl_text,
    http_call,
    request_text,
    with_key_placeholders,
)
from toolplanner_core.providers.provider import CallLimits, default_provider
from toolplanner_core.providers.routes import routes_of
from toolplanner_core.runs.config.call_routing import call_routing
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.runs.presentation.sections import Section, attached
from toolplanner_core.runs.stages.arguments import ArgumentCheck
from toolplanner_core.runs.stages.policy import CHANGED
from toolplanner_core.sources.recordings import canonical_arguments
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.import_changes import is_waiting
from toolplanner_core.workspace.recordings import Recording, store_recordings


@dataclass(frozen=True, slots=True, kw_only=True)
class ToSend:
    """What a call would send.

    Attributes:
        text: method, address, headers and body, or the arguments of what is not HTTP; keys by name.
        curl: the same as a command, "" if it is not HTTP.
        misfit: why it cannot be sent, "" if it can.
    """

    text: str
    curl: str = ""
    misfit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedCall:
    """What came of a call; secrets are blacked out.

    Attributes:
        provider: id of who executed it.
        text: status, headers that matter and body, as received.
        beside: pictures and texts of resources that came with it.
    """

    provider: str
    text: str
    observation: Observation
    elapsed_ms: float
    beside: Sequence[Section] = ()


def what_is_sent(workspace: Workspace, api: Api, arguments: Mapping[str, Any]) -> ToSend:
    """What a call with these arguments would send; reads a little of the workspace."""
    misfit = ArgumentCheck().check(api, arguments)
    said = CHANGED if is_waiting(workspace, api.id) else misfit.message if misfit else ""
    operation = api.operation
    if operation is None or not operation.is_http:
        text = json.dumps(dict(arguments), indent=2, ensure_ascii=False)
        where = "" if operation is None else f"{operation.servers[0]}{operation.path}\n\n"
        return ToSend(text=f"{where}{text}", misfit=said)
    base = next((r.base_url for r in routes_of(workspace) if r.source == api.source), "")
    try:
        call = http_call(operation, arguments, base=base)
    except BadInput as error:
        return ToSend(text="", misfit=said or error.sentence)
    call = with_key_placeholders(call, operation.security)
    return ToSend(text=request_text(call), curl=curl_text(call), misfit=said)


def keep_example(
    workspace: Workspace, api: Api, arguments: Mapping[str, Any], tried: TriedCall
) -> str:
    """Keep a call with its reply as a recorded call, which answers and explains the API later.

    Returns:
        Why it is not kept, "" if it is.
    """
    seen = tried.observation
    if not seen.ok:
        return "Only a call that worked is an example"
    if seen.origin in MADE_UP:
        return "Its reply was made up, so it is no example"
    asked = canonical_arguments(arguments)
    made = Recording(
        api_key=api.key,
        arguments=asked.text,
        names=asked.names,
        response=json.dumps(seen.value, ensure_ascii=False),
        error="",
        truncated=False,
    )
    return "" if store_recordings(workspace, [made]) else "This very call is an example already"


class CallTrial:
    """One call, to be made on a thread of its own; any thread may cancel it."""

    def __init__(
        self,
        workspace: Workspace,
        api: Api,
        arguments: Mapping[str, Any],
        *,
        limits: CallLimits | None = None,
    ) -> None:
        self._workspace, self._api, self._arguments = workspace, api, arguments
        self._limits = limits or CallLimits()
        self._lock = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self._is_cancelled = False

    def cancel(self) -> None:
        """Close the connection; `run` ends at once."""
        with self._lock:
            self._is_cancelled = True
            if self._running is not None:
                loop, task = self._running
                loop.call_soon_threadsafe(task.cancel)

    def run(self) -> TriedCall:
        """Make the call. Blocks.

        Raises:
            BadInput: the API's documentation has changed, and nobody has accepted that.
            UserError: the provider cannot work on this workspace.
        """
        if is_waiting(self._workspace, self._api.id):
            raise BadInput(CHANGED, todo="Look at what changed and accept it first")
        usual = default_provider(self._workspace)
        routes = {route.source: route.provider for route in routes_of(self._workspace)}
        name = routes.get(self._api.source, usual)
        served = call_routing(self._workspace, RunSpec(query="", provider=name)).usual
        began = time.monotonic()

        async def call() -> RawResult:
            task = asyncio.ensure_future(
                served.provider.call(self._api, self._arguments, self._limits)
            )
            with self._lock:
                self._running = asyncio.get_running_loop(), task
                if self._is_cancelled:
                    task.cancel()
            try:
                async with asyncio.timeout(self._limits.timeout_s):
                    return await task
            except asyncio.CancelledError:
                return _failed(ErrorClass.CANCELLED, "You cancelled it", name)
            except TimeoutError:
                return _failed(ErrorClass.TIMEOUT, "No reply in time", name)
            finally:
                with self._lock:
                    self._running = None
                await served.provider.close()

        raw = asyncio.run(call())
        redactor = Redactor()
        seen = observe(raw, self._api, arguments=self._arguments)
        return TriedCall(
            provider=name,
            text=redactor.text(_text_of(raw)),
            observation=Observation(
                ok=seen.ok,
                value=redactor.value(seen.value),
                error=seen.error,
                message=redactor.text(seen.message),
                origin=seen.origin,
            ),
            elapsed_ms=(time.monotonic() - began) * 1e3,
            beside=list(attached(redactor.value(raw.pictures), redactor.text(raw.body))),
        )


def _failed(error: ErrorClass, message: str, origin: str) -> RawResult:
    return RawResult(failure=error, message=message, origin=origin)


def _text_of(raw: RawResult) -> str:
    if raw.status is None:
        return raw.body
    lines = [str(raw.status), f"Content-Type: {raw.content_type}" if raw.content_type else ""]
    lines += [f"{name}: {value}" for name, value in raw.headers.items()]
    body = raw.body
    with suppress(ValueError, RecursionError):  # else it is shown as it came
        body = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    return "\n".join([*filter(None, lines), "", body])
