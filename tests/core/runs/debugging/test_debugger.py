"""Stop points, steps, breakpoints and decisions; nothing is executed twice."""

import asyncio
import os
import random
from typing import Any

import pytest
from fixtures.debugged_run import KITS, Act, Session
from fixtures.jumping_time import JumpingTime
from fixtures.scripted_run import (
    ScriptedModel,
    ScriptedProvider,
    api_finder,
    make_parts,
)

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.domain.stop_points import AFTER_CALL, Choice
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger, Held, StepCommand
from toolplanner_core.runs.debugging.saved_rules import (
    RuleKind,
    SavedRule,
    count_hits,
    queue_rules,
    saved_rules,
)
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.debug import DebugStopped, LogpointHit
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.workspace import Workspace


def step_on(action: StepCommand) -> Act:
    return lambda debugger, held: debugger.resume(action)


def test_step_into_when_repeated_then_stops_everywhere_and_nothing_is_done_twice(
    workspace: Workspace,
) -> None:
    session = Session(workspace, step_on(StepCommand.STEP_INTO), step=True, failing=("kit1_0",))
    assert session.summary.status is Status.ANSWERED
    assert session.stops[:2] == [
        ("before_question", "make_plan.1"),
        ("after_question", "make_plan.1"),
    ]
    attempt = "plan.1/step.1/attempt.1"
    assert ("before_call", f"{attempt}/call.1") in session.stops
    assert ("before_fallback", "plan.1/step.1") in session.stops
    calls, asked = len(session.provider.calls), len(session.model.asked)
    assert (calls, asked) == (session.summary.api_calls, session.summary.model_calls)
    stops = [r for r in session.records if isinstance(r.event, DebugStopped)]
    assert len(stops) == len(session.stops) == 2 * asked + 2 * calls + 1
    assert replay(workspace, session.summary.run, api_of=api_finder(KITS)).divergence is None


def test_step_over_and_out_when_chosen_then_the_next_stop_is_outside(workspace: Workspace) -> None:
    here = "plan.1/step.1/attempt.1"
    over = Session(
        workspace, step_on(StepCommand.STEP_OVER), breakpoints=("api=kit1_0,at=before_call",),
        failing=("kit1_0",), next_api="rank",
    )  # fmt: skip
    assert over.stops[:2] == [
        ("before_call", f"{here}/call.1"),
        ("before_fallback", "plan.1/step.1"),
    ]
    out = Session(
        workspace, step_on(StepCommand.STEP_OUT), breakpoints=("api=kit1_0,at=before_call",),
        failing=("kit1_0",), next_api="rank",
    )  # fmt: skip
    assert out.stops[1][1].startswith("plan.1/step.2")
    first = Session(workspace, step_on(StepCommand.STEP_OVER), step=True)
    assert first.stops[0][1] == "make_plan.1"  # over the question, not over the whole run
    assert first.stops[1][1].startswith("plan.1/step.1")
    to = NodePath("plan.1/step.2/attempt.1/call.1")
    reach = Session(workspace, lambda d, held: d.resume(StepCommand.RUN_TO, to=to), step=True)
    assert reach.stops[1] == ("before_call", to)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("api=kit2_*", ["before_call", "after_call"]),
        ("toolkit='kit 2',at=before_call", ["before_call"]),
        ("kind=question,at=after_question,if='question == \"make_plan\"'", ["after_question"]),
        ("risk=write", []),
        ("failure=always", ["after_call"]),
        ("failure=exhausted", []),
        ("failure=fatal", []),
        ("at=before_fallback", ["before_fallback"]),
        ("arg=q", []),
        ("api=kit*,at=before_call,hits=3", ["before_call"]),
        ("api=kit1_0,at=after_call,if='error == \"server_error\"'", ["after_call"]),
    ],
)
def test_breakpoint_when_it_fits_then_holds_there_only(
    workspace: Workspace, text: str, points: list[str]
) -> None:
    session = Session(
        workspace, step_on(StepCommand.CONTINUE), breakpoints=(text,), failing=("kit1_0",)
    )
    assert [point for point, _ in session.stops] == points


def test_breakpoints_on_failure_when_all_fails_then_exhausted_and_fatal_hold(
    workspace: Workspace,
) -> None:
    failing = ("kit1_0", "kit1_1", "kit1_2")
    texts = ("failure=exhausted", "failure=fatal", "at=before_replan")
    act = step_on(StepCommand.CONTINUE)
    session = Session(workspace, act, breakpoints=texts, failing=failing)
    assert [point for point, _ in session.stops] == ["toolkit_exhausted", "before_replan"]
    session = Session(workspace, act, breakpoints=texts, failing=failing, max_replans=0)
    assert [point for point, _ in session.stops] == ["toolkit_exhausted", "plan_failed"]


