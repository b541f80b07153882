"""What a run is put together from: strategy, models, provider, catalogue.

`prepare` finds them by the names in a `RunSpec`; everything that can be wrong with a spec is
raised there, before a run exists. Caller: `engine.py`; tests put their own parts together.
"""

from dataclasses import dataclass
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import ModelContext, make_model
from toolplanner_core.llm.prices import Price, price_of
from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.catalogue import Catalogue, WorkspaceCatalogue
from toolplanner_core.runs.gate import Outside
from toolplanner_core.runs.lookups import ApiOf
from toolplanner_core.runs.option_values import make_options
from toolplanner_core.runs.spec import RunSpec
from toolplanner_core.strategies.strategy import StrategyPlugin, strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """A run's parts, ready to use; `options` is an instance of the strategy's options class.

    `api_of` finds the APIs that a tape or a person names; None = in the workspace.
    """

    strategy: StrategyPlugin
    options: Any
    outside: Outside
    catalogue: Catalogue
    api_of: ApiOf | None = None


def prepare(workspace: Workspace, spec: RunSpec, catalogue: WorkspaceCatalogue) -> RunParts:
    """Find and open the parts of a run. Blocks (a provider may read files).

    Raises:
        NotFound: no such strategy, model or provider.
        BadInput: an empty query, an option that does not exist or does not fit, or a limit in
            dollars for a model whose price nobody knows.
        ModelUnavailable: the model lacks a key or an address.
        UserError: the provider cannot work on this workspace.
    """
    if not spec.query.strip():
        raise BadInput("The query is empty", todo="Say in a sentence what is to be done")
    strategy = strategies.get(spec.strategy)
    options = make_options(strategy.options, spec.options, of=f"strategy {strategy.id}")
    name = spec.provider
    if name == "auto":
        name = str(get_setting(workspace, "default_provider", "simulated"))
    plugin = providers.get(name)
    provider_options = make_options(
        plugin.options, spec.provider_options, of=f"provider {plugin.id}"
    )
    context = ModelContext(
        encode=catalogue.encode, embedder=catalogue.embedder_id, evidence=catalogue.evidence
    )
    model = make_model(spec.model, context)
    planning = spec.planning_model
    price, planning_price = _prices(workspace, spec)
    outside = Outside(
        model=model,
        planning_model=make_model(planning, context) if planning else model,
        provider=plugin.make(workspace, provider_options),
        provider_name=plugin.id,
        touches_world=plugin.touches_world,
        retries=int(getattr(provider_options, "retries", 1 if plugin.touches_world else 0)),
        price=price,
        planning_price=planning_price,
    )
    return RunParts(strategy=strategy, options=options, outside=outside, catalogue=catalogue)


def _prices(workspace: Workspace, spec: RunSpec) -> tuple[Price | None, Price | None]:
    """Of the acting and the planning model; with a limit in dollars both must be known."""
    names = (spec.model, spec.planning_model or spec.model)
    prices = price_of(workspace, names[0]), price_of(workspace, names[1])
    if spec.limits.max_cost is not None:
        for name, price in zip(names, prices, strict=True):
            if price is None:
                raise BadInput(
                    f"A limit in dollars cannot be kept: the price of {name} is not known",
                    why="No entry of the price table fits its name",
                    todo='Set the workspace\'s own price with "toolplanner prices set", or limit'
                    " model calls or tokens instead",
                )
    return prices


async def close_outside(outside: Outside) -> None:
    """Close the connections of models and provider."""
    await outside.provider.close()
    await outside.model.close()
    if outside.planning_model is not outside.model:
        await outside.planning_model.close()
