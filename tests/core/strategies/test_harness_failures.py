"""Failures of the harness are none of the method, alike for every strategy.

A real endpoint on loopback that refuses for its rate, is out of order, lets nobody in or is not
there, from the first request on or after a good one; and a day's budget that is used up.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.misbehaving import StallingClock, misbehaving
from fixtures.scripted_endpoint import Answers, Status, scripted_endpoint
from fixtures.scripted_run import QuickClock, ScriptedProvider, make_parts
from fixtures.spoken_run import KITS, replay_spoken

from toolplanner_core.cli.run import describe_summary
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.outcome import RunOutcome
from toolplanner_core.domain.plan import Status as RunStatus
from toolplanner_core.llm.openai_model import OpenAiModel
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.settings import DayLimits, EndpointSettings, Settings, save_settings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import error_figures, errors_of_run

TEN = (
    "adaplanner", "anytool", "atc", "dfsdt", "react", "reflexion", "tool-planner",
    "toolchain-star", "toolnet", "tptu", "chain-of-thought", "plain-agent", "rag", "codeact", "tot",
)  # fmt: skip
TWO_QUESTIONS = ("chain-of-thought",)
"""Strategies that ask too little to use a small budget up."""
FAULTS = {
    429: ErrorClass.RATE_LIMITED,
    503: ErrorClass.SERVER_ERROR,
    401: ErrorClass.UNAUTHORISED,
}


def go(workspace: Workspace, strategy: str, line: Any, *, url: str = "") -> RunSummary:
    """A run whose endpoint says what `line` makes of a request; or one at an address."""

    async def body() -> RunSummary:
        from openai import AsyncOpenAI

        with scripted_endpoint(Answers(line)) as endpoint:
            address = url or endpoint.url
            client = AsyncOpenAI(api_key="none", base_url=address, max_retries=0)
            model = OpenAiModel("scripted", client=client, settings=EndpointSettings())
            parts = make_parts(KITS, model, ScriptedProvider(), strategy=strategies.get(strategy))
            spec = RunSpec(query="How warm is it in Oslo?", strategy=strategy)
            return await run(workspace, spec, parts=parts, clock=QuickClock())

    return asyncio.run(body())


def good_then(code: int, good: int) -> Any:
    """Answers some requests, and then fails for good."""
    answer = misbehaving("never stops", share=0.0, seed=1, clock=StallingClock())
    asked = 0

    def line(body: dict[str, Any]) -> Any:
        nonlocal asked
        asked += 1
        return answer(body) if asked <= good else Status(code)

    return line


@pytest.mark.parametrize("strategy", TEN)
@pytest.mark.parametrize("good", [0, 1])
@pytest.mark.parametrize("code", FAULTS)
def test_run_when_the_endpoint_fails_then_it_is_not_measured_and_counted_apart(
    workspace: Workspace, strategy: str, good: int, code: int
) -> None:
    done = go(workspace, strategy, good_then(code, good))
    assert (done.status, done.outcome) == (RunStatus.NOT_MEASURED, RunOutcome.NOT_MEASURED)
    assert "No usable answer from the model" in done.reason
    assert ": not measured by " in describe_summary(done)
    figures = errors_of_run(workspace, done.run)
    assert [(figure.error, figure.is_harness) for figure in figures] == [(FAULTS[code], True)]
    assert error_figures(workspace) == figures
    assert replay_spoken(workspace, done).identical


@pytest.mark.parametrize(
    "strategy", [each for each in TEN if each != "chain-of-thought"]
)  # it asks twice
def test_run_when_the_days_budget_is_used_up_then_it_is_not_measured(
    workspace: Workspace, strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))
    save_settings(Settings(day_limits=DayLimits(max_tokens=30)))
    done = go(workspace, strategy, good_then(500, 100))
    assert done.status is RunStatus.NOT_MEASURED
    assert done.reason.startswith("The day's budget of 30 tokens is used up")
    (figure,) = errors_of_run(workspace, done.run)
    assert (figure.error, figure.is_harness) == (ErrorClass.DAY_BUDGET, True)
    assert replay_spoken(workspace, done).identical


def test_run_when_nobody_listens_at_the_address_then_it_is_not_measured(
    workspace: Workspace,
) -> None:
    with scripted_endpoint() as gone:
        pass
    done = go(workspace, "react", good_then(500, 0), url=gone.url)
    assert done.status is RunStatus.NOT_MEASURED
    assert "cannot be reached" in done.reason


def test_run_when_a_model_says_nothing_of_use_then_it_is_the_methods_failure(
    workspace: Workspace,
) -> None:
    line = misbehaving("invalid JSON", share=1.0, seed=1, clock=StallingClock())
    done = go(workspace, "tool-planner", line)
    assert done.status is RunStatus.UNSOLVED
    assert not any(figure.is_harness for figure in errors_of_run(workspace, done.run))


def test_errors_when_listed_then_those_of_the_harness_stand_apart(workspace: Workspace) -> None:
    go(workspace, "react", good_then(429, 0))
    run = go(
        workspace, "dfsdt", misbehaving("hallucinates", share=1.0, seed=1, clock=StallingClock())
    ).run
    told = command_here("runs", "list", workspace.path, "--by", "error").out
    rows = [line for line in told.splitlines() if "harness" in line]
    assert len(rows) == 1 and "rate limited" in rows[0]
    data = command_here("runs", "list", workspace.path, "--by", "error", "--json").data
    assert [(row["error"], row["is_harness"]) for row in data] == [
        ("unknown_api", False),
        ("rate_limited", True),
    ]
    assert "harness" not in command_here("runs", "show", workspace.path, str(run)).out
    shown = command_here("runs", "show", workspace.path, str(run - 1)).out
    assert "Errors of the harness, none of the strategy: rate limited 1" in shown
    assert "Errors by class" not in shown
