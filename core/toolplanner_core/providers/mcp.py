"""Calls tools of MCP servers: sessions are opened at the first call and kept for the run.

A server that has ended is started again at the next call. Before a call the tool is compared with
what was imported: if its server describes it otherwise today, it is not called. Found by the
registry of providers.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.mcp_servers.connection import START_S, Connection
from toolplanner_core.mcp_servers.consent import is_allowed
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.secrets import missing_secrets, secrets_of
from toolplanner_core.mcp_servers.spec import ServerSpec, spec_of, tool_of
from toolplanner_core.options.option import option
from toolplanner_core.providers.failure_words import class_of_words
from toolplanner_core.providers.mcp_results import raw_of
from toolplanner_core.providers.provider import CallLimits, Provider, ProviderPlugin, not_sent
from toolplanner_core.sources.identity import doc_hash
from toolplanner_core.sources.mcp_tools import ToolPlace, documented
from toolplanner_core.workspace import Workspace

ORIGIN = "mcp"
_TOLD = 1_000
_MOST_STEPS = 100
"""Of a call's progress, for its reply; a server may tell of a million."""
_MAY_LACK_KEYS = frozenset({ErrorClass.NETWORK, ErrorClass.UNAUTHORISED, ErrorClass.SERVER_ERROR})


@dataclass(frozen=True, slots=True, kw_only=True)
class McpProviderOptions:
    """Options of the provider."""

    start_s: float = option(START_S, "Seconds for a server to be ready.", minimum=0.1, maximum=3600)


class McpProvider(Provider):
    """Calls tools of MCP servers."""

    def __init__(self, options: McpProviderOptions) -> None:
        self._options = options
        self._sessions: dict[str, asyncio.Task[Connection]] = {}

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        """What the tool gives back, or why it does not."""
        spec = spec_of(api.operation, api.tool)
        if spec is None or api.operation is None:
            return not_sent(ErrorClass.UNKNOWN_API, "it is no tool of an MCP server")
        if not is_allowed(spec):
            return not_sent(
                ErrorClass.BLOCKED_BY_POLICY,
                f"nobody has allowed this server to be started or reached: {spec.in_words}."
                " Look at it when you import it again, and allow it there",
            )
        progress: deque[str] = deque(maxlen=_MOST_STEPS)

        def hear(done: float, total: float | None, message: str | None) -> None:
            progress.append(words := _progress(done, total, message)[:_TOLD])
            limits.tell(words)

        reached: bool | None = False
        try:
            session = await self._session(spec)
            if changed := await _change(session, api, spec, limits.timeout_s):
                return not_sent(ErrorClass.BLOCKED_BY_POLICY, changed)
            reached = None
            result = await session.call(
                tool_of(api.operation),
                arguments,
                timeout_s=limits.timeout_s,
                on_progress=hear,
            )
        except McpFailure as failure:
            error = failure.error
            if error in (ErrorClass.SERVER_ERROR, ErrorClass.INVALID_PARAMETER):
                error = class_of_words(failure.message) or error
            hint = missing_secrets(spec) if error in _MAY_LACK_KEYS else ""
            message = f"{failure.message}; {hint}" if hint else failure.message
            return RawResult(failure=error, message=message, reached=reached, origin=ORIGIN)
        headers = {"Progress": "; ".join(progress)[-_TOLD:]} if progress else {}
        return raw_of(result, origin=ORIGIN, max_bytes=limits.max_bytes, headers=headers)

    async def close(self) -> None:
        """End all sessions and the servers started for them."""
        tasks, self._sessions = [*self._sessions.values()], {}
        for task in tasks:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(each.close() for each in done if isinstance(each, Connection)))

    async def _session(self, spec: ServerSpec) -> Connection:
        """The open session with a server; calls that come while it starts wait for the one start.

        A start goes on when the call that began it is given up: the next one finds it ready.

        Raises:
            McpFailure: it cannot be started or reached.
        """
        task = self._sessions.get(spec.id)
        if task is not None and task.done():
            is_usable = not task.cancelled() and task.exception() is None and task.result().is_open
            if not is_usable:
                with contextlib.suppress(McpFailure, asyncio.CancelledError):
                    await task.result().close()
                task = None
        if task is None:
            task = asyncio.ensure_future(self._open(spec))
            self._sessions[spec.id] = task
        return await asyncio.shield(task)

    async def _open(self, spec: ServerSpec) -> Connection:
        session = Connection(spec, secrets_of(spec))
        await session.open(timeout_s=self._options.start_s)
        return session


async def _change(session: Connection, api: Api, spec: ServerSpec, timeout_s: float) -> str:
    """Why a tool is not what was imported any more, "" if it is."""
    assert api.operation is not None
    listing = await session.listing(timeout_s=timeout_s)
    name = tool_of(api.operation)
    tool = next((each for each in listing.tools if each.name == name), None)
    if tool is None:
        raise McpFailure(ErrorClass.NOT_FOUND, f"the server offers no tool {name!r} any more")
    place = ToolPlace(api.source, api.category, api.tool, listing.instructions)
    today = documented(tool, spec, place)
    if doc_hash(**today) == api.doc_hash:
        return ""
    words = {"tool_description": "instructions", "response_schema": "results", "operation": "hints"}
    fields = [words.get(key, key) for key, value in today.items() if value != getattr(api, key)]
    return (
        f"the server describes this tool otherwise than when it was imported"
        f" ({', '.join(fields)}). Import it again to see what has changed"
    )


def _progress(done: float, total: float | None, message: str | None) -> str:
    stands = f"{done:g}" if total is None else f"{done:g} of {total:g}"
    return f"{stands}: {message}" if message else stands


def _make(_workspace: Workspace, options: Any) -> McpProvider:
    return McpProvider(options)


PLUGIN = ProviderPlugin(
    id="mcp",
    title="MCP servers",
    description="Calls tools of servers of the Model Context Protocol, as they were imported.",
    touches_world=True,
    options=McpProviderOptions,
    make=_make,
)