def test_exhausted_when_a_person_names_another_api_then_no_replan_is_needed(
    workspace: Workspace,
) -> None:
    other = KITS["Kit 3"][2].id

    def take_other(debugger: Debugger, held: Held) -> None:
        debugger.resume(decision=StopDecision(choice=Choice.TAKE, taken=other))

    session = Session(workspace, take_other, breakpoints=("failure=exhausted",),
                      failing=("kit1_0", "kit1_1", "kit1_2"))  # fmt: skip
    assert session.summary.status is Status.ANSWERED
    assert session.summary.replans == 0
    assert ("kit3_2", {}) in session.provider.calls
    assert [event.choice for event in session.decided()] == ["take"]
    run_id = session.summary.run
    taken = load_tree(workspace, run_id).nodes[NodePath("plan.1/step.1/attempt.4")]
    assert taken.cause_text.startswith("because you took it after kit1 · kit1_2 failed")
    assert replay(workspace, run_id, api_of=api_finder(KITS)).divergence is None
    provider = ScriptedProvider()
    spec = fork(workspace, run_id, NodePath("final_answer.1"))
    child = asyncio.run(run(workspace, spec, parts=make_parts(KITS, ScriptedModel(), provider)))
    assert (child.answer, provider.calls) == (session.summary.answer, [])


def test_give_up_when_chosen_then_the_run_ends_with_the_reason(workspace: Workspace) -> None:
    session = Session(
        workspace,
        lambda d, held: d.resume(decision=StopDecision(choice=Choice.GIVE_UP)),
        breakpoints=("api=kit2_0",),
    )
    assert session.summary.status is Status.CANCELLED
    assert session.summary.reason == "A person gave up"
    assert replay(workspace, session.summary.run, api_of=api_finder(KITS)).divergence is None


@pytest.mark.parametrize(("hold", "others"), [("all", 0), ("one", 1)])
def test_hold_when_branches_are_parallel_then_all_or_one_wait(
    workspace: Workspace, hold: Any, others: int
) -> None:
    provider = ScriptedProvider()
    seen: list[int] = []
    known: set[Any] = set()

    def release() -> None:
        seen.append(sum(name == "kit2_0" for name, _ in provider.calls))
        debugger.resume()

    def changed() -> None:
        held = debugger.held
        if held and held[0].reason == "breakpoint" and held[0].released not in known:
            known.add(held[0].released)
            asyncio.get_running_loop().call_later(0.15, release)

    stop = parse_breakpoint("toolkit='Kit 1',at=before_call")
    debugger = Debugger([stop], hold=hold, on_change=changed)
    model = ScriptedModel(plans=[[("a", 1, []), ("b", 2, [])]])
    parts = make_parts(KITS, model, provider)
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts, debugger=debugger))
    assert done.status is Status.ANSWERED
    assert seen == [others]


def test_time_when_held_then_budgets_stand_still(
    workspace: Workspace, jumping_time: JumpingTime
) -> None:
    def act(debugger: Debugger, held: Held) -> None:
        def after_a_while() -> None:
            jumping_time.jump(2 * limit_s)
            debugger.resume()

        asyncio.get_running_loop().call_soon(after_a_while)

    limit_s = 1800.0
    session = Session(workspace, act, breakpoints=("api=kit1_0,at=before_call",),
                      limits=Limits(max_seconds=limit_s))  # fmt: skip
    assert session.summary.status is Status.ANSWERED
    assert session.summary.seconds < limit_s, "the time for which it was held does not count"


def test_tree_when_held_then_shows_where_and_what_was_decided(workspace: Workspace) -> None:
    def act(debugger: Debugger, held: Held) -> None:
        fails = StopDecision(choice=Choice.FAIL, error=ErrorClass.TIMEOUT)
        debugger.resume(decision=fails if held.stop.point is AFTER_CALL else None)

    session = Session(workspace, act, breakpoints=("api=kit1_0",))
    tree, paused = RunTree(), list[tuple[str, str]]()
    for entry in session.records:
        changed = tree.apply([entry])
        paused += [
            (entry.event.type, path) for path in changed if tree.nodes[path].state == "paused"
        ]
    attempt = "plan.1/step.1/attempt.1"
    assert paused.count(("debug.stopped", attempt)) == 2
    assert not [node for node in tree.nodes.values() if node.state in ("paused", "running")]
    call = tree.nodes[NodePath(f"{attempt}/call.1")]
    assert (call.data["decided"], call.error) == ("fail", "timeout")
    assert tree.nodes == load_tree(workspace, session.summary.run).nodes


