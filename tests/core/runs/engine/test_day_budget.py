"""The budget of a day: over all runs and workspaces of a person, refused before the question is
asked, counted with what other processes spend."""

import asyncio
import dataclasses
import json
import time
from pathlib import Path

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_endpoint import Answers, scripted_endpoint
from fixtures.scripted_run import (
    ScriptedModel,
    ScriptedProvider,
    api_finder,
    make_api,
    make_parts,
)
from fixtures.token_endpoint import TokenCount

from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput, ModelUnavailable
from toolplanner_core.llm import day_budget
from toolplanner_core.llm.day_budget import DayBudget, DayRoom, DaySpent
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.openai_model import OpenAiModel
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
from toolplanner_core.strategies.interface.strategy import strategies
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
        assert replay(other, second.run).identical, "a replay asks nobody what is left"
    assert first.status is Status.ANSWERED and second.status is Status.NOT_MEASURED
    assert len(asked) == second.model_calls == 0, "its prompt would pass the limit"
    assert f"The day's budget of {first.tokens + 12} tokens is used up" in second.reason
    assert "the next prompt takes about" in second.reason
    assert DayBudget().spent().tokens == first.tokens


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
    command_here("budgets", "set", "--run-cost", "0.012267499999999999")
    assert "US dollars: 0.0122675 ·" in command_here("budgets", "show").out.replace("\n", " ·")
    command_here("budgets", "set", "--run-cost", "none")
    file = tmp_path / "demo.toolplanner"
    command_here("new", file, "--demo")
    few = command_here("run", file, "What time is it in Tokyo?", "--json").data
    assert few["model_calls"] == 3 and "3 model calls" in few["reason"]
    more = command_here(
        "run", file, "What time is it in Tokyo?", "--max-model-calls", "50", "--json"
    ).data
    assert more["model_calls"] > 3, "what a run says of itself comes first"
    assert "a whole number" in command_here("budgets", "set", "--day-tokens", "many").err


def test_room_when_another_holds_it_then_waits_until_it_is_given_back() -> None:
    limits = DayLimits(max_tokens=1000)
    here, there = DayBudget(limits), DayBudget(limits)  # as of two processes: one file
    seen: list[str] = []

    async def first(entered: asyncio.Event, may_end: asyncio.Event) -> None:
        async with here.setting_aside(600, None) as room:
            assert room == DayRoom(reply_tokens=400)
            entered.set()
            await may_end.wait()
            seen.append("first ends")
            here.add(Usage(input_tokens=600, output_tokens=50), None)

    async def second(entered: asyncio.Event) -> None:
        await entered.wait()
        async with there.setting_aside(300, None) as room:
            seen.append("second begins")
            assert room == DayRoom(reply_tokens=50), "what is left beside both prompts"

    async def both() -> None:
        entered, may_end = asyncio.Event(), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(first(entered, may_end))
            waiting = group.create_task(second(entered))
            await entered.wait()
            assert not seen and not waiting.done()
            may_end.set()

    asyncio.run(both())
    assert seen == ["first ends", "second begins"]

    async def third() -> DayRoom:
        async with there.setting_aside(400, None) as room:
            return room

    assert "is used up: 1 reply, 650 tokens," in asyncio.run(third()).refused


def test_room_when_its_process_was_killed_then_held_for_a_while_only(
    a_day_of_its_own: Path,
) -> None:
    a_day_of_its_own.parent.mkdir()
    gone, alive = time.time() - 1, time.time() + 600
    a_day_of_its_own.write_text(f"aside dead 900 0.0 {gone:.0f}\naside slow 300 0.0 {alive:.0f}\n")

    async def room() -> DayRoom:
        async with DayBudget(DayLimits(max_tokens=1000)).setting_aside(100, None) as given:
            return given

    assert asyncio.run(room()) == DayRoom(reply_tokens=600)


@pytest.mark.parametrize("limits", [DayLimits(max_tokens=2500), DayLimits(max_cost=3.0)])
def test_day_when_many_ask_at_once_then_its_limit_is_not_passed(limits: DayLimits) -> None:
    price = Price(models=("m",), input=500.0, output=2000.0)

    async def ask() -> str:
        day = DayBudget(limits)
        async with day.setting_aside(300, price, prompt_cost=0.15) as room:
            if room.refused:
                return room.refused
            await asyncio.sleep(0)
            most = room.reply_tokens or 0
            day.add(Usage(input_tokens=300, output_tokens=min(most, 200)), price)
            return ""

    async def all_of_them() -> list[str]:
        return await asyncio.gather(*(ask() for _ in range(12)))

    refused = asyncio.run(all_of_them())
    spent = DayBudget().spent()
    assert 0 < len([why for why in refused if not why]) < 12
    assert spent.tokens <= (limits.max_tokens or spent.tokens)
    assert spent.cost <= (limits.max_cost or spent.cost) + 1e-6


def test_run_when_the_days_rest_cuts_a_reply_then_it_is_not_measured_and_the_day_is_kept(
    workspace: Workspace,
) -> None:
    a_day_may_cost(max_tokens=3000)
    endless = TokenCount()  # counts by a real tokenizer; its replies have no end

    async def body(strategy: str) -> RunSummary:
        from openai import AsyncOpenAI

        with scripted_endpoint(Answers(endless.answer)) as endpoint:
            client = AsyncOpenAI(api_key="none", base_url=endpoint.url, max_retries=0)
            model = OpenAiModel("m", client=client, settings=EndpointSettings(stream=False))
            parts = make_parts(KITS, model, ScriptedProvider(), strategy=strategies.get(strategy))
            return await run(workspace, RunSpec(query="q", strategy=strategy), parts=parts)

    for strategy in ("react", "tool-planner"):
        done = asyncio.run(body(strategy))
        assert done.status is Status.NOT_MEASURED, "the day is no limit of the strategy"
        assert "The day's budget" in done.reason
        assert replay(workspace, done.run, api_of=api_finder(KITS)).identical
    assert 0 < endless.total <= 3000
    assert DayBudget().spent().tokens <= 3000
