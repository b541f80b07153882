"""The one client for the network, under one set of rules: API calls, documents, MCP over HTTP.

http and https only; each connection goes to an address that was checked (`connecting.py`); neither
proxies nor passwords of the environment; no cookies kept; redirects are followed by `exchange.py`
alone, each checked anew. Whoever sends by other means (the MCP SDK) takes `make_client` and gets
the same connections.

Source: design/security.md, "Network".
"""

import logging
from collections.abc import Iterable
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING

from toolplanner_core.domain.operation import Origin

if TYPE_CHECKING:
    import ssl

    import httpx2

    from toolplanner_core.net.connecting import Resolve

WAIT_S = 20.0
"""For connecting, and for each piece of a reply."""
UNPACKED = ("gzip", "deflate")
"""How a reply may be packed; others unpack to any size at once."""
_USER_AGENT = "ToolPlanner"


def make_client(
    allowed: Iterable[Origin] = (),
    *,
    wait_s: float = WAIT_S,
    headers: dict[str, str] | None = None,
    resolve: "Resolve | None" = None,
) -> "httpx2.AsyncClient":
    """A client under the rules; close it with `aclose` or `async with`.

    Args:
        allowed: origins that may be anywhere, also on this machine, because a person said so.
        wait_s: for connecting, and for each piece of a reply.
        headers: sent with each request, wherever it goes: never a secret.
        resolve: finds the addresses of a name; the system by default.
    """
    import httpcore2
    import httpx2

    from toolplanner_core.net import connecting

    for name in ("httpx2", "httpcore2"):  # they write addresses with the keys in them
        logging.getLogger(name).setLevel(logging.WARNING)

    trusted = _certificates()
    transport = httpx2.AsyncHTTPTransport(verify=trusted, trust_env=False)
    # The public way to say how connections are made ends at httpcore; httpx hands nothing on.
    transport._pool = httpcore2.AsyncConnectionPool(  # pyright: ignore[reportPrivateUsage]
        ssl_context=trusted,
        max_connections=100,
        max_keepalive_connections=20,
        keepalive_expiry=5.0,
        network_backend=connecting.CheckedBackend(allowed, resolve or connecting.resolve),
    )
    return httpx2.AsyncClient(
        transport=transport,
        timeout=wait_s,
        trust_env=False,
        follow_redirects=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        headers={
            "User-Agent": _USER_AGENT,
            "Accept-Encoding": ", ".join(UNPACKED),
            **(headers or {}),
        },
    )


@cache
def _certificates() -> "ssl.SSLContext":
    """Whom we believe that they are who they say; reading it takes 0.1 s."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)


def origin_of(url: "httpx2.URL") -> Origin:
    """Where the client really sends a request of this URL.

    Raises:
        BadInput: it is no http or https address with a host.
    """
    return Origin.of(str(url.copy_with(userinfo=b"", path="/", query=None, fragment=None)))
