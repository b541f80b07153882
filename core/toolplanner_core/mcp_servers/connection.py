"""One open session with a server: what it offers, calls, how it ends.

The SDK's contexts must be left by the task that has entered them; calls come from the tasks of a
run. So a task enters, waits until the connection is closed, and leaves. Nothing of ours is offered
to a server: no model to sample from, no folders, no questions to the person.
"""

import asyncio
import contextlib
import importlib
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.mcp_servers.failures import McpFailure, failure_of
from toolplanner_core.mcp_servers.http_transport import HttpTransport
from toolplanner_core.mcp_servers.listing import ServerListing, list_all
from toolplanner_core.mcp_servers.server_spec import ServerSpec
from toolplanner_core.mcp_servers.session import session_over
from toolplanner_core.mcp_servers.stdio_transport import StdioTransport

if TYPE_CHECKING:
    from mcp.client import ClientSession
    from mcp_types import CallToolResult

T = TypeVar("T")
START_S = 60.0
"""For a server to be ready: the first start of one may fetch it (npx, uvx)."""
_LEAVES_S = 2.0
"""For a server to take leave; then what was started for it is killed."""
_CHANGED = "notifications/tools/list_changed"
_REFUSALS = frozenset({ErrorClass.NOT_FOUND, ErrorClass.INVALID_PARAMETER, ErrorClass.SERVER_ERROR})
"""Answers to the handshake of a server that may speak the other way."""

OnProgress = Callable[[float, float | None, str | None], None]
"""Gets how much is done, of how much, and what the server says of it."""


