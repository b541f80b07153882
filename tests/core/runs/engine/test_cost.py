"""What runs cost: known, unknown, nothing; limits in dollars; the same in tree, list and search."""

import asyncio
import dataclasses
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_endpoint import Answers, scripted_endpoint
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts, transient

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ROOT, NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import ModelError, Usage
from toolplanner_core.llm.prices import FREE, Price, find_price, list_prices, save_prices
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.engine.run_parts import RunParts, prepare
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.question import ModelReplied
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.stored_runs import get_summary, load_tree, read_run
from toolplanner_core.runs.presentation.tree_text import render_tree
from toolplanner_core.runs.replay.fork import estimate_rerun, fork
from toolplanner_core.runs.searching.query import parse_run_query
from toolplanner_core.runs.searching.search import search_runs
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.workspace import Workspace

KITS = {f"Kit {i}": [make_api(f"kit{i}_0")] for i in range(1, 4)}
PLAN: list[Any] = [("a", 1, []), ("b", 2, [1])]
PRICE = Price(models=("m",), input=1000.0, output=2000.0)
PER_REPLY = 5 * 1000.0 / 1e6 + 1 * 2000.0 / 1e6
"""The scripted model reports 5 tokens in, 1 out."""


def priced(price: Price | None, **fields: Any) -> RunParts:
    parts = make_parts(KITS, ScriptedModel(plans=[[*PLAN]], **fields), ScriptedProvider())
    outside = dataclasses.replace(parts.outside, prices={Role.ACTING: price})
    return dataclasses.replace(parts, outside=outside)


def record(workspace: Workspace, price: Price | None, **limits: Any) -> RunSummary:
    spec = RunSpec(query="q", limits=Limits(**limits))
    return asyncio.run(run(workspace, spec, parts=priced(price)))


def test_cost_when_the_price_is_known_then_in_event_tree_totals_and_list(
    workspace: Workspace,
) -> None:
    done = record(workspace, PRICE)
    replies = [r.event for r in read_run(workspace, done.run) if isinstance(r.event, ModelReplied)]
    assert [event.cost for event in replies] == pytest.approx([PER_REPLY] * done.model_calls)
    assert done.cost == pytest.approx(PER_REPLY * done.model_calls)
    tree = load_tree(workspace, done.run)
    assert tree.nodes[ROOT].cost == pytest.approx(done.cost)
    parts = [tree.nodes[child].cost or 0.0 for child in tree.nodes[ROOT].children]
    assert sum(parts) == pytest.approx(done.cost)
    assert get_summary(workspace, done.run) == done
    assert "$0.0" in render_tree(tree)[0]


@pytest.mark.parametrize("tokens", [0, 5])
def test_cost_when_price_or_tokens_are_unknown_then_unknown_and_never_nothing(
    workspace: Workspace, tokens: int
) -> None:
    parts = priced(PRICE if tokens == 0 else None, tokens=tokens)
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts))
    assert done.cost is None
    assert get_summary(workspace, done.run).cost is None
    assert load_tree(workspace, done.run).nodes[ROOT].cost is None


def test_cost_when_all_requests_fail_then_unknown_without_a_price(workspace: Workspace) -> None:
    for price, cost in ((None, None), (FREE, 0.0)):
        broken = [ModelError(ErrorClass.NOT_FOUND, "no such model", is_transient=False)]
        parts = priced(price, answers={"make_plan": broken})
        done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts))
        assert (done.status, done.cost) == (Status.NOT_MEASURED, cost)
        assert get_summary(workspace, done.run).cost == cost
        assert load_tree(workspace, done.run).nodes[ROOT].cost == cost


def test_cost_when_nothing_is_charged_then_zero(workspace: Workspace) -> None:
    assert record(workspace, FREE).cost == 0.0
    assert record(workspace, FREE, max_cost=0.0).status is Status.ANSWERED


def test_limit_when_reached_then_the_next_call_is_not_made_and_the_run_ends_over_budget(
    workspace: Workspace,
) -> None:
    whole = record(workspace, PRICE)
    assert whole.cost is not None
    for limit in (0.0, PER_REPLY * 2.5, whole.cost / 2):
        done = record(workspace, PRICE, max_cost=limit)
        assert done.status is Status.OVER_BUDGET
        assert "budget of $" in done.reason
        assert done.cost is not None
        # A prompt's share is set aside before it leaves; only a reply can be dearer than that.
        assert done.cost < limit + PER_REPLY
        assert done.model_calls < whole.model_calls


def test_limit_when_a_reply_has_no_known_cost_then_no_further_call(workspace: Workspace) -> None:
    spec = RunSpec(query="q", limits=Limits(max_cost=1.0))
    done = asyncio.run(run(workspace, spec, parts=priced(PRICE, tokens=0)))
    assert (done.status, done.model_calls, done.cost) == (Status.OVER_BUDGET, 1, None)
    assert "not known" in done.reason


