"""A run's limit of tokens holds, whatever the strategy, also for a model that never ends a reply.

A real endpoint on loopback that counts by a real tokenizer what it reads and says; the limit may be
missed by no more than the estimate of a prompt is.
"""

import asyncio
from typing import Any

import pytest
from fixtures.misbehaving import StallingClock, misbehaving
from fixtures.scripted_endpoint import Answers, Says, Status, scripted_endpoint
from fixtures.scripted_run import ScriptedProvider, make_parts
from fixtures.spoken_run import KITS, replay_spoken
from fixtures.token_endpoint import TokenCount

from toolplanner_core.domain.plan import Status as RunStatus
from toolplanner_core.llm.openai_model import OpenAiModel, OpenAiOptions
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

TEN = (
    "adaplanner", "anytool", "atc", "dfsdt", "react", "reflexion", "tool-planner",
    "toolchain-star", "toolnet", "tptu", "chain-of-thought", "plain-agent", "rag", "codeact", "tot",
)  # fmt: skip
TWO_QUESTIONS = ("chain-of-thought",)
"""Strategies that ask too little to use a small budget up."""


def go(
    workspace: Workspace,
    strategy: str,
    max_tokens: int | None,
    line: Any,
    *,
    stream: bool = False,
    options: OpenAiOptions | None = None,
) -> RunSummary:
    """A run with an endpoint that says `line` (a `TokenCount`, or what takes its place)."""

    async def body() -> RunSummary:
        from openai import AsyncOpenAI

        with scripted_endpoint(Answers(getattr(line, "answer", line))) as endpoint:
            client = AsyncOpenAI(api_key="none", base_url=endpoint.url, max_retries=0)
            settings = EndpointSettings(stream=stream)
            model = OpenAiModel("scripted", client=client, settings=settings, options=options)
            parts = make_parts(KITS, model, ScriptedProvider(), strategy=strategies.get(strategy))
            limits = Limits(max_tokens=max_tokens)
            spec = RunSpec(query="How warm is it in Oslo?", strategy=strategy, limits=limits)
            return await run(workspace, spec, parts=parts)

    return asyncio.run(body())


def never_stops() -> TokenCount:
    """An endpoint whose model is never content, in short replies."""
    return TokenCount(misbehaving("never stops", share=1.0, seed=1, clock=StallingClock()))


@pytest.mark.parametrize("strategy", TEN)
def test_run_when_replies_never_end_then_they_end_where_its_tokens_do(
    workspace: Workspace, strategy: str
) -> None:
    endless = TokenCount()
    done = go(workspace, strategy, 3000, endless)
    assert done.status is RunStatus.OVER_BUDGET
    assert done.reason.startswith("The budget of 3,000 tokens is used up: ")
    assert endless.total <= 3000
    assert done.tokens == endless.total
    assert None not in endless.limits
    assert replay_spoken(workspace, done).identical


@pytest.mark.parametrize(
    "strategy", [each for each in TEN if each != "chain-of-thought"]
)  # it asks twice
def test_run_when_the_next_prompt_does_not_fit_then_it_is_not_sent(
    workspace: Workspace, strategy: str
) -> None:
    ending = never_stops()
    done = go(workspace, strategy, 1200, ending)
    assert done.status is RunStatus.OVER_BUDGET
    assert done.reason.startswith("The budget of 1,200 tokens is used up: ")
    assert "the next prompt takes about" in done.reason
    assert 0 < ending.total <= 1200
    assert done.tokens == ending.total


@pytest.mark.parametrize("stream", [False, True])
def test_run_when_the_endpoint_ignores_the_limit_of_a_reply_then_it_is_not_read_on(
    workspace: Workspace, stream: bool
) -> None:
    done = go(workspace, "react", 1200, lambda _: Says("word " * 6000), stream=stream)
    assert done.status is RunStatus.OVER_BUDGET
    assert "went on beyond the" in done.reason
    assert done.model_calls == 1


def test_run_when_the_endpoint_knows_only_the_new_name_of_the_limit_then_it_gets_that(
    workspace: Workspace,
) -> None:
    endless = TokenCount()

    def line(body: dict[str, Any]) -> Any:
        if "max_tokens" in body:
            said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return Status(400, said)
        return endless.answer(body)

    done = go(workspace, "react", 3000, line)
    assert done.status is RunStatus.OVER_BUDGET
    assert endless.total <= 3000
    assert len(endless.limits) == 1
    assert endless.limits[0] is not None


def test_run_when_a_person_limits_replies_further_then_that_is_what_is_sent(
    workspace: Workspace,
) -> None:
    counted = never_stops()
    go(workspace, "react", 3000, counted, options=OpenAiOptions(reply_tokens=400))
    assert counted.limits[0] == 400


def test_run_when_it_has_no_limit_then_replies_are_given_none(workspace: Workspace) -> None:
    counted = never_stops()
    go(workspace, "react", None, counted)
    assert set(counted.limits) == {None}


def test_tokens_when_the_endpoint_counts_none_then_they_are_estimated_and_limited_all_the_same(
    workspace: Workspace,
) -> None:
    silent = TokenCount(tells=False)
    done = go(workspace, "react", 3000, silent)
    assert done.status is RunStatus.OVER_BUDGET
    assert done.estimated_tokens == done.tokens > 0
    assert silent.total <= 3000


def test_tokens_when_a_reply_is_asked_for_again_with_more_room_then_both_are_counted(
    workspace: Workspace,
) -> None:
    endless = TokenCount()
    done = go(workspace, "react", None, endless)
    assert endless.limits == [None, 8192]
    assert done.tokens == endless.total
    assert done.estimated_tokens == 0
