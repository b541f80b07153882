"""One request and its reply, within limits: size after unpacking, time for the whole, redirects.

At most five redirects are followed, each checked like the first address. Where the origin changes,
only headers that say nothing of the caller go on, and nothing but reading is repeated there.
Cancelling the task closes the connection.

Source: design/security.md, "Network"; RFC 9110, 15.4 for the methods of redirected requests.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import (
    BadInput,
    NetworkError,
    NetworkRefused,
    NetworkTimeout,
    RedirectRefused,
    ReplyUnusable,
)
from toolplanner_core.net.client import UNPACKED, origin_of

if TYPE_CHECKING:
    import httpx2

_HARMLESS = frozenset(
    {"accept", "accept-encoding", "accept-language", "content-type", "user-agent"}
)
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OF_ONE_HOP = frozenset({"host", "content-length", "transfer-encoding"})
_BECOMES_GET = {301: {"POST"}, 302: {"POST"}, 303: {"POST", "PUT", "PATCH", "DELETE"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeLimits:
    """Bounds of one exchange.

    Attributes:
        max_bytes: of the reply's body, unpacked.
        total_s: for all of it, redirects included.
    """

    max_bytes: int = 5_000_000
    total_s: float = 30.0
    max_redirects: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeReply:
    """A reply.

    Attributes:
        headers: names in small letters.
        url: whence it came in the end, without a password.
    """

    status: int
    reason: str
    headers: Mapping[str, str]
    content: bytes
    url: str


async def exchange(
    client: "httpx2.AsyncClient",
    request: "httpx2.Request",
    limits: ExchangeLimits = ExchangeLimits(),
    *,
    on_sending: Callable[[], None] | None = None,
) -> ExchangeReply:
    """Send a request and read its whole reply, whatever its status.

    Args:
        client: of `make_client`.
        on_sending: told when a connection is there and the first bytes of a request leave.

    Raises:
        NetworkRefused: the address is not allowed, or cannot be read; nothing was sent.
        RedirectRefused: one that it leads on to is not allowed.
        NetworkTimeout: it took longer than the limit.
        ReplyUnusable: too large, wrongly packed, or led on too often.
        NetworkError: nobody answered, or the connection was cut.
    """
    import httpx2

    if on_sending is not None:
        request.extensions = {**request.extensions, "trace": _tracing(on_sending)}
    try:
        async with asyncio.timeout(limits.total_s):
            return await _follow(client, request, limits)
    except (TimeoutError, httpx2.TimeoutException) as error:
        said = str(error) or f"It was not there after {limits.total_s:g} s"
        raise NetworkTimeout(said) from error
    except httpx2.DecodingError as error:
        raise ReplyUnusable("The reply is not packed as it says") from error
    except httpx2.InvalidURL as error:
        raise NetworkRefused("The address cannot be read", why=str(error)) from error
    except (httpx2.HTTPError, OSError) as error:
        raise NetworkError(str(error) or type(error).__name__) from error


def _tracing(on_sending: Callable[[], None]) -> Callable[[str, Any], Awaitable[None]]:
    """Hears what the connection does (Source: httpcore, "Extensions: trace")."""

    async def on_event(event: str, _: Any) -> None:
        if event.endswith(".send_request_headers.started"):
            on_sending()

    return on_event


async def _follow(
    client: "httpx2.AsyncClient", request: "httpx2.Request", limits: ExchangeLimits
) -> ExchangeReply:
    for n_asked in range(limits.max_redirects + 1):
        try:
            _origin(request.url)
            reply = await client.send(request, stream=True, follow_redirects=False, auth=None)
        except NetworkRefused as error:
            if n_asked:
                raise _after_asking(error) from error
            raise
        try:
            if not reply.has_redirect_location:
                return ExchangeReply(
                    status=reply.status_code,
                    reason=reply.reason_phrase,
                    headers={name.lower(): value for name, value in reply.headers.items()},
                    content=await _read(reply, limits.max_bytes),
                    url=str(reply.url.copy_with(userinfo=b"")),
                )
            request = _next(client, request, reply)
        except NetworkRefused as error:
            raise _after_asking(error) from error
        finally:
            await reply.aclose()
    raise ReplyUnusable(f"It leads on more than {limits.max_redirects} times")


def _after_asking(error: NetworkRefused) -> RedirectRefused:
    return RedirectRefused(error.what, where=error.where, why=error.why, todo=error.todo)


def _origin(url: "httpx2.URL") -> Origin:
    try:
        return origin_of(url)
    except BadInput as error:
        raise NetworkRefused("Only http and https addresses are called") from error


async def _read(reply: "httpx2.Response", max_bytes: int) -> bytes:
    packed = [word.strip().lower() for word in reply.headers.get("content-encoding", "").split(",")]
    packed = [word for word in packed if word not in ("", "identity")]
    if len(packed) > 1 or not set(packed) <= set(UNPACKED):
        raise ReplyUnusable(
            f"The reply is packed as {', '.join(packed)[:80]}, which nobody asked for"
        )
    content = bytearray()
    async for block in reply.aiter_bytes():
        content += block
        if len(content) > max_bytes:
            raise ReplyUnusable(f"It is larger than {max_bytes:,} bytes")
    return bytes(content)


def _next(
    client: "httpx2.AsyncClient", request: "httpx2.Request", reply: "httpx2.Response"
) -> "httpx2.Request":
    """The request that a redirect asks for."""
    import httpx2

    try:
        url = request.url.join(reply.headers["location"]).copy_with(userinfo=b"", fragment=None)
    except httpx2.InvalidURL as error:
        raise NetworkRefused("The address cannot be read", why=str(error)) from error
    is_elsewhere = _origin(url) != _origin(request.url)
    method, content = request.method, request.content
    if method in _BECOMES_GET.get(reply.status_code, ()):
        method, content = "GET", b""
    elif is_elsewhere and method not in _SAFE:
        raise NetworkRefused(
            f"The server sends this {method} on to {_origin(url)}, and nothing was sent there",
            why="What changes something goes only where it was addressed to",
        )
    headers = {
        name: value
        for name, value in request.headers.items()
        if name not in _OF_ONE_HOP
        and (content or name != "content-type")
        and (name in _HARMLESS or not is_elsewhere)
    }
    return client.build_request(method, url, headers=headers, content=content or None)
