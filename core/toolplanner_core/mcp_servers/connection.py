"""One open session with a server, held by a task of its own.

The SDK's contexts must be left by the task that has entered them; calls come from the tasks of a
run. So a task enters, waits until the connection is closed, and leaves. Nothing of ours is offered
to a server: no model to sample from, no folders, no questions to the person.
"""

import asyncio
import contextlib
import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.mcp_servers.failures import McpFailure, failure_of
from toolplanner_core.mcp_servers.listing import ServerListing, list_all
from toolplanner_core.mcp_servers.spec import ServerSpec
from toolplanner_core.mcp_servers.starting import ServerProcess
from toolplanner_core.mcp_servers.web import WebServer

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult

START_S = 60.0
"""For a server to be ready: the first start of one may fetch it (npx, uvx)."""
_LEAVES_S = 2.0
"""For a server to take leave; then what was started for it is killed."""
_CHANGED = "notifications/tools/list_changed"
_MODES = ("legacy", "auto")
"""How versions are agreed on: the handshake, which nearly all servers speak and to which older ones
want to hear nothing before; else by asking what the server can do (2026-07-28)."""

_REFUSALS = frozenset({ErrorClass.NOT_FOUND, ErrorClass.INVALID_PARAMETER, ErrorClass.SERVER_ERROR})
"""Answers to the handshake of a server that may speak the other way."""

OnProgress = Callable[[float, float | None, str | None], None]
"""Gets how much is done, of how much, and what the server says of it."""


class Connection:
    """A session with a server, from `open` to `close`.

    Args:
        secrets: values of `spec.secrets`, by name.
    """

    def __init__(self, spec: ServerSpec, secrets: Mapping[str, str]) -> None:
        self.spec = spec
        self._secrets = secrets
        self._transport: ServerProcess | WebServer | None = None
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._listing: ServerListing | None = None
        self._is_lost = False

    @property
    def is_open(self) -> bool:
        """Whether calls can be sent; a server that has ended, or has forgotten us, is noticed."""
        is_over = self._transport is not None and self._transport.is_over
        return self._client is not None and not is_over and not self._is_lost

    async def open(self, *, timeout_s: float = START_S) -> None:
        """Start or reach the server and agree on a version.

        Raises:
            McpFailure: it cannot be; nothing of it is left.
        """
        # The SDK takes a second to load, in which nothing else of this loop may wait.
        await asyncio.to_thread(importlib.import_module, "mcp")
        try:
            async with asyncio.timeout(timeout_s):
                for mode in _MODES:
                    ready = asyncio.get_running_loop().create_future()
                    self._task = asyncio.ensure_future(self._hold(mode, ready))
                    try:
                        await ready
                        return
                    except McpFailure as failure:
                        if mode == _MODES[-1] or failure.error not in _REFUSALS:
                            raise
        except TimeoutError:
            said = f" ({words})" if (words := self._last_words) else ""
            message = f"it was not ready within {timeout_s:g} s{said}"
            raise McpFailure(ErrorClass.TIMEOUT, message) from None
        finally:
            if self._client is None:
                await self.close()

    async def listing(self, *, timeout_s: float) -> ServerListing:
        """What the server offers: asked for once, and again after it said that it has changed.

        Raises:
            McpFailure: it does not tell.
        """
        if self._listing is None:
            client = self._opened()
            with self._telling():
                async with asyncio.timeout(timeout_s):
                    listing = await list_all(client)
            self._listing = listing
        return self._listing

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        timeout_s: float,
        on_progress: OnProgress | None = None,
    ) -> "CallToolResult":
        """Call a tool; if the caller is cancelled, the server is told to stop.

        Raises:
            McpFailure: there is no result.
        """
        client = self._opened()

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            if on_progress is not None:
                on_progress(progress, total, message)

        with self._telling():
            return await client.call_tool(
                tool,
                dict(arguments),
                read_timeout_seconds=timeout_s,
                progress_callback=hear if on_progress else None,
            )

    async def close(self) -> None:
        """End the session and what was started for it; again does nothing."""
        task, self._task = self._task, None
        self._leave.set()
        if task is None:
            return
        try:
            if self._client is not None:
                await asyncio.wait([task], timeout=_LEAVES_S)
        finally:
            task.cancel()
        await asyncio.wait([task])
        self._client = None

    async def _hold(self, mode: str, ready: asyncio.Future[None]) -> None:
        from mcp import Client

        try:
            reach = WebServer if self.spec.url else ServerProcess
            self._transport = reach(self.spec, self._secrets)
            async with Client(
                self._transport, mode=mode, cache=None, message_handler=self._hear
            ) as client:
                self._client = client
                ready.set_result(None)
                await self._leave.wait()
                self._client = None
        except BaseException as error:
            self._client = None
            if not ready.done():
                ready.set_exception(self._failure(error))
            if isinstance(error, asyncio.CancelledError | KeyboardInterrupt | SystemExit):
                raise

    async def _hear(self, message: Any) -> None:
        if getattr(message, "method", "") == _CHANGED:
            self._listing = None

    def _opened(self) -> "Client":
        if self._client is None or not self.is_open:
            said = f" ({words})" if (words := self._last_words) else ""
            raise McpFailure(ErrorClass.NETWORK, f"the server has ended{said}")
        return self._client

    @contextlib.contextmanager
    def _telling(self) -> Any:
        try:
            yield
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: BaseException) -> McpFailure:
        refusal = self._transport.refusal if isinstance(self._transport, WebServer) else None
        failure = refusal or failure_of(error, self._last_words)
        self._is_lost |= failure.error is ErrorClass.NETWORK
        return failure

    @property
    def _last_words(self) -> str:
        return self._transport.last_words if self._transport else ""
