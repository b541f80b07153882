"""Tells clients that the list of tools has changed, whoever edits: here, in the window, in another
process.

A client of 2025 is told in its session, one of 2026 where it listens to that. Only a list that
really is another one is announced.

Source: design/gateway.md section 7.
"""

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from toolplanner_core.errors import UserError
from toolplanner_core.serving.faces.asking import is_modern
from toolplanner_core.serving.tool_list import PORTABLE, ListedTool, ToolList

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.server.session import ServerSession

LOOK_S = 0.5
"""Between looks at what the list depends on; one takes some microseconds."""
APART_S = 2.0
"""Between two announcements: many edits are made one after the other."""
MOST_TOLD = 64
"""Clients that are told, those of late."""


class ListChanges:
    """The announcements of one gateway, on one event loop."""

    def __init__(self, tools: ToolList) -> None:
        from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler

        self._tools = tools
        self._bus = InMemorySubscriptionBus()
        self._listening = ListenHandler(self._bus, max_subscriptions=MOST_TOLD)
        self._sessions: dict[str, ServerSession] = {}

    async def listen(
        self,
        context: "ServerRequestContext[Any, Any]",
        params: "types.SubscriptionsListenRequestParams",
    ) -> "types.SubscriptionsListenResult":
        """A client of 2026 listens until it leaves."""
        return await self._listening(context, params)

    def was_listed(self, context: "ServerRequestContext[Any, Any]") -> None:
        """A client knows the list: one of 2025 is told from now on when it is another one."""
        if is_modern(context):
            return
        key = getattr(context.request, "headers", {}).get("mcp-session-id", "")
        self._sessions.pop(key, None)
        self._sessions[key] = context.session
        while len(self._sessions) > MOST_TOLD:
            del self._sessions[next(iter(self._sessions))]

    @contextlib.asynccontextmanager
    async def watched(self, _: "Server[None]") -> AsyncGenerator[None]:
        """While this goes on, clients are told; what counts is what has changed since its begin."""
        watching = asyncio.ensure_future(self._watch(await self._look()))
        try:
            yield
        finally:
            watching.cancel()
            self._listening.close()

    async def _watch(self, told: str) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                found = await self._look()
            except UserError:  # the file is not there this moment: calls say so
                continue
            if found != told:
                told = found
                await self._announce()
                await asyncio.sleep(APART_S)

    async def _look(self) -> str:
        return _digest(await asyncio.to_thread(self._tools.listed))

    async def _announce(self) -> None:
        from mcp.server.subscriptions import ToolsListChanged

        for session in list(self._sessions.values()):
            await session.send_tool_list_changed()
        await self._bus.publish(ToolsListChanged())


def _digest(listed: list[ListedTool]) -> str:
    rows = [(PORTABLE.write(each.tool), each.risk, each.is_repeatable) for each in listed]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()