def test_budget_when_prompts_are_on_their_way_then_their_dollars_are_set_aside() -> None:
    budget = Budget(Limits(max_cost=1.0), Clock())
    assert budget.take_model_call(0.6) == ""
    with budget.setting_aside(0.6):
        assert budget.take_model_call(0.6) != "", "two branches cannot exceed it together"
        assert budget.take_model_call() == "", "a retry is set aside already"
    budget.charge(Totals(cost=0.5))
    assert budget.take_model_call(0.4) == ""
    assert budget.take_api_call() == "", "an API call costs no dollars"


def test_retry_when_there_is_a_limit_then_counted_once(workspace: Workspace) -> None:
    parts = priced(PRICE, answers={"make_plan": [transient()]})
    done = asyncio.run(run(workspace, RunSpec(query="q", limits=Limits(max_cost=9)), parts=parts))
    assert done.status is Status.ANSWERED
    assert done.cost == pytest.approx(PER_REPLY * (done.model_calls - 1))


def test_fork_when_estimated_then_says_what_the_rest_cost_and_charges_the_prefix(
    workspace: Workspace,
) -> None:
    done = record(workspace, PRICE)
    assert done.cost is not None
    at = NodePath("final_answer.1")
    spec = fork(workspace, done.run, at)
    assert spec.fork is not None
    cost = estimate_rerun(workspace, done.run, after_seq=spec.fork.seq)
    assert cost.cost == pytest.approx(PER_REPLY)
    child = asyncio.run(run(workspace, spec, parts=priced(PRICE)))
    assert child.cost == pytest.approx(done.cost)
    poor = dataclasses.replace(spec, limits=Limits(max_cost=done.cost - PER_REPLY))
    assert asyncio.run(run(workspace, poor, parts=priced(PRICE))).status is Status.OVER_BUDGET
    unknown = record(workspace, None)
    assert estimate_rerun(workspace, unknown.run).cost is None


def test_search_when_cost_is_compared_then_unknown_fits_nothing(workspace: Workspace) -> None:
    dear, free, unknown = (record(workspace, price).run for price in (PRICE, FREE, None))

    def found(text: str) -> set[int]:
        words, filters = parse_run_query(text)
        return {hit.summary.run for hit in search_runs(workspace, words, filters)}

    assert found("cost>0.01") == {dear}
    assert found("cost:0") == {free}
    assert found("q cost<=0.01 tokens>1") == {free}
    assert found("") == {dear, free, unknown}


def test_prepare_when_a_limit_needs_a_price_that_nobody_knows_then_refused(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    catalogue = WorkspaceCatalogue(workspace)
    spec = RunSpec(query="q", model="openai:nobody-knows", limits=Limits(max_cost=1.0))
    try:
        with pytest.raises(BadInput, match="nobody-knows is not known"):
            prepare(workspace, spec, catalogue)
        with pytest.raises(BadInput, match="nobody-knows"):
            planner = dataclasses.replace(spec, model="offline", roles={"planning": spec.model})
            prepare(workspace, planner, catalogue)
        save_prices(workspace, [{"models": ["nobody*"], "input": 1, "output": 1}])
        price = prepare(workspace, spec, catalogue).outside.price_for(Role.PLANNING)
        assert price is not None and price.input == 1.0
    finally:
        catalogue.close()


@pytest.mark.parametrize(("model", "is_known"), [("gpt-4o-mini", True), ("my-own", False)])
def test_cost_when_an_endpoint_reports_tokens_then_by_the_table_or_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, is_known: bool
) -> None:
    path = tmp_path / "w.toolplanner"
    command_here("new", path)
    refuses = Answers(lambda body: '{"steps": [], "unmet": ["all of it"]}')
    with scripted_endpoint(refuses) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        arguments = ("--model", f"openai:{model}", "--json")
        done = command_here("run", path, "Convert 10 USD to EUR", *arguments).data
    assert done["model_calls"] == len(endpoint.requests) > 0
    price = find_price(model, list_prices())
    if is_known:
        assert price is not None
        usage = Usage(input_tokens=11, output_tokens=7, cached_tokens=3)
        assert done["cost"] == pytest.approx((price.cost_of(usage) or 0) * done["model_calls"])
        assert 0 < done["cost"] < 0.001
    else:
        assert (price, done["cost"]) == (None, None)
        assert " · – · " in command_here("runs", "show", path, done["run"]).out


def test_command_when_a_run_costs_nothing_or_has_a_limit_then_said(tmp_path: Path) -> None:
    path = tmp_path / "w.toolplanner"
    command_here("new", path)
    done = command_here("run", path, "Convert 10 USD to EUR", "--max-cost", "0.5", "--json")
    assert done.data["cost"] == 0.0
    assert "$0" in command_here("runs", "list", path).out
    assert " · $0 · " in command_here("runs", "show", path, done.data["run"]).out
    assert command_here("runs", "list", path, "--json").data[0]["cost"] == 0.0
    assert command_here("run", path, "q", "--max-cost", "nan").status == 2
    assert command_here("run", path, "q", "--max-cost", "-1").status == 2
    refused = command_here("run", path, "q", "--model", "openai:x", "--max-cost", 1)
    assert refused.status == 2
    assert len(command_here("runs", "list", path, "--json").data) == 1
