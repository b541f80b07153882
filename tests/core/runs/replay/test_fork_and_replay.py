"""Tape, replay, fork: nothing of a prefix is done twice, and every difference is found."""

import asyncio
import os
import random
import socket
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fixtures.scripted_run import (
    ScriptedModel,
    ScriptedProvider,
    api_finder,
    bad,
    make_api,
    make_parts,
    ok,
)
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Answer, Status, Task
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallSent
from toolplanner_core.runs.events.fork import PersonDecided
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.log.tape import plain_body
from toolplanner_core.runs.replay.fork import ForkChanges, estimate_rerun, fork
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin, strategies
from toolplanner_core.strategies.tool_planner import ToolPlannerOptions
from toolplanner_core.strategies.toolkits.plan_nodes import REPLAN
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import read_records

KITS = {f"Kit {i}": [make_api(f"kit{i}_{j}") for j in range(3)] for i in range(1, 5)}
NAMES = [api.name for members in KITS.values() for api in members]
API_OF = api_finder(KITS)


@pytest.fixture(scope="module")
def module_workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace.create(tmp_path_factory.mktemp("fork") / "w.toolplanner") as opened:
        yield opened


class World:
    """A scripted world that answers the same whenever it is asked the same."""

    def __init__(self, plans: list[Any], failing: set[str]) -> None:
        self.plans = plans
        self.failing = failing

    def parts(self, **options: Any) -> tuple[Any, ScriptedModel, ScriptedProvider]:
        model = ScriptedModel(plans=[*self.plans])
        provider = ScriptedProvider({name: bad(500) for name in self.failing})
        return make_parts(KITS, model, provider, **options), model, provider


def plan_count(workspace: Workspace, run_id: RunId, seq: int) -> int:
    """How many plans the model had made up to an event."""
    return sum(
        row.type == "model.replied" and "plan" in row.path.rpartition("/")[2]
        for row in read_records(workspace, run_id, limit=seq)
    )


def record(workspace: Workspace, world: World, **limits: Any) -> RunSummary:
    parts, _, _ = world.parts()
    spec = RunSpec(query="find", limits=Limits(**limits))
    return asyncio.run(run(workspace, spec, parts=parts))


def bodies(workspace: Workspace, run_id: RunId, upto: int | None = None) -> list[Any]:
    return [
        (row.seq, row.type, row.path, row.cause, row.event)
        for row in read_records(workspace, run_id, limit=upto, everything=True)
    ]


def live_calls(workspace: Workspace, run_id: RunId, after: int) -> tuple[int, int]:
    own = [r.event for r in read_run(workspace, run_id)[after:]]
    return (
        sum(isinstance(e, ModelAsked) for e in own),
        sum(isinstance(e, CallSent) for e in own),
    )


TWO_PLANS = World(
    [[("a", 1, []), ("b", 2, []), ("c", 3, [1, 2])], [("a", 1, []), ("b", 4, [])]],
    {"kit2_0", "kit2_1", "kit2_2", "kit1_0"},
)


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: Any) -> None:
        raise AssertionError(f"a socket was opened to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_replay_when_nothing_changed_then_identical_without_model_provider_or_socket(
    workspace: Workspace, no_sockets: None
) -> None:
    done = record(workspace, TWO_PLANS)
    before = bodies(workspace, done.run)
    report = replay(workspace, done.run, api_of=API_OF)
    assert report.divergence is None
    assert report.identical
    assert (report.api_calls, report.model_calls) == (done.api_calls, done.model_calls)
    assert bodies(workspace, done.run) == before, "a replay writes nothing"


def test_replay_when_the_strategy_changed_then_stops_at_the_first_differing_question(
    workspace: Workspace,
) -> None:
    done = record(workspace, TWO_PLANS)
    original = strategies.get("tool-planner")

    async def solve(task: Task, run: RunScope, options: Any) -> Answer:
        return await original.solve(replace(task, query="look for"), run, options)

    report = replay(workspace, done.run, strategy=replace(original, solve=solve), api_of=API_OF)
    assert not report.identical
    assert report.divergence is not None
    asked = next(r for r in read_run(workspace, done.run) if r.event.type == "catalogue.looked_up")
    assert report.divergence.seq == asked.seq
    assert '-  "text": "find"' in report.divergence.diff
    assert '+  "text": "look for"' in report.divergence.diff


