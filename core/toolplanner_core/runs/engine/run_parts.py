"""What a run is put together from: strategy, models, provider, catalogue.

`prepare` finds them by the names in a `RunSpec`; everything that can be wrong with a spec is
raised there, before a run exists.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.day_budget import DayBudget
from toolplanner_core.llm.model import ModelContext, make_model, models, parse_model_spec
from toolplanner_core.llm.prices import Price, price_of
from toolplanner_core.options.values import make_options
from toolplanner_core.prompts.editing import edited_texts
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.catalogue.candidates import CandidateCatalogue, check_candidates
from toolplanner_core.runs.catalogue.recorded_catalogue import ApiOf
from toolplanner_core.runs.catalogue.workspace_catalogue import Catalogue, WorkspaceCatalogue
from toolplanner_core.runs.config.call_routing import call_routing
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.engine.gate import Backends
from toolplanner_core.runs.judging.oracle import Oracle
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RecordListener
from toolplanner_core.runs.stages.live_replies import LiveReplyListener
from toolplanner_core.sandbox.monty import refuse_without_sandbox
from toolplanner_core.strategies.interface.strategy import (
    DEFAULT_STRATEGY,
    StrategyPlugin,
    strategies,
)
from toolplanner_core.words.window_places import SET_PRICE
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.import_changes import is_waiting
from toolplanner_core.workspace.toolkits import toolkit_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """A run's parts, ready to use; `options` is an instance of the strategy's options class.

    `api_of` finds the APIs that a tape or a person names; None = in the workspace. `prompts` are
    the texts that a person edited, by name.
    """

    strategy: StrategyPlugin
    options: Any
    outside: Backends
    catalogue: Catalogue
    api_of: ApiOf | None = None
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])


def prepare(workspace: Workspace, spec: RunSpec, catalogue: WorkspaceCatalogue) -> RunParts:
    """Find and open the parts of a run. Blocks (a provider may read files).

    Raises:
        NotFound: no such strategy, model or provider.
        BadInput: an empty query, an option that does not exist or does not fit, or a limit in
            dollars for a model whose price nobody knows.
        ModelUnavailable: the model lacks a key or an address.
        SandboxMissing: the strategy runs programs, and none can run here.
        UserError: the provider cannot work on this workspace.
    """
    if not spec.query.strip():
        raise BadInput("The query is empty", todo="Say in a sentence what is to be done")
    strategy = strategies.get(spec.strategy)
    options = make_options(strategy.options, spec.options, of=f"strategy {strategy.id}")
    refuse_without_model(strategy, spec.model)
    if strategy.needs_sandbox:
        refuse_without_sandbox()
    if spec.candidates:
        check_candidates(workspace, spec.candidates)
        catalogue = CandidateCatalogue(workspace, spec.candidates, whole=catalogue)
    context = ModelContext(
        encode=catalogue.encode, embedder=catalogue.embedder_id, evidence=catalogue.evidence
    )
    named = _models_of(spec)
    prices = {role: price_of(workspace, name) for role, name in named.items()}
    _refuse_unknown_prices(spec, named, prices)
    made = {name: make_model(name, context) for name in dict.fromkeys(named.values())}
    serving = call_routing(workspace, spec)
    outside = Backends(
        models={role: made[name] for role, name in named.items()},
        prices=prices,
        provider=serving.usual.provider,
        provider_name=serving.name,
        touches_world=serving.usual.touches_world,
        retries=serving.usual.retries,
        routes=serving.routes,
        is_waiting=lambda api: is_waiting(workspace, api.id),
        toolkit_of=lambda api: toolkit_of(workspace, api.id),
    )
    return RunParts(
        strategy=strategy,
        options=options,
        outside=outside,
        catalogue=catalogue,
        prompts=edited_texts(workspace),
    )


def refuse_without_model(strategy: StrategyPlugin, model: str) -> None:
    """Check that the acting model can do what a strategy asks.

    Raises:
        NotFound: no such model.
        BadInput: it answers the questions of the usual strategy only.
    """
    if strategy.needs_model and models.get(parse_model_spec(model).kind).answers_only_planner:
        usual = strategies.get(DEFAULT_STRATEGY)
        raise BadInput(
            f"{strategy.title} needs a language model",
            why=f"The offline planner answers the questions of {usual.title} only",
            todo=f"Choose a model, such as openai:NAME, or the strategy {usual.id}",
        )


def _models_of(spec: RunSpec) -> dict[Role, str]:
    """The model of each role that has one of its own; the acting one does the rest.

    Raises:
        BadInput: there is no such role.
    """
    for name in spec.roles:
        if name not in set(Role):
            raise BadInput(f"There is no role {name!r}", todo=f"Roles are: {', '.join(Role)}")
    roles = {Role(name): model for name, model in spec.roles.items() if model}
    return {Role.ACTING: spec.model, **roles}


def _refuse_unknown_prices(
    spec: RunSpec, named: Mapping[Role, str], prices: Mapping[Role, Price | None]
) -> None:
    """With a limit in dollars, of the run or the day, all prices must be known."""
    day = DayBudget()
    for role, price in prices.items():
        day.check(price, named[role])
        if price is None and spec.limits.max_cost is not None:
            raise BadInput(
                f"A limit in dollars cannot be kept: the price of {named[role]} is not known",
                why="No entry of the price table fits its name",
                todo=f"{SET_PRICE}, or limit model calls or tokens instead",
            )


async def close_outside(outside: Backends) -> None:
    """Close the connections of models and provider."""
    for provider in outside.providers:
        await provider.close()
    for model in {id(model): model for model in outside.models.values()}.values():
        await model.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJob:
    """All that `execute` needs.

    Attributes:
        parts: instead of those that `spec` names.
        catalogue: shared by several runs, so that vectors and embedder are loaded once; stays open.
        listener: gets all records in batches of at most 50 ms, on the run's thread.
        cancel: set to stop the run. Cancelling the calling task (Ctrl+C) stops it as well: the
            run is closed in its log and the summary returned with status "cancelled".
        clock: instead of the machine's.
        debugger: holds the run at stop points and takes a person's decisions.
        oracle: who knows what is right, for strategies that may ask.
        on_speech: gets what models have said so far while they speak, on the run's thread; none of
            it is stored.
    """

    workspace: Workspace
    spec: RunSpec
    parts: RunParts | None = None
    catalogue: WorkspaceCatalogue | None = None
    listener: RecordListener | None = None
    cancel: asyncio.Event | None = None
    clock: Clock | None = None
    debugger: Debugger | None = None
    oracle: Oracle | None = None
    on_speech: LiveReplyListener | None = None
    trial: str = ""