def test_logpoint_when_passed_then_said_and_not_stopped(workspace: Workspace) -> None:
    session = Session(
        workspace,
        step_on(StepCommand.CONTINUE),
        breakpoints=('api=kit1_0,at=after_call,log="{api}: {error} {arguments.none}"',),
        failing=("kit1_0",),
    )
    said = [r.event.message for r in session.records if isinstance(r.event, LogpointHit)]
    assert said == ["kit1_0: server_error None"]
    assert session.stops == []


def test_breakpoints_when_saved_then_kept_with_their_hits(workspace: Workspace) -> None:
    kept = [SavedRule(text="api=kit1_0"), SavedRule(text="risk=write")]
    queue_rules(workspace, RuleKind.BREAKPOINT, kept).result()
    Session(workspace, step_on(StepCommand.CONTINUE), breakpoints=("api=kit1_0",))
    count_hits(workspace, {"unknown": 4})
    assert [(b.text, b.hits) for b in saved_rules(workspace, RuleKind.BREAKPOINT)] == [
        ("api=kit1_0", 2),
        ("risk=write", 0),
    ]


def test_decision_when_taken_at_another_held_branch_then_it_is_that_one_that_changes(
    workspace: Workspace,
) -> None:
    plan = [("a", 1, []), ("b", 2, [])]
    chosen: list[str] = []

    def act(debugger: Debugger, held: Held) -> None:
        del held
        if len(debugger.held) == 2:
            waits = debugger.held[1]
            chosen.append(waits.stop.path)
            fails = StopDecision(choice=Choice.FAIL, error=ErrorClass.TIMEOUT)
            debugger.resume(decision=fails, at=waits)
            debugger.resume()

    debugger = Debugger(
        [parse_breakpoint("at=before_call,api=kit?_0")],
        hold="one",
        on_change=lambda: act(debugger, debugger.held[0]) if debugger.held else None,
    )
    parts = make_parts(KITS, ScriptedModel(plans=[plan]), ScriptedProvider())
    summary = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts, debugger=debugger))
    failed = [n.path for n in load_tree(workspace, summary.run).nodes.values() if n.error]
    assert chosen
    assert [path for path in failed if path.endswith("call.1")] == chosen


def test_branch_when_it_waits_for_another_then_takes_no_decision_and_goes_on_alone(
    workspace: Workspace,
) -> None:
    refused: list[str] = []
    waited: list[str] = []

    def act(debugger: Debugger) -> None:
        if len(debugger.held) == 2 and not refused:
            with pytest.raises(BadInput) as caught:
                debugger.resume(decision=StopDecision(choice=Choice.SKIP), at=debugger.held[1])
            refused.append(caught.value.what)
            waited.append(debugger.held[1].stop.path)
            debugger.set_hold("one")
            assert len(debugger.held) == 1
            debugger.resume()

    debugger = Debugger(
        [parse_breakpoint("at=before_call,api=kit1_0")], on_change=lambda: act(debugger)
    )
    plan = [("a", 1, []), ("b", 2, [])]
    parts = make_parts(KITS, ScriptedModel(plans=[plan]), ScriptedProvider())
    summary = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts, debugger=debugger))
    assert refused == ["This branch only waits for another one"]
    assert summary.status is Status.ANSWERED
    tree, paused = RunTree(), list[set[str]]()
    for entry in read_run(workspace, summary.run):
        tree.apply([entry])
        paused.append({path for path, n in tree.nodes.items() if n.state is NodeState.PAUSED})
    held = max(paused, key=len)
    assert len(held) == 2, "both branches are told as held, as the debugger says"
    assert any(waited[0].startswith(path) for path in held)
    assert not paused[-1]


BENCH = os.environ.get("TOOLPLANNER_BENCH") == "1"
PAUSES = 500 if BENCH else 40


def test_pauses_when_at_random_points_then_no_call_is_executed_again(workspace: Workspace) -> None:
    chance = random.Random(4)
    pauses = 0
    while pauses < PAUSES:

        def act(debugger: Debugger, held: Held) -> None:
            nonlocal pauses
            if held.reason == "pause":
                pauses += 1
            loop = asyncio.get_running_loop()

            def go_on() -> None:
                debugger.resume()
                if chance.random() < 0.7:
                    debugger.pause()

            loop.call_soon(go_on)

        failing = tuple(api.name for kit in KITS.values() for api in kit if chance.random() < 0.3)
        plan = [("a", 1, []), ("b", 2, []), ("c", 3, [1])]
        session = Session(workspace, act, step=True, failing=failing, plans=[plan, plan])
        assert len(session.provider.calls) == session.summary.api_calls
        assert len(session.model.asked) == session.summary.model_calls
        tree = RunTree()
        tree.apply(session.records)
        assert tree.nodes == load_tree(workspace, session.summary.run).nodes
        report = replay(workspace, session.summary.run, api_of=api_finder(KITS))
        assert report.divergence is None