def test_replay_when_the_run_was_stopped_or_over_budget_then_identical(
    workspace: Workspace,
) -> None:
    small = record(workspace, TWO_PLANS, max_api_calls=3)
    assert small.status is Status.OVER_BUDGET
    assert replay(workspace, small.run, api_of=API_OF).identical

    async def stopped() -> RunSummary:
        cancel = asyncio.Event()
        model = ScriptedModel(plans=[*TWO_PLANS.plans])

        async def hang(arguments: Any) -> Any:
            cancel.set()
            await asyncio.Event().wait()

        parts = make_parts(KITS, model, ScriptedProvider({"kit1_0": hang}))
        return await run(workspace, RunSpec(query="find"), parts=parts, cancel=cancel)

    cancelled = asyncio.run(stopped())
    assert cancelled.status is Status.CANCELLED
    assert replay(workspace, cancelled.run, api_of=API_OF).divergence is None


def test_fork_when_made_at_every_node_then_prefix_is_neither_copied_nor_executed(
    workspace: Workspace,
) -> None:
    done = record(workspace, TWO_PLANS)
    before = bodies(workspace, done.run)
    for path in [p for p in load_tree(workspace, done.run).nodes if p]:
        if not any(row[2] == path for row in before):
            continue  # a step that was never reached has no event to fork at
        check_fork(workspace, TWO_PLANS, done, path)
    assert bodies(workspace, done.run) == before, "the parent is untouched"


def check_fork(workspace: Workspace, world: World, done: RunSummary, path: NodePath) -> None:
    """A fork without changes does what its parent did, and only the part behind the fork."""
    spec = fork(workspace, done.run, path)
    assert spec.fork is not None
    seq = spec.fork.seq
    parts, model, provider = world.parts()
    del model.plans[: plan_count(workspace, done.run, seq)]
    child = asyncio.run(run(workspace, spec, parts=parts))
    assert (child.status, child.answer) == (done.status, done.answer), path
    assert (len(model.asked), len(provider.calls)) == live_calls(workspace, child.run, seq)
    # What a sibling branch had sent and not heard of is sent once more; nothing else.
    assert child.api_calls - done.api_calls in range(3)
    assert child.model_calls - done.model_calls in range(3)
    assert bodies(workspace, child.run, seq) == bodies(workspace, done.run, seq)
    stored = workspace.reader().conn.execute(
        "SELECT min(seq) FROM events WHERE run_id = ?", [child.run]
    )
    assert stored.fetchone()[0] == seq + 1


def test_fork_when_the_arguments_of_a_call_change_then_both_versions_are_kept(
    workspace: Workspace,
) -> None:
    done = record(workspace, TWO_PLANS)
    path = NodePath("plan.1/step.1/attempt.1/call.1")
    spec = fork(workspace, done.run, path, ForkChanges(arguments={"q": "other"}))
    parts, _, provider = TWO_PLANS.parts()
    child = asyncio.run(run(workspace, spec, parts=parts))
    assert provider.calls[0] == ("kit1_0", {"q": "other"})
    assert ("kit2_0", {}) in provider.calls, "the other branch had not called yet"
    decided = [r for r in read_run(workspace, child.run) if isinstance(r.event, PersonDecided)]
    assert [(d.path, d.actor) for d in decided] == [(path, "person")]
    event = decided[0].event
    assert isinstance(event, PersonDecided)
    assert (event.before["arguments"], event.after["arguments"]) == ({}, {"q": "other"})
    assert replay(workspace, child.run, api_of=API_OF).divergence is None
    again = fork(workspace, child.run, NodePath("final_answer.1"))
    parts, model, provider = TWO_PLANS.parts()
    grandchild = asyncio.run(run(workspace, again, parts=parts))
    assert provider.calls == []
    assert len(model.asked) == 1
    assert grandchild.answer == child.answer


def test_fork_when_the_arguments_of_a_call_change_then_later_questions_tell_what_was_sent(
    workspace: Workspace,
) -> None:
    def parts(model: ScriptedModel) -> Any:
        return make_parts({"Kit 1": KITS["Kit 1"], "Kit 2": KITS["Kit 2"]}, model,
                          ScriptedProvider())  # fmt: skip

    plan = [("a", 1, []), ("b", 2, [1])]
    spec = RunSpec(query="q")
    done = asyncio.run(run(workspace, spec, parts=parts(ScriptedModel(plans=[plan]))))
    path = NodePath("plan.1/step.1/attempt.1/call.1")
    changed = fork(workspace, done.run, path, ForkChanges(arguments={"q": "other"}))
    model = ScriptedModel(plans=[plan])
    asyncio.run(run(workspace, changed, parts=parts(model)))
    told = [
        result.arguments
        for asked in model.asked
        for result in getattr(asked.question, "results", ())
        if result.step == 1
    ]
    assert len(told) >= 2, "the second step and the answer are asked about it"
    assert all(arguments.get("q") == "other" for arguments in told)


