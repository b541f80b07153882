"""The gateway over streamable HTTP, on this machine only, for many clients at once.

A client of 2025 has a session of the protocol, one of 2026 says in each request who it is; either
way each client has a run of its own. What comes in has passed the guard. Source: design/gateway.md
section 9.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any

from toolplanner_core.errors import BadInput
from toolplanner_core.serving.faces.client_sessions import QUIET_S, ClientSessions
from toolplanner_core.serving.faces.protocol import protocol_server
from toolplanner_core.serving.faces.stdio import LARGEST_MESSAGE, LOOPBACK
from toolplanner_core.serving.guard import REQUESTS_A_SECOND, AsgiApp, Guard
from toolplanner_core.serving.tools import ServedTools

if TYPE_CHECKING:
    from uvicorn import Server

    from toolplanner_core.serving.session import ServingSession

PATH = "/mcp"
MOST_LEFT = 2_000
"""Sessions of the protocol: most clients of 2025 leave without a word, and theirs stay until they
have been quiet for long. A script that asks an agent every second leaves 900."""
MOST_CONNECTIONS = 128
"""A client of 2025 holds two: one for what it asks, one for what it is told."""
_LOOK_S = 30.0
"""Between looks for clients that have left without a word."""
_FINISH_S = 5
"""For requests that go on when the process is told to end."""
_STOP_S = 1
"""The same when a person stops the gateway, and looks at it."""


def address_of(port: int) -> str:
    """What clients are told."""
    return f"http://{LOOPBACK}:{port}{PATH}"


def loopback_socket(port: int) -> socket.socket:
    """Listen on loopback; 0 = at a port that is free.

    Raises:
        BadInput: another program listens there.
    """
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise BadInput(
            f"Nothing can listen at port {port} of this machine",
            why=error.strerror or str(error),
            todo="End the program that does, or name another port",
        ) from error


async def serve_http(
    tools: ServedTools,
    new_session: "Callable[[str], ServingSession]",
    listener: socket.socket,
    *,
    token: str,
    ending: asyncio.Event | None = None,
    requests_a_second: float = REQUESTS_A_SECOND,
) -> None:
    """Serve clients that have the token until this process is told to end (SIGINT, SIGTERM).

    Where only reading is served no person is asked in the middle of a call: each reply is one JSON
    text. A stream of events for it takes a third more of the processor.

    Args:
        ending: set to end it; for threads, which hear of no signals.
    """
    from mcp.server.streamable_http_manager import (
        StreamableHTTPASGIApp,
        StreamableHTTPSessionManager,
    )
    from starlette.applications import Starlette
    from starlette.routing import Route

    sessions = ClientSessions(new_session)
    manager = StreamableHTTPSessionManager(
        app=protocol_server(tools, sessions.of, joins_at_list=True),
        session_idle_timeout=QUIET_S,
        json_response=not tools.may_ask,
        max_request_body_size=LARGEST_MESSAGE,
        max_sessions=MOST_LEFT,
    )

    @contextlib.asynccontextmanager
    async def living(_: Starlette) -> AsyncGenerator[None]:
        # Ends before the signal is passed on, which may end the process.
        watching = asyncio.ensure_future(_end_quiet_sessions(sessions))
        try:
            async with manager.run():
                yield
        finally:
            watching.cancel()
            await sessions.close()

    protocol = _Leaving(StreamableHTTPASGIApp(manager), sessions)
    app = Starlette(routes=[Route(PATH, endpoint=protocol)], lifespan=living)
    guard = Guard(
        app, token=token, port=listener.getsockname()[1], requests_a_second=requests_a_second
    )
    server = _server(guard, finish_s=_FINISH_S if ending is None else _STOP_S)
    waiting = None if ending is None else asyncio.ensure_future(_end_at(ending, server, sessions))
    try:
        await server.serve(sockets=[listener])
    finally:
        if waiting is not None:
            waiting.cancel()


class _Leaving:
    """Hears of clients of 2025 that leave with a word: they delete their session."""

    def __init__(self, protocol: AsgiApp, sessions: ClientSessions) -> None:
        self._protocol, self._sessions = protocol, sessions

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._protocol(scope, receive, send)
        if scope["method"] == "DELETE":
            given = dict(scope["headers"]).get(b"mcp-session-id", b"")
            await self._sessions.leave(given.decode("latin-1"))


def _server(guard: Guard, *, finish_s: int) -> "Server":
    """What listens; when it is stopped, requests that go on have `finish_s` to end."""
    from uvicorn import Config, Server

    config = Config(
        guard,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=finish_s,
    )
    return Server(config)


async def _end_at(ending: asyncio.Event, server: "Server", sessions: ClientSessions) -> None:
    """Tell agents whose calls wait that these are not made; then end, whatever goes on."""
    await ending.wait()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.shield(sessions.close()), _STOP_S)
    server.should_exit = True


async def _end_quiet_sessions(sessions: ClientSessions) -> None:
    while True:
        await asyncio.sleep(_LOOK_S)
        await sessions.close_quiet()
