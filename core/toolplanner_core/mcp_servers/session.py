"""A session of the SDK that takes what servers really send.

Results are mended before the SDK checks them (`results.py`), and the check of structured content
against a tool's schema is left to who reads the reply: the SDK would throw the reply away.
"""

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from toolplanner_core.mcp_servers.results import mended_result

if TYPE_CHECKING:
    from mcp.client import ClientSession
    from mcp.client._transport import TransportStreams

OnMessage = Callable[[Any], Awaitable[None]]


@contextlib.asynccontextmanager
async def session_over(
    transport: "contextlib.AbstractAsyncContextManager[TransportStreams]",
    *,
    by_handshake: bool,
    on_message: OnMessage,
) -> "AsyncGenerator[ClientSession]":
    """A session that is agreed on, for the block.

    Args:
        by_handshake: as all versions before 2026-07-28 agree; else by asking what the server can
            do.
        on_message: gets the notifications of the server.
    """
    session_class = _session_class()
    async with (
        transport as (incoming, outgoing),
        session_class(incoming, outgoing, on_message) as session,
    ):
        await (session.initialize() if by_handshake else session.discover())
        yield session


@cache
def _session_class() -> Any:
    # Made at first use: the SDK takes a second to load.
    from mcp.client import ClientSession
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
    from mcp_types import CallToolResult
    from mcp_types.methods import parse_server_result
    from mcp_types.version import LATEST_HANDSHAKE_VERSION
    from pydantic import ValidationError

    class Dispatcher(JSONRPCDispatcher[Any]):
        """Mends what comes back; `version` is the one that was agreed on."""

        version: Callable[[], str | None] = staticmethod(lambda: None)

        async def send_raw_request(
            self, method: str, params: Mapping[str, Any] | None, opts: Any = None, **more: Any
        ) -> dict[str, Any]:
            given = await super().send_raw_request(method, params, opts, **more)
            version = self.version() or LATEST_HANDSHAKE_VERSION

            def fits(result: dict[str, Any]) -> str:
                try:
                    parse_server_result(method, version, result)
                except KeyError:
                    return ""
                except ValidationError as error:
                    first = error.errors(include_url=False, include_input=False)[0]
                    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:200]
                return ""

            return mended_result(method, given, fits)

    class Session(ClientSession):
        def __init__(self, incoming: Any, outgoing: Any, on_message: OnMessage) -> None:
            dispatcher = Dispatcher(incoming, outgoing)

            async def hand_over(message: Any) -> None:
                await on_message(message)

            super().__init__(dispatcher=dispatcher, message_handler=hand_over)
            dispatcher.version = lambda: self.protocol_version

        async def validate_tool_result(self, name: str, result: CallToolResult) -> None:
            """Nothing: a reply is never thrown away for its schema."""

    return Session
