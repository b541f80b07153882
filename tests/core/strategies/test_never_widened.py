"""Whatever a model names, no strategy reaches a tool that it was not given.

Behind the catalogue of the run stands another API that the provider would answer and the workspace
knows: excluded by a person, or of another toolkit. The model asks for it in every way that it has.
"""

import asyncio
import json
import os
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from fixtures.misbehaving import (
    Body,
    StallingClock,
    functions_of,
    good,
    good_data,
    is_turn,
)
from fixtures.scripted_endpoint import Answers, CallsFunction, Says, Turn, scripted_endpoint
from fixtures.scripted_run import ScriptedProvider, api_finder, make_api, make_parts
from fixtures.spoken_run import KITS

from toolplanner_core.llm.openai_model import OpenAiModel
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallSent
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

from .test_misbehaviour import CAPPED

HIDDEN = make_api("vault_open")
OFFERED = {api.name for members in KITS.values() for api in members}
NAMES = (HIDDEN.name, HIDDEN.id, HIDDEN.key, HIDDEN.title, "vault", "vault_open_1", "Vault.open")
NAMING = {"call", "toolkit", "api", "apis", "better", "tool", "name", "function", "program", "code"}
PROGRAM = "print(vault_open())\nvault_open(q='x')"
SEEDS = range(40 if os.environ.get("TOOLPLANNER_BENCH") == "1" else 1)


def asking_for_more(data: Any, name: str) -> Any:
    """An answer with the hidden API wherever something is named; programs call it."""
    if isinstance(data, dict):
        return {
            key: (PROGRAM if key in ("program", "code") else name)
            if key in NAMING and isinstance(value, str)
            else asking_for_more(value, name)
            for key, value in data.items()
        }
    return [asking_for_more(item, name) for item in data] if isinstance(data, list) else data


def greedy(seed: int) -> Any:
    """A model that does its work and asks for the hidden API in half of its turns."""
    random = Random(seed)

    def line(body: Body) -> Any:
        name = random.choice(NAMES)
        if random.random() < 0.5:
            return good(body)
        if is_turn(body):
            calls = [(name, {"q": "x"}), *functions_of(body)[:1]]
            return Turn("I know another one.", calls[: random.choice([1, 2])])
        data = asking_for_more(good_data(body), name)
        return CallsFunction(data) if "tools" in body else Says(json.dumps(data))

    return line


async def go(workspace: Workspace, named: str, url: str, provider: ScriptedProvider) -> Any:
    from openai import AsyncOpenAI

    strategy, options, _ = CAPPED[named]
    clock = StallingClock()
    clock.loop = asyncio.get_running_loop()
    client = AsyncOpenAI(api_key="none", base_url=url, max_retries=0)
    model = OpenAiModel("scripted", client=client, settings=EndpointSettings())
    parts = make_parts(KITS, model, provider, strategy=strategies.get(strategy), **options)
    # The workspace knows the hidden API as well, for whoever asks it by its id.
    parts = replace(parts, api_of=api_finder({**KITS, "Hidden": [HIDDEN]}))
    limits = Limits(max_model_calls=None, max_api_calls=None, max_seconds=None)
    spec = RunSpec(query="How warm is it in Oslo?", strategy=strategy, limits=limits)
    return await run(workspace, spec, parts=parts, clock=clock)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("named", CAPPED)
def test_model_when_it_names_what_it_was_not_given_then_no_strategy_reaches_it(
    workspace: Workspace, named: str, seed: int
) -> None:
    provider = ScriptedProvider()
    with scripted_endpoint(Answers(greedy(seed))) as endpoint:
        done = asyncio.run(go(workspace, named, endpoint.url, provider))
        offers = [(each.get("tools"), each.get("response_format")) for each in endpoint.requests]
    assert {name for name, _ in provider.calls} <= OFFERED
    sent = [r.event for r in read_run(workspace, done.run) if isinstance(r.event, CallSent)]
    assert HIDDEN.id not in {event.api for event in sent}
    assert HIDDEN.name not in json.dumps(offers), "it is never offered either"


def test_strategies_when_listed_then_each_is_tried() -> None:
    asking = {plugin.id for plugin in strategies} - {"health"}
    assert {strategy for strategy, _, _ in CAPPED.values()} == asking
