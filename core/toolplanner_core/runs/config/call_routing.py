"""Who executes the calls of one run: one provider for all, or each source's own.

With the provider "auto" each source is served by whoever its route names, so that one run may call
an OpenAPI server, an MCP server and the demo world, and a fallback may lead from one to another.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api
from toolplanner_core.options.option import describe_options
from toolplanner_core.options.values import make_options
from toolplanner_core.providers.provider import (
    Provider,
    ProviderPlugin,
    default_provider,
    providers,
)
from toolplanner_core.providers.routes import routes_of, usual_providers
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.workspace import Workspace

MIXED = "auto"
"""What a run with several providers has as its provider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingProvider:
    """A provider, ready to be called.

    Attributes:
        name: id of the provider, shown at every call.
        touches_world: whether its calls can have an effect outside.
        retries: how often a read-only call is repeated after a failure on the way.
    """

    provider: Provider
    name: str
    touches_world: bool
    retries: int = 0


def once_per_source(
    served_by: Callable[[Api], ServingProvider],
) -> Callable[[Api], ServingProvider]:
    """Who serves an API, worked out once per source: it is asked several times for each call."""
    found: dict[str, ServingProvider] = {}

    def known(api: Api) -> ServingProvider:
        served = found.get(api.source)
        if served is None:
            served = found[api.source] = served_by(api)
        return served

    return known


class CallRouting(NamedTuple):
    """All providers of a run: the one for whatever has no route, and those of sources."""

    usual: ServingProvider
    routes: Mapping[str, ServingProvider]
    name: str


def call_routing(workspace: Workspace, spec: RunSpec) -> CallRouting:
    """Make the providers of a run. Blocks.

    Raises:
        NotFound: no such provider.
        BadInput: an option that none of them has, or that does not fit.
        UserError: a provider cannot work on this workspace.
    """
    if spec.provider != MIXED:
        return _one(workspace, providers.get(spec.provider), spec.provider_options)
    by_source = {route.source: route.provider for route in routes_of(workspace)}
    named = usual_providers(workspace)
    if len(named) == 1:
        return _one(workspace, providers.get(named[0]), spec.provider_options)
    default = default_provider(workspace)
    usual = default if default in named else named[0]
    known = {
        name: {o.name for o in describe_options(providers.get(name).options)} for name in named
    }
    # What nobody knows goes to the usual one, which says so.
    left = {
        name: value
        for name, value in spec.provider_options.items()
        if not any(name in names for names in known.values())
    }
    made = {
        name: _served(
            workspace,
            providers.get(name),
            {k: v for k, v in spec.provider_options.items() if k in known[name]}
            | (left if name == usual else {}),
        )
        for name in named
    }
    routes = {source: made[name] for source, name in by_source.items()}
    return CallRouting(made[usual], routes, MIXED)


def _one(workspace: Workspace, plugin: ProviderPlugin, options: Mapping[str, Any]) -> CallRouting:
    return CallRouting(_served(workspace, plugin, options), {}, plugin.id)


def _served(
    workspace: Workspace, plugin: ProviderPlugin, values: Mapping[str, Any]
) -> ServingProvider:
    options = make_options(plugin.options, values, of=f"provider {plugin.id}")
    return ServingProvider(
        provider=plugin.make(workspace, options),
        name=plugin.id,
        touches_world=plugin.touches_world,
        retries=int(getattr(options, "retries", 1 if plugin.touches_world else 0)),
    )
