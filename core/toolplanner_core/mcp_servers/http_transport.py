"""A server over streamable HTTP, through the safe client, with a limit on what it may send.

What it sends is made right (`http_replies.py`) before the SDK reads it.

Redirects to another origin are not followed, so headers with keys stay where they belong. Addresses
that are not of the open internet are reached only where the address itself says so
("http://localhost:3000/mcp"): that is what the person has read and allowed.

Source: MCP 2025-11-25, "Transports: Streamable HTTP"; design/security.md, "Network".
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.operation import Origin
from toolplanner_core.mcp_servers.http_replies import (
    bounded,
    make_right,
    make_stream_right,
    request_id,
)
from toolplanner_core.mcp_servers.messages import MessageId
from toolplanner_core.mcp_servers.oauth import stored_sign_in
from toolplanner_core.mcp_servers.server_spec import ServerSpec
from toolplanner_core.mcp_servers.variables import expand_variables
from toolplanner_core.net.addresses import is_plainly_local
from toolplanner_core.net.client import make_client

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

_SILENT_S = 300.0
"""Between two pieces of a stream that is held open; each request has its own, shorter limit."""
_EVENTS = "text/event-stream"


class HttpTransport:
    """One session with a server at an address; a transport for the SDK's client.

    Args:
        secrets: values of `spec.secrets`, by name.
    """

    is_over = False
    last_words = ""

    def __init__(self, spec: ServerSpec, secrets: Mapping[str, str]) -> None:
        self._spec = spec
        self._headers = {k: expand_variables(v) for k, v in {**spec.settings, **secrets}.items()}
        self._waiting: set[MessageId] = set()
        self._streams: contextlib.AbstractAsyncContextManager[Any] | None = None

    async def __aenter__(self) -> "TransportStreams":
        """Get ready to send; nothing is sent yet."""
        self._streams = self._talking()
        return await self._streams.__aenter__()

    async def __aexit__(self, *raised: Any) -> bool | None:
        """Say goodbye and close all connections."""
        assert self._streams is not None
        return await self._streams.__aexit__(*raised)

    @contextlib.asynccontextmanager
    async def _talking(self) -> "AsyncGenerator[TransportStreams]":
        from mcp.client.streamable_http import streamable_http_client

        origin = Origin.of(self._spec.url)
        allowed = [origin] if is_plainly_local(origin.host) else []
        async with make_client(allowed, wait_s=_SILENT_S) as client:
            client.headers.update({**self._headers, "Accept-Encoding": "identity"})
            if (auth := await asyncio.to_thread(stored_sign_in, self._spec)) is not None:
                client.auth = auth
            client.event_hooks = {"response": [self._look]}
            async with streamable_http_client(
                self._spec.url, http_client=client, max_sse_event_size=None
            ) as streams:
                yield streams

    async def _look(self, reply: "httpx2.Response") -> None:
        """Make a reply right; what the sign-in sends and gets is left as it is."""
        import httpx2

        await reply.request.aread()  # of a request that was sent on, it is not there yet
        message_id = request_id(reply.request)
        accepted = reply.request.headers.get("accept", "")
        is_stream = reply.request.method == "GET" and _EVENTS in accepted
        if message_id is None and not is_stream:
            reply.stream = bounded(reply.stream)
            return
        if reply.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("the reply is packed, which nobody asked for")
        if message_id is not None:
            self._waiting.add(message_id)
            await make_right(reply, message_id, self._waiting)
        elif reply.status_code == 200:
            make_stream_right(reply, self._waiting)