def test_fork_when_another_api_is_chosen_then_it_is_called_instead(workspace: Workspace) -> None:
    done = record(workspace, TWO_PLANS)
    changes = ForkChanges(api=KITS["Kit 4"][2].id)
    spec = fork(workspace, done.run, NodePath("plan.1/step.2/attempt.1"), changes)
    parts, _, provider = TWO_PLANS.parts()
    child = asyncio.run(run(workspace, spec, parts=parts))
    assert ("kit4_2", {}) in provider.calls
    assert child.replans == 0
    assert replay(workspace, child.run, api_of=API_OF).identical


def test_fork_when_changed_arguments_do_not_fit_then_the_call_is_refused(
    workspace: Workspace,
) -> None:
    done = record(workspace, TWO_PLANS)
    path = NodePath("plan.1/step.1/attempt.1/call.1")
    spec = fork(workspace, done.run, path, ForkChanges(arguments={"nonsense": 1}))
    child = asyncio.run(run(workspace, spec, parts=TWO_PLANS.parts()[0]))
    node = load_tree(workspace, child.run).nodes[path]
    assert (node.state, node.error) == (NodeState.FAILED, "invalid_parameter")


def test_fork_when_options_change_then_they_hold_from_the_fork_point_on(
    workspace: Workspace,
) -> None:
    done = record(workspace, TWO_PLANS)
    changes = ForkChanges(options={"max_replans": 0, "shortlist": 1})
    exhausted = next(
        r for r in read_run(workspace, done.run) if getattr(r.event, "point", "") == REPLAN.id
    )
    spec = fork(workspace, done.run, exhausted.seq - 20, changes)
    parts, _, _ = TWO_PLANS.parts()
    parts = replace(parts, options=ToolPlannerOptions(max_replans=0, shortlist=1))
    child = asyncio.run(run(workspace, spec, parts=parts))
    assert child.status is Status.UNSOLVED
    assert child.replans == 0
    assert replay(workspace, child.run, api_of=API_OF).divergence is None


def kits_with_write() -> dict[str, list[Api]]:
    return {"One": [make_api("one_1")], "Two": [make_api("two_1", risk=Risk.WRITE)]}


@pytest.mark.parametrize(("risk", "state"), [(Risk.READ, "ok"), (Risk.WRITE, "in_doubt")])
def test_fork_when_a_sibling_call_had_no_outcome_then_only_read_only_ones_are_made_again(
    workspace: Workspace, risk: Risk, state: str
) -> None:
    # Nor is another of its toolkit asked to do what may be done.
    two = [make_api("two_1", risk=risk), make_api("two_9", risk=risk)]
    kits = {"One": [make_api("one_1")], "Two": two}
    plan = [[("quick", 1, []), ("slow", 2, [])]]

    async def record_it() -> RunSummary:
        gate = asyncio.Event()

        async def slow(arguments: Any) -> Any:
            await gate.wait()
            return ok({"late": True})

        model = ScriptedModel(plans=[*plan])
        model.answers["analyse"] = [lambda request: gate.set() or {"useful": True, "state": "s"}]
        parts = make_parts(kits, model, ScriptedProvider({"two_1": slow}))
        return await run(workspace, RunSpec(query="q"), parts=parts)

    done = asyncio.run(record_it())
    assert done.status is Status.ANSWERED
    analysed = NodePath("plan.1/step.1/attempt.1/analyse.1")
    spec = fork(workspace, done.run, analysed)
    provider = ScriptedProvider()
    child = asyncio.run(run(workspace, spec, parts=make_parts(kits, ScriptedModel(), provider)))
    assert [name for name, _ in provider.calls] == (["two_1"] if risk is Risk.READ else [])
    node = load_tree(workspace, child.run).nodes[NodePath("plan.1/step.2/attempt.1/call.1")]
    assert node.state == state
    assert replay(workspace, child.run, api_of=api_finder(kits)).divergence is None


def test_fork_when_the_catalogue_was_edited_then_the_prefix_sees_it_as_it_was(
    workspace: Workspace,
) -> None:
    done = record(workspace, TWO_PLANS)
    parts, model, _ = TWO_PLANS.parts()
    del model.plans[:2]
    for kit, toolkit in parts.catalogue.toolkits.items():
        parts.catalogue.toolkits[kit] = replace(toolkit, name="renamed", description="edited")
    spec = fork(workspace, done.run, NodePath("final_answer.1"))
    child = asyncio.run(run(workspace, spec, parts=parts))
    assert child.status is done.status
    assert replay(workspace, child.run, api_of=API_OF).identical


