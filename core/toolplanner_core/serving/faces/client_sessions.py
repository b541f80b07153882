"""The sessions of clients, told apart by who they say they are."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from toolplanner_core.serving.faces.protocol import client_of

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from toolplanner_core.serving.session import ServingSession

MOST_SESSIONS = 64
"""Clients at once; of more, the one that has been quiet longest begins another run."""
QUIET_S = 15 * 60.0
"""A client that asks for nothing so long has left, as far as anybody can tell."""


class _Client(NamedTuple):
    """Whom a request is from: who it says it is, and its session of the protocol, if it has one."""

    name: str
    session: str


class ClientSessions:
    """The sessions of all clients, on one event loop."""

    def __init__(self, new_session: "Callable[[str], ServingSession]") -> None:
        self._new_session = new_session
        self._sessions: dict[_Client, ServingSession] = {}

    async def of(self, context: "ServerRequestContext[Any, Any]") -> "ServingSession":
        """The session of whoever asks."""
        headers = getattr(context.request, "headers", {})
        client = _Client(client_of(context), headers.get("mcp-session-id", ""))
        session = self._sessions.get(client)
        if session is None:
            if len(self._sessions) >= MOST_SESSIONS:
                quietest = max(self._sessions, key=lambda each: self._sessions[each].quiet_s)
                await self._close([quietest])
            session = self._sessions.setdefault(client, self._new_session(client.name))
            if session.watcher is not None:
                session.watcher.joined(session)
        session.ask()
        return session

    async def leave(self, protocol_session: str) -> None:
        """End the run of the client that ends its session of the protocol: it says that it goes."""
        left = [client for client in self._sessions if client.session == protocol_session]
        await self._close(left if protocol_session else [])

    async def close_quiet(self) -> None:
        """End the runs of clients that have left, as far as anybody can tell."""
        left = [client for client, each in self._sessions.items() if each.quiet_s >= QUIET_S]
        await self._close(left)

    async def close(self) -> None:
        """End all runs."""
        await self._close(list(self._sessions))

    async def _close(self, clients: list[_Client]) -> None:
        for session in [self._sessions.pop(client) for client in clients]:
            await session.close()
            if session.watcher is not None:
                session.watcher.left(session)
