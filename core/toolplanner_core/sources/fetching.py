"""Fetch what an address holds, by the safe client: catalogues, documents and what they refer to.

An address that a person typed may be anywhere; one that stands in somebody's document only on the
open internet, or where the person allowed it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from toolplanner_core.domain.origin import Origin
from toolplanner_core.errors import BadInput, UserError

LARGEST_BYTES = 200_000_000
"""After unpacking; the largest catalogue known, ToolBench's, is 45 MB as a zip."""
LONGEST_S = 300.0
"""For the whole reply."""


def fetch_address(
    address: str,
    *,
    allowed: Iterable[Origin] | None = None,
    largest: int = LARGEST_BYTES,
    longest_s: float = LONGEST_S,
) -> bytes:
    """What an http or https address holds; blocks for seconds, on a thread without an event loop.

    Args:
        allowed: origins that need not be of the open internet; None = the address itself was
            typed by a person, and its own origin is.

    Raises:
        BadInput: it is not allowed, cannot be reached, fails, is too large or takes too long.
    """
    try:
        return asyncio.run(_get(address, allowed, largest=largest, longest_s=longest_s))
    except UserError as error:
        why = f"{error.what}. {error.why}" if error.why else error.what
    raise BadInput(
        "The address could not be fetched",
        why=why,
        todo="Check it in a browser, or download it and import the file",
    )


async def _get(
    address: str, allowed: Iterable[Origin] | None, *, largest: int, longest_s: float
) -> bytes:
    # Here, not above: each source of catalogues imports this file, few fetch anything.
    import httpx2

    from toolplanner_core.net.client import make_client
    from toolplanner_core.net.exchange import ExchangeLimits, exchange

    limits = ExchangeLimits(max_bytes=largest, total_s=longest_s)
    typed = [Origin.of(address)]
    try:
        url = httpx2.URL(address.strip())
    except httpx2.InvalidURL as error:
        raise BadInput(str(error)) from error
    async with make_client(typed if allowed is None else allowed) as client:
        reply = await exchange(client, client.build_request("GET", url), limits)
    if 200 <= reply.status < 300:
        return reply.content
    raise BadInput(f"The server answers {reply.status} {reply.reason}")
