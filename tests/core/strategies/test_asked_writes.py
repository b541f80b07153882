"""A task that asks for a change is not met by what only reads, alike for every strategy.

A real endpoint on loopback whose model reads, and says that it is done.
"""

import asyncio
from dataclasses import replace

import pytest
from fixtures.misbehaving import StallingClock, misbehaving
from fixtures.scripted_endpoint import Answers, Turn, scripted_endpoint
from fixtures.scripted_run import ScriptedProvider, bad, make_parts
from fixtures.spoken_run import KITS, replay_spoken, speak_run

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.domain.plan import NOT_REFUTED, Status
from toolplanner_core.llm.openai_model import OpenAiModel
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

TEN = (
    "adaplanner", "anytool", "atc", "dfsdt", "react", "reflexion", "tool-planner",
    "toolchain-star", "toolnet", "tptu", "chain-of-thought", "plain-agent", "rag", "codeact", "tot",
)  # fmt: skip


def go(workspace: Workspace, strategy: str, query: str) -> RunSummary:
    """A run whose model calls what is offered, and says that it is done."""

    async def body() -> RunSummary:
        from openai import AsyncOpenAI

        good = misbehaving("never stops", share=0.0, seed=1, clock=StallingClock())
        with scripted_endpoint(Answers(good)) as endpoint:
            client = AsyncOpenAI(api_key="none", base_url=endpoint.url, max_retries=0)
            model = OpenAiModel("scripted", client=client, settings=EndpointSettings())
            parts = make_parts(KITS, model, ScriptedProvider(), strategy=strategies.get(strategy))
            return await run(workspace, RunSpec(query=query, strategy=strategy), parts=parts)

    return asyncio.run(body())


@pytest.mark.parametrize("strategy", TEN)
def test_write_when_only_reads_served_it_then_it_is_not_done(
    workspace: Workspace, strategy: str
) -> None:
    done = go(workspace, strategy, "Delete the draft")
    assert done.status not in NOT_REFUTED, done.reason
    if done.checked.get("level"):
        assert done.checked["level"] == EvidenceLevel.AGAINST
        assert done.reason == "Not done: it asks to delete, and what was called only reads"
    assert replay_spoken(workspace, done).identical


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("Delete the draft", Status.UNSOLVED),
        ("Lösche den Entwurf", Status.UNSOLVED),
        ("What is in the draft?", Status.ANSWERED),
    ],
)
def test_write_when_it_failed_and_a_read_served_then_only_a_question_is_answered(
    workspace: Workspace, query: str, status: Status
) -> None:
    kits = {"Notes": [replace(KITS["Weather"][0], risk=Risk.WRITE), KITS["Weather"][1]]}
    provider = ScriptedProvider(replies={kits["Notes"][0].name: bad(500)})
    script = [
        Turn("", [("meteo_now_for_meteo", {"q": "draft"})]),
        Turn("", [("sky_daily_for_sky", {"q": "draft"})]),
        Turn("", [("give_answer", {"final_answer": "The draft"})]),
    ]
    spec = RunSpec(query=query, strategy="react")
    done = speak_run(workspace, "react", script, provider=provider, kits=kits, spec=spec).summary
    assert done.status is status, done.reason
    assert ("Not done" in done.reason) is (status is Status.UNSOLVED)
