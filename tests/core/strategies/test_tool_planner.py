"""Tool-Planner end to end: real gate, log and SQLite; scripted model, provider and catalogue."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts, ok

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.model import ModelError
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.decision import Decided
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.presentation.tree_text import render_tree
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.toolkits.plan_nodes import EXHAUSTED
from toolplanner_core.workspace import Workspace

A1, A2, A3 = make_api("alpha_1"), make_api("alpha_2"), make_api("alpha_3")
B1, B2 = make_api("beta_1"), make_api("beta_2")
C1 = make_api("gamma_1")
KITS = {"Alpha": [A1, A2, A3], "Beta": [B1, B2], "Gamma": [C1]}


def go(
    workspace: Workspace,
    model: ScriptedModel,
    provider: ScriptedProvider,
    *,
    kits: Any = None,
    limits: Limits | None = None,
    **options: Any,
) -> tuple[RunSummary, RunTree]:
    parts = make_parts(kits or KITS, model, provider, **options)
    spec = RunSpec(query="do it", limits=limits or Limits())
    summary = asyncio.run(run(workspace, spec, parts=parts))
    return summary, load_tree(workspace, summary.run)


def state(tree: RunTree, path: str) -> NodeState:
    return tree.nodes[NodePath(path)].state


def test_run_when_nothing_fails_then_solved_without_fallback(workspace: Workspace) -> None:
    model = ScriptedModel(plans=[[("one", 1, []), ("two", 2, [1])]])
    provider = ScriptedProvider()
    summary, tree = go(workspace, model, provider)
    assert summary.status is Status.ANSWERED
    assert (summary.api_calls, summary.failed_calls, summary.fallbacks, summary.replans) == (
        2, 0, 0, 0,
    )  # fmt: skip
    assert [name for name, _ in provider.calls] == ["alpha_1", "beta_1"]
    assert all(node.state is NodeState.OK for node in tree.nodes.values())
    assert summary.tokens == tree.nodes[NodePath("")].tokens == summary.model_calls * 6


def test_run_when_first_api_fails_then_falls_back_with_its_cause(workspace: Workspace) -> None:
    provider = ScriptedProvider({"alpha_1": bad(500)})
    summary, tree = go(workspace, ScriptedModel(plans=[[("one", 1, [])]]), provider)
    assert summary.status is Status.ANSWERED
    assert (summary.fallbacks, summary.failed_calls, summary.replans) == (1, 1, 0)
    assert state(tree, "plan.1/step.1/attempt.1") is NodeState.FELL_BACK
    second = tree.nodes[NodePath("plan.1/step.1/attempt.2")]
    assert second.state is NodeState.OK
    assert second.cause_text == "because alpha · alpha_1 failed: server error 500"
    records = {record.seq: record for record in read_run(workspace, summary.run)}
    assert second.cause is not None
    assert records[second.cause].event.type == "call.failed"
    assert any("↰ because alpha · alpha_1 failed" in line for line in render_tree(tree))


def test_fallback_when_another_api_may_change_more_then_it_is_no_way_out(
    workspace: Workspace,
) -> None:
    deletes, reads = make_api("alpha_9", risk=Risk.DESTRUCTIVE), make_api("alpha_2")
    provider = ScriptedProvider({"alpha_1": bad(500), "alpha_2": bad(500)})
    model = ScriptedModel(plans=[[("one", 1, [])]])
    summary, _ = go(workspace, model, provider, kits={"Alpha": [A1, deletes, reads]})
    assert [name for name, _ in provider.calls][:2] == ["alpha_1", "alpha_2"]
    assert "alpha_9" not in [name for name, _ in provider.calls]
    assert summary.status is not Status.ANSWERED


def test_run_when_two_apis_fail_then_third_answers(workspace: Workspace) -> None:
    provider = ScriptedProvider({"alpha_1": bad(500), "alpha_2": bad(429)})
    summary, tree = go(workspace, ScriptedModel(plans=[[("one", 1, [])]]), provider)
    assert summary.status is Status.ANSWERED
    assert (summary.fallbacks, summary.failed_calls) == (2, 2)
    assert state(tree, "plan.1/step.1/attempt.2") is NodeState.FELL_BACK
    assert "rate limited 429" in tree.nodes[NodePath("plan.1/step.1/attempt.3")].cause_text


def test_run_when_toolkit_is_exhausted_then_replans_and_keeps_the_prefix(
    workspace: Workspace,
) -> None:
    provider = ScriptedProvider({"beta_1": bad(503), "beta_2": bad(404)})
    model = ScriptedModel(
        plans=[
            [("one", 1, []), ("two", 2, [1]), ("three", 1, [2])],
            [("one", 1, []), ("two", 3, [1]), ("three", 1, [2])],
        ]
    )
    summary, tree = go(workspace, model, provider)
    assert summary.status is Status.ANSWERED
    assert summary.replans == 1
    assert [name for name, _ in provider.calls] == [
        "alpha_1", "beta_1", "beta_2", "gamma_1", "alpha_1",
    ]  # fmt: skip
    assert state(tree, "plan.1") is NodeState.REPLANNED
    assert state(tree, "plan.1/step.3") is NodeState.ABANDONED
    assert state(tree, "plan.2/step.1") is NodeState.KEPT
    second = tree.nodes[NodePath("plan.2")]
    assert second.cause_text == "because no API of Beta could do the step"
    exhausted = next(
        r
        for r in read_run(workspace, summary.run)
        if isinstance(r.event, Decided) and r.event.point == EXHAUSTED.id
    )
    assert second.cause == exhausted.seq
    replan = next(r.question for r in model.asked if r.question.id == "replan")
    assert 2 not in {card.id for card in replan.toolkits}


def test_run_when_one_parallel_branch_is_exhausted_then_siblings_finish_and_are_kept(
    workspace: Workspace,
) -> None:
    provider = ScriptedProvider({"beta_1": bad(500), "beta_2": bad(500)})
    model = ScriptedModel(
        plans=[
            [("left", 2, []), ("right", 1, [])],
            [("right", 1, []), ("left", 3, [])],
        ]
    )
    summary, tree = go(workspace, model, provider)
    assert summary.status is Status.ANSWERED
    assert sorted(name for name, _ in provider.calls) == ["alpha_1", "beta_1", "beta_2", "gamma_1"]
    assert state(tree, "plan.2/step.1") is NodeState.KEPT
    assert state(tree, "plan.2/step.2") is NodeState.OK
    opened = {n.path: n for n in tree.nodes.values()}
    left, right = opened[NodePath("plan.1/step.1")], opened[NodePath("plan.1/step.2")]
    assert left.started_ns is not None and right.ended_ns is not None
    assert left.started_ns < right.ended_ns and right.opened_seq < (left.closed_seq or 0)


def test_run_when_all_toolkits_fail_then_unsolved_after_capped_replans(
    workspace: Workspace,
) -> None:
    kits = {f"Kit {i}": [make_api(f"kit{i}_1")] for i in range(1, 9)}
    provider = ScriptedProvider({f"kit{i}_1": bad(500) for i in range(1, 9)})
    model = ScriptedModel(plans=[[("one", i, [])] for i in range(1, 9)])
    summary, tree = go(workspace, model, provider, kits=kits, max_replans=3)
    assert summary.status is Status.UNSOLVED
    assert (summary.replans, summary.api_calls) == (3, 4)
    assert state(tree, "plan.4") is NodeState.FAILED
    assert "open: one" in summary.reason


def test_run_when_replan_drops_a_need_then_answer_says_it(workspace: Workspace) -> None:
    provider = ScriptedProvider({"gamma_1": bad(401)})
    model = ScriptedModel(plans=[[("one", 1, []), ("two", 3, [1])], [("one", 1, [])]], arguments={})
    summary, _ = go(workspace, model, provider)
    assert summary.status is Status.UNSOLVED
    assert summary.answer == "one done"
    assert summary.reason == "open: two"


def test_step_when_toolkit_has_over_nine_members_then_nine_are_tried(workspace: Workspace) -> None:
    members = [make_api(f"many_{i}") for i in range(12)]
    provider = ScriptedProvider({api.name: bad(500) for api in members})
    model = ScriptedModel(plans=[[("one", 1, [])], []])
    summary, _ = go(workspace, model, provider, kits={"Many": members})
    assert summary.api_calls == 9
    assert summary.fallbacks == 8


def test_step_when_toolkits_are_off_then_one_api_per_step(workspace: Workspace) -> None:
    provider = ScriptedProvider({"alpha_1": bad(500)})
    model = ScriptedModel(plans=[[("one", 1, [])], [("one", 2, [])]])
    summary, _ = go(workspace, model, provider, toolkits=False)
    assert (summary.fallbacks, summary.replans, summary.api_calls) == (0, 1, 2)


def test_attempt_when_result_is_useless_then_falls_back_as_empty_result(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(plans=[[("one", 1, [])]], useless={"alpha_1"})
    summary, tree = go(workspace, model, ScriptedProvider())
    first = tree.nodes[NodePath("plan.1/step.1/attempt.1")]
    assert (first.state, first.error) == (NodeState.FELL_BACK, "empty_result")
    assert (summary.fallbacks, summary.failed_calls) == (1, 0)


def test_attempt_when_argument_is_missing_then_no_call_is_made(workspace: Workspace) -> None:
    needy = make_api(
        "needy_1",
        parameters={
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    )
    provider = ScriptedProvider()
    summary, tree = go(
        workspace,
        ScriptedModel(plans=[[("one", 1, [])]]),
        provider,
        kits={"Needy": [needy, A2]},
    )
    assert [name for name, _ in provider.calls] == ["alpha_2"]
    assert summary.api_calls == 1
    call = tree.nodes[NodePath("plan.1/step.1/attempt.1/call.1")]
    assert (call.error, call.reason) == (
        "missing_parameter", 'missing parameter: "city" is missing',
    )  # fmt: skip
    assert tree.nodes[NodePath("plan.1/step.1/attempt.1")].state is NodeState.FELL_BACK


def test_arguments_when_bound_to_an_earlier_result_then_value_and_binding_are_kept(
    workspace: Workspace,
) -> None:
    taker = make_api(
        "taker_1",
        parameters={"type": "object", "properties": {"lat": {"type": "number"}}},
    )
    model = ScriptedModel(
        plans=[[("place", 1, []), ("weather", 2, [1])]],
        arguments={"taker_1": {"lat": {"$result": {"step": 1, "path": ["places", 0, "lat"]}}}},
    )
    provider = ScriptedProvider({"alpha_1": ok({"places": [{"lat": 45.8}]})})
    summary, _ = go(workspace, model, provider, kits={"Alpha": [A1], "Taker": [taker]})
    assert summary.status is Status.ANSWERED
    assert provider.calls[-1] == ("taker_1", {"lat": 45.8})
    sent = [r.event for r in read_run(workspace, summary.run) if r.event.type == "call.sent"]
    assert sent[-1].to_body()["bindings"] == {"lat": {"step": 1, "path": ["places", 0, "lat"]}}


def test_replan_when_an_independent_step_moves_then_later_bindings_follow_its_new_number(
    workspace: Workspace,
) -> None:
    taker = make_api(
        "taker_1",
        parameters={"type": "object", "properties": {"n": {"type": "integer"}}},
    )

    def bind(question: Any) -> dict[str, Any]:
        place = next(r for r in question.results if r.goal == "place")
        return {"n": {"$result": {"step": place.step, "path": ["n"]}}}

    model = ScriptedModel(
        plans=[
            [("other", 2, []), ("place", 1, []), ("use", 3, [2])],
            [("place", 1, []), ("use", 3, [1])],
        ],
        arguments={"taker_1": bind},
    )
    provider = ScriptedProvider({"alpha_1": ok({"n": 7}), "beta_1": bad(500), "beta_2": bad(500)})
    kits = {"Alpha": [A1], "Beta": [B1, B2], "Taker": [taker]}
    summary, tree = go(workspace, model, provider, kits=kits)
    assert provider.calls[-1] == ("taker_1", {"n": 7})
    assert [name for name, _ in provider.calls].count("alpha_1") == 1
    assert state(tree, "plan.2/step.1") is NodeState.KEPT
    assert summary.status is Status.UNSOLVED  # "other" is left open


def test_run_when_api_budget_is_used_up_then_over_budget_with_what_it_has(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(plans=[[("one", 1, []), ("two", 2, [1])]])
    provider = ScriptedProvider()
    summary, tree = go(workspace, model, provider, limits=Limits(max_api_calls=1))
    assert summary.status is Status.OVER_BUDGET
    assert summary.answer == "one done"
    assert len(provider.calls) == 1
    assert "1 API call" in summary.reason
    assert state(tree, "plan.1") is NodeState.FAILED
    assert summary.replans == summary.fallbacks == 0


@pytest.mark.parametrize("limit", range(5))
def test_run_when_model_budget_is_used_up_then_over_budget_at_every_limit(
    workspace: Workspace, limit: int
) -> None:
    model = ScriptedModel(plans=[[("one", 1, [])]])
    summary, _ = go(workspace, model, ScriptedProvider(), limits=Limits(max_model_calls=limit))
    expected = Status.ANSWERED if limit == 4 else Status.OVER_BUDGET
    assert summary.status is expected
    assert len(model.asked) == limit == summary.model_calls


def test_run_when_the_model_is_lost_then_no_other_api_is_tried_and_results_are_kept(
    workspace: Workspace,
) -> None:
    lost = ModelError(ErrorClass.UNAUTHORISED, "no key", is_transient=False)
    model = ScriptedModel(plans=[[("one", 1, []), ("two", 2, [1])]])
    model.answers = {
        "fill_arguments": [{"arguments": {}, "missing": []}, lost],
        "final_answer": [lost],
    }
    summary, tree = go(workspace, model, ScriptedProvider())
    assert summary.status is Status.NOT_MEASURED
    assert summary.answer == "one done"
    assert "no key" in summary.reason
    assert (summary.fallbacks, summary.replans, summary.api_calls) == (0, 0, 1)
    assert tree.nodes[NodePath("plan.1/step.2")].error == "unauthorised"


def test_attempt_when_the_model_cannot_fill_arguments_then_the_next_api_is_tried(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(plans=[[("one", 1, [])]])
    model.answers = {"fill_arguments": [{"no": 1}] * 3}
    summary, tree = go(workspace, model, ScriptedProvider())
    assert summary.status is Status.ANSWERED
    first = tree.nodes[NodePath("plan.1/step.1/attempt.1")]
    assert (first.state, first.error) == (NodeState.FELL_BACK, "wrong_format")


def test_member_order_when_random_then_seed_decides(tmp_path: Path) -> None:
    orders: list[list[str]] = []
    for name in ("a", "b"):
        with Workspace.create(tmp_path / f"{name}.toolplanner") as opened:
            members = [make_api(f"many_{i}") for i in range(9)]
            provider = ScriptedProvider({api.name: bad(500) for api in members})
            model = ScriptedModel(plans=[[("one", 1, [])], []])
            go(opened, model, provider, kits={"Many": members}, member_order="random")
            orders.append([name for name, _ in provider.calls])
    assert orders[0] == orders[1] != sorted(orders[0])
