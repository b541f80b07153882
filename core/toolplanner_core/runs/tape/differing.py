"""What a fork changes, found by comparing how a run was made with how it shall go on."""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.options.values import make_options, options_to_json
from toolplanner_core.providers.provider import providers
from toolplanner_core.registry import Registry
from toolplanner_core.runs.spec import RunSpec
from toolplanner_core.runs.tape.fork import ForkChanges
from toolplanner_core.strategies.strategy import strategies


def changes_between(before: RunSpec, after: RunSpec) -> ForkChanges:
    """The changes that make a fork of `before` go on as `after`; both have the same strategy.

    Raises:
        NotFound: there is no such strategy or provider.
        BadInput: an option does not fit.
    """
    is_same_provider = before.provider == after.provider
    roles = {
        role: after.roles.get(role, "")
        for role in {**before.roles, **after.roles}
        if before.roles.get(role, "") != after.roles.get(role, "")
    }
    options = _changed(strategies, after.strategy, before.options, after.options)
    provider_options = dict(after.provider_options)
    if is_same_provider and after.provider in providers.plugins:
        provider_options = _changed(
            providers, after.provider, before.provider_options, after.provider_options
        )
    return ForkChanges(
        options=options or None,
        model=after.model if after.model != before.model else None,
        roles=roles or None,
        provider=None if is_same_provider else after.provider,
        provider_options=provider_options or None,
        limits=after.limits if after.limits != before.limits else None,
        faults=after.faults if after.faults != before.faults else None,
    )


def _changed(
    registry: Registry[Any], plugin_id: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any]:
    """Options to set; one that is taken back to its default is set to it."""
    kind, of = registry.get(plugin_id).options, f"{registry.what} {plugin_id}"
    was = options_to_json(make_options(kind, before, of=of))
    now = options_to_json(make_options(kind, after, of=of))
    return {name: value for name, value in now.items() if value != was[name]}
