"""Fetch the catalogue that a person named by an address, within the rules for the network.

http and https only. A name is resolved once, and the connection goes to that address. Addresses
that are not of the open internet (this machine, the local network, metadata of a cloud) are reached
only at the origin that the person typed: a redirect never leads there. At most five redirects, each
checked anew; a limit of size after unpacking; a limit of time for the whole.

Source: design/security.md, "Network".
"""

import ipaddress
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from toolplanner_core.errors import BadInput

if TYPE_CHECKING:
    import httpx

LARGEST_BYTES = 200_000_000
"""After unpacking; the largest catalogue known, ToolBench's, is 45 MB as a zip."""
MOST_REDIRECTS = 5
WAIT_S = 20.0
"""For connecting, and for each piece of the reply."""
LONGEST_S = 300.0
"""For the whole reply."""


def fetch_address(
    address: str, *, largest: int = LARGEST_BYTES, clock: Callable[[], float] = time.monotonic
) -> bytes:
    """What an http or https address holds; blocks for seconds.

    Raises:
        BadInput: it is not allowed, cannot be reached, fails, is too large or takes too long.
    """
    import httpx

    until = clock() + LONGEST_S
    try:
        url = typed = httpx.URL(address)
        # Proxies and passwords of the environment are not meant for what somebody typed.
        with httpx.Client(timeout=WAIT_S, trust_env=False) as client:
            for _ in range(MOST_REDIRECTS + 1):
                request = _pinned(client, url, is_typed=_origin(url) == _origin(typed))
                reply = client.send(request, stream=True)
                try:
                    if reply.has_redirect_location:
                        url = url.join(reply.headers["Location"])
                        continue
                    reply.raise_for_status()
                    content = bytearray()
                    for block in reply.iter_bytes():
                        content += block
                        if len(content) > largest:
                            raise ValueError(f"It is larger than {largest:,} bytes")
                        if clock() > until:
                            raise ValueError(f"It was not there after {LONGEST_S:.0f} s")
                    return bytes(content)
                finally:
                    reply.close()
            raise ValueError(f"It leads on more than {MOST_REDIRECTS} times")
    except httpx.HTTPStatusError as error:
        why = f"The server answers {error.response.status_code} {error.response.reason_phrase}"
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        why = str(error) or type(error).__name__
    raise BadInput(
        "The address could not be fetched",
        why=why,
        todo="Check it in a browser, or download it and import the file",
    )


def _pinned(client: "httpx.Client", url: "httpx.URL", *, is_typed: bool) -> "httpx.Request":
    """A request to the one address that the name stands for, found once.

    Raises:
        ValueError: the scheme or the address is not allowed.
        OSError: the name is not known.
    """
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("Only http and https addresses are fetched")
    port = url.port or {"http": 80, "https": 443}[url.scheme]
    found = socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)[0][4][0]
    if not is_typed and not ipaddress.ip_address(str(found).partition("%")[0]).is_global:
        raise ValueError(f"It leads to {url.host}, which is not on the open internet")
    request = client.build_request("GET", url.copy_with(host=str(found)))
    request.headers["Host"] = url.netloc.decode("ascii").rpartition("@")[2]
    request.extensions["sni_hostname"] = url.host
    return request


def _origin(url: "httpx.URL") -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