class Connection:
    """A session with a server, from `open` to `close`.

    A server over HTTP that has forgotten the session gets a new one, once for each request.

    Args:
        secrets: values of `spec.secrets`, by name.
    """

    def __init__(self, spec: ServerSpec, secrets: Mapping[str, str]) -> None:
        self.spec = spec
        self._secrets = secrets
        self._transport: StdioTransport | HttpTransport | None = None
        self._session: ClientSession | None = None
        self._task: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._renewing = asyncio.Lock()
        self._listing: ServerListing | None = None
        self._n_changes = 0
        self._is_lost = False

    @property
    def is_open(self) -> bool:
        """Whether calls can be sent; a server that has ended, or has forgotten us, is noticed."""
        is_over = self._transport is not None and self._transport.is_over
        return self._session is not None and not is_over and not self._is_lost

    async def open(self, *, timeout_s: float = START_S) -> None:
        """Start or reach the server and agree on a version.

        By the handshake, which nearly all servers speak and before which older ones want to hear
        nothing; where that is refused, by asking what the server can do (2026-07-28).

        Raises:
            McpFailure: it cannot be; nothing of it is left.
        """
        # The SDK takes a second to load, in which nothing else of this loop may wait.
        await asyncio.to_thread(importlib.import_module, "mcp")
        try:
            async with asyncio.timeout(timeout_s):
                try:
                    await self._start(by_handshake=True)
                except McpFailure as refusal:
                    if refusal.error not in _REFUSALS:
                        raise
                    await self._start_otherwise(refusal)
        except TimeoutError:
            said = f" ({words})" if (words := self._last_words) else ""
            message = f"it was not ready within {timeout_s:g} s{said}"
            raise McpFailure(ErrorClass.TIMEOUT, message) from None
        finally:
            if self._session is None:
                await self.close()

    async def listing(self, *, timeout_s: float, is_whole: bool = True) -> ServerListing:
        """What the server offers: asked for once, and again after it said that it has changed.

        Args:
            timeout_s: for each of its lists.
            is_whole: also its prompts and resources.

        Raises:
            McpFailure: it gives no list at all.
        """
        if self._listing is None:

            async def ask(session: "ClientSession") -> ServerListing:
                return await list_all(
                    session, timeout_s=timeout_s, as_failure=self._failure, is_whole=is_whole
                )

            n_changes = self._n_changes
            listing = await self._renewed(ask)
            if n_changes != self._n_changes:  # while it was told; once, for some always say so
                listing = await self._renewed(ask)
            if listing.failure is not None and not (listing.prompts or listing.resources):
                raise listing.failure
            self._listing = listing if listing.failure is None else None
            return listing
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

        async def report_progress(
            progress: float, total: float | None, message: str | None
        ) -> None:
            if on_progress is not None:
                on_progress(progress, total, message)

        async def send(session: "ClientSession") -> Any:
            return await session.call_tool(
                tool,
                dict(arguments),
                read_timeout_seconds=timeout_s,
                progress_callback=report_progress if on_progress else None,
                allow_input_required=True,
            )

        from mcp_types import CallToolResult

        result = await self._renewed(send)
        if not isinstance(result, CallToolResult):
            message = "the tool asks for something more, which nobody here can give"
            raise McpFailure(ErrorClass.SERVER_ERROR, message)
        return result

    async def _renewed(self, work: "Callable[[ClientSession], Awaitable[T]]") -> T:
        """Do something in the session; in a new one if the server has forgotten it."""
        session = self._opened()
        try:
            with self._failing():
                return await work(session)
        except McpFailure as failure:
            if not failure.is_forgotten:
                raise
            forgotten = failure
        async with self._renewing:
            if self._session is session or self._session is None:
                await self.close()
                self._leave = asyncio.Event()
                try:
                    await self.open()
                except McpFailure as failure:
                    message = f"{forgotten.message}, and begins no new one: {failure.message}"
                    raise McpFailure(ErrorClass.NETWORK, message) from failure
        with self._failing():
            return await work(self._opened())

    async def close(self) -> None:
        """End the session and what was started for it; again does nothing."""
        task, self._task = self._task, None
        self._leave.set()
        if task is None:
            return
        try:
            if self._session is not None:
                await asyncio.wait([task], timeout=_LEAVES_S)
        finally:
            task.cancel()
        await asyncio.wait([task])
        self._session = None

    async def _start(self, *, by_handshake: bool) -> None:
        ready = asyncio.get_running_loop().create_future()
        self._task = asyncio.ensure_future(self._hold(by_handshake, ready))
        await ready

    async def _start_otherwise(self, refusal: McpFailure) -> None:
        try:
            await self._start(by_handshake=False)
        except McpFailure as failure:
            raise (refusal if failure.error in _REFUSALS else failure) from failure

    async def _hold(self, by_handshake: bool, ready: asyncio.Future[None]) -> None:
        leave = self._leave
        try:
            reach = HttpTransport if self.spec.url else StdioTransport
            self._transport = reach(self.spec, self._secrets)
            async with session_over(
                self._transport, by_handshake=by_handshake, on_message=self._on_message
            ) as session:
                self._session, self._is_lost = session, False
                ready.set_result(None)
                await leave.wait()
                self._session = None
        except BaseException as error:
            self._session = None
            if not ready.done():
                ready.set_exception(self._failure(error))
            if isinstance(error, asyncio.CancelledError | KeyboardInterrupt | SystemExit):
                raise

    async def _on_message(self, message: Any) -> None:
        if getattr(message, "method", "") == _CHANGED:
            self._n_changes += 1
            self._listing = None

    def _opened(self) -> "ClientSession":
        if self._session is None or not self.is_open:
            said = f" ({words})" if (words := self._last_words) else ""
            raise McpFailure(ErrorClass.NETWORK, f"the server has ended{said}")
        return self._session

    @contextlib.contextmanager
    def _failing(self) -> Any:
        try:
            yield
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: BaseException) -> McpFailure:
        failure = failure_of(error, self._last_words)
        self._is_lost |= failure.error is ErrorClass.NETWORK and not failure.is_forgotten
        return failure

    @property
    def _last_words(self) -> str:
        return self._transport.last_words if self._transport else ""
