"""The budget of a day: over all runs and workspaces of a person, refused before the question is
asked, counted with what other processes spend."""

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_endpoint import Answers, scripted_endpoint
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts

from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput, ModelUnavailable
from toolplanner_core.llm import day_budget
from toolplanner_core.llm.day_budget import DayBudget, DaySpent
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.prices import FREE, Price
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.run_parts import RunParts, prepare
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.runs.judging.verdicts import judge_run
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.settings import (
    DayLimits,
    EndpointSettings,
    Settings,
    load_settings,
    save_settings,
)
from toolplanner_core.workspace import Workspace

KITS = {f"Kit {i}": [make_api(f"kit{i}_0")] for i in range(1, 4)}
PRICE = Price(models=("m",), input=1000.0, output=2000.0)
PER_REPLY = 5 * 1000.0 / 1e6 + 1 * 2000.0 / 1e6
"""The scripted model reports 5 tokens in, 1 out."""


@pytest.fixture(autouse=True)
def a_day_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))
    today = tmp_path / "person" / "spent-2026-11-23.txt"
    monkeypatch.setattr(day_budget, "_file_of_today", lambda: today)
    return today


def parts_at(price: Price | None) -> RunParts:
    model = ScriptedModel(plans=[[("a", 1, []), ("b", 2, [1])]])
    parts = make_parts(KITS, model, ScriptedProvider())
    outside = dataclasses.replace(parts.outside, prices={Role.ACTING: price})
    return dataclasses.replace(parts, outside=outside)


def solved(workspace: Workspace, price: Price | None = PRICE) -> RunSummary:
    return asyncio.run(run(workspace, RunSpec(query="q"), parts=parts_at(price)))


def a_day_may_cost(**limits: float) -> None:
    save_settings(Settings(day_limits=DayLimits(**limits)))


def test_runs_when_the_days_tokens_are_spent_then_the_next_question_is_not_asked(
    workspace: Workspace, tmp_path: Path
) -> None:
    first = solved(workspace)
    a_day_may_cost(max_tokens=first.tokens + 12)
    with Workspace.create(tmp_path / "other.toolplanner") as other:
        second = solved(other)
        asked = [r for r in read_run(other, second.run) if isinstance(r.event, ModelAsked)]
    assert first.status is Status.ANSWERED and second.status is Status.NOT_MEASURED
    assert len(asked) == second.model_calls == 2, "two replies of six tokens are left"
    assert f"The day's budget of {first.tokens + 12} tokens is used up" in second.reason
    third = solved(workspace)
    assert (third.status, third.model_calls) == (Status.NOT_MEASURED, 0)
    assert replay(workspace, third.run).identical, "a replay asks nobody what is left"


def test_run_when_the_days_dollars_would_not_do_then_refused_before_they_are_spent(
    workspace: Workspace,
) -> None:
    a_day_may_cost(max_cost=1.5 * PER_REPLY)
    done = solved(workspace)
    assert done.status is Status.NOT_MEASURED and "The day's budget of $" in done.reason
    spent = DayBudget().spent()
    assert (spent.replies, spent.cost) == (done.model_calls, pytest.approx(done.cost))
    assert spent.cost < 1.5 * PER_REPLY + PER_REPLY
    assert solved(workspace, FREE).status is Status.ANSWERED, "what costs nothing goes on"
    assert DayBudget().spent() == spent, "and is not counted"


def test_limit_in_dollars_when_a_price_is_not_known_then_refused_before_the_run(
    workspace: Workspace,
) -> None:
    a_day_may_cost(max_cost=1.0)
    with pytest.raises(BadInput, match="The day's budget in dollars cannot be kept"):
        prepare(
            workspace, RunSpec(query="q", model="openai:unheard-of"), WorkspaceCatalogue(workspace)
        )


def test_book_when_others_write_then_their_replies_count_and_a_torn_line_does_not(
    a_day_of_its_own: Path,
) -> None:
    old = a_day_of_its_own.with_name("spent-2026-11-22.txt")
    old.parent.mkdir()
    old.write_text("9 1.0\n")
    here, there = DayBudget(), DayBudget()
    here.add(Usage(input_tokens=5, output_tokens=1), PRICE)
    there.add(Usage(input_tokens=10), None)
    with a_day_of_its_own.open("a") as file:
        file.write("nonsense\n7")
    assert here.spent() == there.spent()
    assert here.spent() == DaySpent(replies=2, tokens=16, cost=PER_REPLY, unpriced=1)
    assert "1 reply of unknown price" in here.spent().words
    assert not old.exists(), "yesterday is over"


def test_judge_when_the_day_is_used_up_then_not_asked_and_else_counted_as_the_preference_says(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = solved(workspace)
    said = json.dumps({"reason": "so it is", "solved": True})
    with scripted_endpoint(Answers(lambda _: said)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_MODEL", "usual")
        named = EndpointSettings(roles={"judging": "strict"})
        save_settings(Settings(endpoint=named))
        assert judge_run(workspace, done.run).who == "openai:strict"
        before = DayBudget().spent().replies
        save_settings(Settings(endpoint=named, day_limits=DayLimits(max_tokens=1)))
        with pytest.raises(ModelUnavailable, match="The day's budget of 1 token is used up"):
            judge_run(workspace, done.run)
    assert len(endpoint.requests) == 1 and before == done.model_calls + 1


def test_budgets_when_set_by_command_then_kept_shown_and_used_by_runs(tmp_path: Path) -> None:
    command_here("budgets", "set", "--day-tokens", "5000", "--run-model-calls", "3")
    command_here("budgets", "set", "--day-cost", "2.5", "--day-tokens", "none")
    assert load_settings().day_limits == DayLimits(max_cost=2.5)
    shown = command_here("budgets", "show").out
    assert "Model calls: 3" in shown and "US dollars: 2.5" in shown and "600 ·" in shown
    assert "Spent today: nothing yet" in shown
    file = tmp_path / "demo.toolplanner"
    command_here("new", file, "--demo")
    few = command_here("run", file, "What time is it in Tokyo?", "--json").data
    assert few["model_calls"] == 3 and "3 model calls" in few["reason"]
    more = command_here(
        "run", file, "What time is it in Tokyo?", "--max-model-calls", "50", "--json"
    ).data
    assert more["model_calls"] > 3, "what a run says of itself comes first"
    assert "a whole number" in command_here("budgets", "set", "--day-tokens", "many").err
