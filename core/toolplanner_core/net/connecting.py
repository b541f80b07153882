"""Connections of the safe client: a name is found once, and the connection goes to that address.

The check stands between finding the address and connecting to it, so a name that means another
address a moment later (DNS rebinding) changes nothing. Imported at first use only.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import cast

import httpcore2

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import NetworkRefused
from toolplanner_core.net.addresses import why_refused
from toolplanner_core.words.window_places import SERVERS

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the IP addresses of a name and port, the best first; raises `OSError`."""


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses that the system knows for a name.

    Raises:
        OSError: none.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


class CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to checked addresses only.

    Args:
        allowed: origins that may be anywhere, because a person said so.
        resolve: finds addresses.
    """

    def __init__(self, allowed: Iterable[Origin], resolve: Resolve) -> None:
        self._allowed = frozenset((origin.host, origin.port) for origin in allowed)
        self._resolve = resolve
        self._inner = cast(httpcore2.AsyncNetworkBackend, httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection to the first of the name's addresses that answers.

        Raises:
            NetworkRefused: one of them is not of the open internet.
        """
        try:
            async with asyncio.timeout(timeout):
                addresses = await self._resolve(host, port)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"The name {host} was not found in time") from error
        except OSError as error:
            raise httpcore2.ConnectError(f"Nobody knows the name {host}") from error
        if (host.rstrip("."), port) not in self._allowed:
            _check(host, addresses)
        failure: Exception = httpcore2.ConnectError(f"The name {host} has no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        """Wait between tries to connect."""
        await asyncio.sleep(seconds)


def _check(host: str, addresses: Sequence[str]) -> None:
    for address in addresses:
        if why := why_refused(address):
            meant = "" if address == host else f", which means {address}"
            raise NetworkRefused(
                f"{host}{meant} is not on the open internet",
                why=f"It is {why}",
                todo=f"Allow the origin if you trust it: {SERVERS}",
            )
