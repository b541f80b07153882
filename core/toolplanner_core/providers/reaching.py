"""Does a server answer? One request without keys to the address of each server of a source."""

import asyncio
import time

from toolplanner_core.domain.origin import Origin
from toolplanner_core.errors import BadInput, NetworkError
from toolplanner_core.net.allowed import allowed_origins
from toolplanner_core.net.client import make_client
from toolplanner_core.net.exchange import Exchanged, ExchangeLimits, exchange
from toolplanner_core.providers.routes import routes_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import first_servers

_LIMITS = ExchangeLimits(total_s=10.0, max_redirects=0)


def origins_of(workspace: Workspace, source: str, *, limit: int = 20) -> list[Origin]:
    """The servers that calls of a source go to, each once; none if it names none."""
    base = next((r.base_url for r in routes_of(workspace) if r.source == source), "")
    found: dict[Origin, None] = {}
    for address in [base] if base else first_servers(workspace, source, limit=limit):
        try:
            found[Origin.of(address)] = None
        except BadInput:  # relative to a document that nobody knows
            continue
    return list(found)


def try_origin(origin: Origin) -> str:
    """Ask a server, and say in a sentence whether it answers. Blocks for ten seconds at most."""
    began = time.monotonic()
    try:
        reply = asyncio.run(_ask(origin))
    except NetworkError as error:
        return f"{origin}: {error.sentence}"
    return f"{origin} answers (HTTP {reply.status}, {(time.monotonic() - began) * 1e3:.0f} ms)."


async def _ask(origin: Origin) -> Exchanged:
    async with make_client(allowed_origins()) as client:
        return await exchange(client, client.build_request("HEAD", f"{origin}/"), _LIMITS)
