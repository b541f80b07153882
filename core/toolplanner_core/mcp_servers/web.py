"""A server over streamable HTTP, through the safe client, with a limit on what it may send.

Redirects to another origin are not followed, so headers with keys stay where they belong. Addresses
that are not of the open internet are reached only where the address itself says so
("http://localhost:3000/mcp"): that is what the person has read and allowed.

Source: MCP 2025-11-25, "Transports: Streamable HTTP"; design/security.md, "Network".
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.origin import Origin
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.signing_in import kept_sign_in
from toolplanner_core.mcp_servers.spec import ServerSpec
from toolplanner_core.mcp_servers.starting import expanded
from toolplanner_core.net.client import make_client
from toolplanner_core.net.local import is_plainly_local
from toolplanner_core.words.places import KEYS

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

LARGEST_BYTES = 16_000_000
"""Of one reply."""
_SILENT_S = 300.0
"""Between two pieces of a stream that is held open; each request has its own, shorter limit."""
_SESSION, _ASKS = "mcp-session-id", "www-authenticate"
_CLASSES = {
    401: ErrorClass.UNAUTHORISED,
    403: ErrorClass.UNAUTHORISED,
    429: ErrorClass.RATE_LIMITED,
}


class WebServer:
    """One session with a server at an address; a transport for the SDK's client.

    Args:
        secrets: values of `spec.secrets`, by name.

    Attributes:
        refusal: what the last reply said, if it was that nothing is given.
    """

    is_over = False
    last_words = ""

    def __init__(self, spec: ServerSpec, secrets: Mapping[str, str]) -> None:
        self._spec = spec
        self._headers = {k: expanded(v) for k, v in {**spec.settings, **secrets}.items()}
        self.refusal: McpFailure | None = None
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
            if (auth := await asyncio.to_thread(kept_sign_in, self._spec)) is not None:
                client.auth = auth
            client.event_hooks = {"response": [self._look]}
            async with streamable_http_client(self._spec.url, http_client=client) as streams:
                yield streams

    async def _look(self, reply: "httpx2.Response") -> None:
        import httpx2

        if reply.request.method != "POST":
            return
        self.refusal = None
        error = _CLASSES.get(reply.status_code)
        if error is None and reply.status_code >= 500:
            error = ErrorClass.SERVER_ERROR
        if reply.status_code == 404 and _SESSION in reply.request.headers:
            self.refusal = McpFailure(ErrorClass.NETWORK, "the server has ended the session")
        elif error is not None:
            said = f"the server answers {reply.status_code} {reply.reason_phrase}".strip()
            if reply.status_code == 401 and "bearer" in reply.headers.get(_ASKS, "").lower():
                said += f"; it may let you sign in: {KEYS}"
            self.refusal = McpFailure(error, said)
        if reply.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("the reply is packed, which nobody asked for")
        reply.stream = _bounded(reply.stream)


def _bounded(stream: Any) -> "httpx2.AsyncByteStream":
    """A reply's body that ends with an error where it becomes too large."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for block in stream:
                size += len(block)
                if size > LARGEST_BYTES:
                    raise httpx2.ReadError(f"the reply is larger than {LARGEST_BYTES:,} bytes")
                yield block

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()