def test_fork_when_the_strategy_cannot_follow_then_says_where_and_ends(
    workspace: Workspace,
) -> None:
    done = record(workspace, TWO_PLANS)

    async def solve(task: Task, run: RunScope, options: Any) -> Answer:
        await run.note("new")
        return Answer(text="", solved=True)

    parts, _, provider = TWO_PLANS.parts()
    changed = StrategyPlugin(
        id="tool-planner", title="", description="", options=ToolPlannerOptions, solve=solve
    )
    spec = fork(workspace, done.run, NodePath("final_answer.1"))
    child = asyncio.run(run(workspace, spec, parts=replace(parts, strategy=changed)))
    assert child.status is Status.ERROR
    assert "clock.read" in child.reason
    assert [r.event.type for r in read_run(workspace, child.run)][-2:] == [
        "replay.diverged",
        "run.finished",
    ]
    assert provider.calls == []


def test_fork_when_place_is_not_there_then_says_so(workspace: Workspace) -> None:
    done = record(workspace, TWO_PLANS)
    with pytest.raises(NotFound, match="no node"):
        fork(workspace, done.run, NodePath("plan.9"))
    with pytest.raises(NotFound, match="no event"):
        fork(workspace, done.run, 10_000)
    with pytest.raises(NotFound):
        fork(workspace, RunId(99), 1)


def test_estimate_when_asked_for_the_rest_then_counts_what_would_be_spent(
    workspace: Workspace,
) -> None:
    done = record(workspace, TWO_PLANS)
    whole = estimate_rerun(workspace, done.run)
    assert (whole.api_calls, whole.tokens) == (done.api_calls, done.tokens)
    spec = fork(workspace, done.run, NodePath("final_answer.1"))
    assert spec.fork is not None
    rest = estimate_rerun(workspace, done.run, after_seq=spec.fork.seq)
    assert (rest.model_calls, rest.api_calls) == (1, 0)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    step = st.tuples(st.sampled_from("abc"), st.integers(1, 4), st.just([]))
    plans = draw(st.lists(st.lists(step, min_size=1, max_size=3), min_size=1, max_size=3))
    return World(plans, draw(st.sets(st.sampled_from(NAMES))))


@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(world=worlds(), data=st.data())
def test_random_runs_when_forked_and_replayed_then_prefixes_cost_nothing(
    module_workspace: Workspace, world: World, data: st.DataObject
) -> None:
    done = record(module_workspace, world)
    rows = read_records(module_workspace, done.run)
    assert replay(module_workspace, done.run, api_of=API_OF).divergence is None
    paths = sorted({row.path for row in rows if row.path})
    check_fork(module_workspace, world, done, data.draw(st.sampled_from(paths)))
    seq = data.draw(st.integers(1, len(rows) - 1))
    parts, model, provider = world.parts()
    del model.plans[: plan_count(module_workspace, done.run, seq)]
    child = asyncio.run(run(module_workspace, fork(module_workspace, done.run, seq), parts=parts))
    assert child.status is done.status
    first = read_run(module_workspace, child.run)[seq].event
    assert first.type == "fork.origin"
    assert plain_body(first)["fork_seq"] == seq
    assert (len(model.asked), len(provider.calls)) == live_calls(module_workspace, child.run, seq)


def test_replay_when_a_run_has_no_end_then_says_so(workspace: Workspace) -> None:
    done = record(workspace, TWO_PLANS)
    workspace.writer.run(
        lambda db: db.conn.execute("DELETE FROM events WHERE type = 'run.finished'")
    )
    with pytest.raises(BadInput, match="no end"):
        replay(workspace, done.run, api_of=API_OF)


RUNS = 200 if os.environ.get("TOOLPLANNER_BENCH") == "1" else 2


def test_runs_when_forked_at_every_node_then_no_prefix_call(
    workspace: Workspace,
) -> None:
    chance = random.Random(200)
    for _ in range(RUNS):
        plans = [
            [(chance.choice("abc"), chance.randint(1, 4), []) for _ in range(chance.randint(1, 3))]
            for _ in range(chance.randint(1, 3))
        ]
        world = World(plans, {name for name in NAMES if chance.random() < 0.4})
        done = record(workspace, world)
        assert replay(workspace, done.run, api_of=API_OF).divergence is None
        paths = sorted({row.path for row in read_records(workspace, done.run) if row.path})
        for path in paths:
            check_fork(workspace, world, done, path)
