"""A run's time limit that cuts a model's reply is told as the limit, whatever the strategy."""

import asyncio
from typing import Any

import pytest
from fixtures.misbehaving import StallingClock, misbehaving
from fixtures.scripted_endpoint import Answers, scripted_endpoint
from fixtures.scripted_run import ScriptedProvider, make_parts
from fixtures.spoken_run import KITS, replay_spoken

from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.openai_model import OpenAiModel
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

TEN = (
    "adaplanner", "anytool", "atc", "dfsdt", "react", "reflexion", "tool-planner",
    "toolchain-star", "toolnet", "tptu", "chain-of-thought", "plain-agent", "rag", "codeact", "tot",
)  # fmt: skip


async def stalled(workspace: Workspace, strategy: str, max_seconds: float | None) -> RunSummary:
    """A run whose endpoint takes requests and never replies; all that is waited for runs out."""
    from openai import AsyncOpenAI

    clock = StallingClock()
    clock.loop = asyncio.get_running_loop()
    line: Any = misbehaving("stalls", share=1.0, seed=1, clock=clock)
    with scripted_endpoint(Answers(line)) as endpoint:
        client = AsyncOpenAI(api_key="none", base_url=endpoint.url, max_retries=0)
        model = OpenAiModel("scripted", client=client, settings=EndpointSettings())
        parts = make_parts(KITS, model, ScriptedProvider(), strategy=strategies.get(strategy))
        limits = Limits(max_seconds=max_seconds)
        spec = RunSpec(query="How warm is it in Oslo?", strategy=strategy, limits=limits)
        return await run(workspace, spec, parts=parts, clock=clock)


@pytest.mark.parametrize("strategy", TEN)
def test_run_when_its_time_cuts_a_reply_then_it_is_over_budget(
    workspace: Workspace, strategy: str
) -> None:
    done = asyncio.run(stalled(workspace, strategy, 100.0))
    assert done.status is Status.OVER_BUDGET
    assert done.reason == "The budget of 100 seconds is used up"
    assert replay_spoken(workspace, done).identical


def test_run_when_the_model_is_late_without_a_limit_then_it_is_the_models_time_out(
    workspace: Workspace,
) -> None:
    done = asyncio.run(stalled(workspace, "react", None))
    assert done.status is Status.NOT_MEASURED
    assert "timeout" in done.reason
