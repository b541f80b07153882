"""Which provider executes the calls of a source, at which address, and whether its servers answer.

A person's choice counts first; else the format that a source came in says who can call it
(`SourcePlugin.provider`); else the workspace's default. One run may need several.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput, NetworkError, NotFound
from toolplanner_core.net.addresses import allowed_origins
from toolplanner_core.net.client import make_client
from toolplanner_core.net.exchange import ExchangeLimits, ExchangeReply, exchange
from toolplanner_core.providers.provider import DEFAULT_PROVIDER, default_provider, providers
from toolplanner_core.sources.source import sources
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import first_servers, list_sources
from toolplanner_core.workspace.rows import of_its_form
from toolplanner_core.workspace.settings import change_setting, get_setting

_SETTING = "routes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Who serves a source.

    Attributes:
        provider: id of a provider.
        base_url: of the servers instead of the catalogue's, "" = those.
        per_second: requests a second to each of its servers at most; None = as the provider does.
        is_chosen: a person said so.
    """

    source: str
    provider: str
    base_url: str = ""
    per_second: float | None = None
    is_chosen: bool = False


def routes_of(workspace: Workspace) -> list[Route]:
    """The routes of all sources of a workspace, by their names."""
    chosen: Mapping[str, Mapping[str, Any]] = get_setting(workspace, _SETTING, {})
    usual = default_provider(workspace)
    with of_its_form("the routes"):
        return [*_found(workspace, chosen, usual)]


def _found(
    workspace: Workspace, chosen: Mapping[str, Mapping[str, Any]], usual: str
) -> Iterator[Route]:
    for source in list_sources(workspace):
        said = chosen.get(source.name, {})
        plugin = sources.find(source.format)
        by_format = plugin.provider if plugin else ""
        named = [said.get("provider", ""), by_format, usual, DEFAULT_PROVIDER]
        yield Route(
            source=source.name,
            provider=next(name for name in named if name and providers.find(name)),
            base_url=said.get("base_url", ""),
            per_second=said.get("per_second"),
            is_chosen=bool(said.get("provider")) and providers.find(said["provider"]) is not None,
        )


def usual_providers(workspace: Workspace) -> list[str]:
    """Who executes the calls of a workspace when a run names nobody, each once."""
    named = {route.provider for route in routes_of(workspace)}
    return sorted(named) or [default_provider(workspace)]


def set_route(
    workspace: Workspace,
    source: str,
    *,
    provider: str | None = None,
    base_url: str | None = None,
    per_second: float | None = None,
) -> None:
    """Choose for a source; None leaves as it is, "" and 0 go back to what is usual. Blocks.

    Raises:
        NotFound: no such source or provider.
        BadInput: the address is none.
    """
    if source not in {known.name for known in list_sources(workspace)}:
        raise NotFound(f"There is no source {source!r} in this workspace")
    if provider:
        providers.get(provider)
    if base_url:
        Origin.of(base_url)
    given = {"provider": provider, "base_url": base_url, "per_second": per_second}

    def change(before: Any) -> Any:
        routes = dict(before or {})
        said = {**routes.pop(source, {}), **{k: v for k, v in given.items() if v is not None}}
        said = {name: value for name, value in said.items() if value}
        return {**routes, source: said} if said else routes

    change_setting(workspace, _SETTING, change)


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


def check_server(origin: Origin) -> str:
    """Ask a server, and say in a sentence whether it answers. Blocks for ten seconds at most."""
    began = time.monotonic()
    try:
        reply = asyncio.run(_ask(origin))
    except NetworkError as error:
        return f"{origin}: {error.sentence}"
    return f"{origin} answers (HTTP {reply.status}, {(time.monotonic() - began) * 1e3:.0f} ms)."


async def _ask(origin: Origin) -> ExchangeReply:
    async with make_client(allowed_origins()) as client:
        return await exchange(client, client.build_request("HEAD", f"{origin}/"), _LIMITS)
