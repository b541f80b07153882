"""Clients over streams of lines: those of `toolplanner serve`, which hands on what its client says.

One comes from the same process, where nobody else serves; any number of them come from others where
a window is the hub of the workspace. Whoever connects says the token of the hub first, and how it
wants to be served, before anything else is read.

Source: design/gateway.md section 12.
"""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncGenerator, Callable
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, cast

from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.errors import UserError
from toolplanner_core.serving.faces.client_sessions import MOST_SESSIONS, ClientSessions
from toolplanner_core.serving.faces.http import loopback_socket
from toolplanner_core.serving.faces.protocol import protocol_server
from toolplanner_core.serving.faces.stdio import LARGEST_MESSAGE
from toolplanner_core.serving.hub import enter_hub, leave_hub
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.tools import ServedTools
from toolplanner_core.workspace import Workspace

if TYPE_CHECKING:
    from toolplanner_core.serving.session import ServingSession

_HELLO_S = 5.0
"""For whoever connects to say who it is."""
_STOP_S = 1.0
"""For calls that go on to be answered when the hub ends."""
Served = tuple[ServedTools, "Callable[[str], ServingSession]"]
"""The tools of a profile, and what begins a session of a client by its name."""


async def serve_stream(
    tools: ServedTools, new_session: "Callable[[str], ServingSession]", joined: socket.socket
) -> None:
    """Serve the client at the other end of a socket until it leaves; its run has ended then."""
    reader, writer = await asyncio.open_connection(sock=joined, limit=LARGEST_MESSAGE)
    await _Client((tools, new_session), reader, writer).serve(joins_at_list=False)


class HubServer:
    """Serves the clients that other processes hand on, on one event loop.

    Args:
        served: what a profile serves, made for the first client that wants it. Blocks; raises
            `UserError` if that cannot be served.
    """

    def __init__(self, served: Callable[[ServingProfile], Served]) -> None:
        self._make, self._served = served, dict[ServingProfile, Served]()
        self._clients: set[_Client] = set()
        self._connected = 0
        self._token = b""

    @contextlib.asynccontextmanager
    async def open(self, workspace: Workspace) -> AsyncGenerator[None]:
        """Be the hub of a workspace while this goes on, unless another process is."""
        with loopback_socket(0) as listener:
            port = int(listener.getsockname()[1])
            hub = await asyncio.to_thread(enter_hub, workspace.path, port=port)
            if hub is None:
                yield
                return
            self._token = hub.token.encode()
            server = await asyncio.start_server(self._connect, sock=listener, limit=LARGEST_MESSAGE)
            try:
                yield
            finally:
                # First: those who are let go shall not come back.
                await asyncio.to_thread(leave_hub, workspace.path, hub)
                server.close()
                await asyncio.gather(*(client.end() for client in list(self._clients)))

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connected += 1
        try:
            client = await self._welcomed(reader, writer)
            if client is not None:
                self._clients.add(client)
                try:
                    await client.serve(joins_at_list=True)
                finally:
                    self._clients.discard(client)
        finally:
            self._connected -= 1
            writer.close()

    async def _welcomed(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> "_Client | None":
        """Whoever connects, if it has the token and can be served as it wants; else it serves its
        client itself, and says what is wrong."""
        if self._connected > MOST_SESSIONS:
            return None
        try:
            async with asyncio.timeout(_HELLO_S):
                hello: Any = json.loads(await reader.readline())
            if not compare_digest(str(hello["token"]).encode(), self._token):
                return None
            served = await self._serving(from_plain(ServingProfile, hello["profile"]))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, UserError):
            return None
        writer.write(b'{"serves": true}\n')
        return _Client(served, reader, writer)

    async def _serving(self, profile: ServingProfile) -> Served:
        if (served := self._served.get(profile)) is None:
            served = self._served[profile] = await asyncio.to_thread(self._make, profile)
        return served


class _Client:
    """A client at the other end of a stream; a file of lines, as the SDK's transport wants one."""

    def __init__(
        self, served: Served, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._tools, new_session = served
        self._sessions = ClientSessions(new_session)
        self._reader, self._writer = reader, writer
        self._open: set[str | int] = set()
        """The requests that have no reply yet."""
        self._answered, self._has_ended = asyncio.Event(), asyncio.Event()
        self._answered.set()

    async def serve(self, *, joins_at_list: bool) -> None:
        """Serve it until it leaves; its run has ended then."""
        from mcp.server.stdio import stdio_server

        server = protocol_server(self._tools, self._sessions.of, joins_at_list=joins_at_list)
        lines = cast("Any", self)
        try:
            async with stdio_server(stdin=lines, stdout=lines) as (read, write):
                await server.run(read, write, server.create_initialization_options())
        finally:
            await self._sessions.close()
            self._writer.close()
            self._has_ended.set()

    async def end(self) -> None:
        """Tell it what came of its calls, those that wait are not made; then let it go."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                await asyncio.shield(self._sessions.close())
                await self._answered.wait()
        with contextlib.suppress(OSError):  # it has left
            self._writer.get_extra_info("socket").shutdown(socket.SHUT_RD)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._has_ended.wait(), _STOP_S)

    def __aiter__(self) -> "_Client":
        return self

    async def __anext__(self) -> str:
        try:
            line = await self._reader.readline()
        except (OSError, ValueError):  # torn, or longer than a message may be
            line = b""
        if not line:
            raise StopAsyncIteration
        text = line.decode(errors="replace")
        is_request, number = _request_of(text)
        if is_request and number is not None:
            self._open.add(number)
            self._answered.clear()
        return text

    async def write(self, text: str) -> None:
        """Let it hear a message."""
        is_request, number = _request_of(text)
        if not is_request and number is not None:
            self._open.discard(number)
        self._writer.write(text.encode())
        if not self._open:
            self._answered.set()

    async def flush(self) -> None:
        """Wait until there is room for the next one."""
        with contextlib.suppress(OSError):  # it has left
            await self._writer.drain()


def _request_of(text: str) -> tuple[bool, str | int | None]:
    """Whether a message asks for something, and the number of what it asks or answers."""
    try:
        message = json.loads(text)
        return "method" in message, message.get("id")
    except (ValueError, TypeError, AttributeError):
        return False, None
