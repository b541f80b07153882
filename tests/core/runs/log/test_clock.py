"""The run's time: while a run is held, budgets, time-outs and waits stand still."""

import asyncio
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fixtures.jumping_time import JumpingTime
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts, ok

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger, Held
from toolplanner_core.runs.debugging.stops import Choice, StopDecision
from toolplanner_core.runs.engine.runner import EngineThread, run
from toolplanner_core.runs.events.call import CallReturned, CallSent
from toolplanner_core.runs.events.debug import DebugResumed, DebugStopped
from toolplanner_core.runs.events.decision import ClockRead
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.workspace import Workspace

KITS = {f"Kit {i}": [make_api(f"kit{i}_0")] for i in range(1, 3)}
HOUR_S = 3600.0
LIMIT_S = HOUR_S / 2


def test_limit_when_nothing_is_held_then_as_any_time_out() -> None:
    async def wait() -> None:
        async with Clock().limit(0.01):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(wait())


def test_clock_when_the_world_of_the_provider_has_one_then_the_planner_reads_it(
    workspace: Workspace,
) -> None:
    at = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    provider = ScriptedProvider()
    provider.now = at
    parts = make_parts(KITS, ScriptedModel(plans=[[("a", 1, [])]]), provider)
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts))
    read = [r.event.iso for r in read_run(workspace, done.run) if isinstance(r.event, ClockRead)]
    assert set(read) == {at.isoformat()}


def test_clock_when_the_demo_is_asked_then_world_and_planner_have_the_same_one(demo: Path) -> None:
    query = "What time is it in London and when does the sun rise in London today?"
    with Workspace.open(demo) as workspace:
        done = asyncio.run(run(workspace, RunSpec(query=query)))
        events = [record.event for record in read_run(workspace, done.run)]
    [now] = {event.iso for event in events if isinstance(event, ClockRead)}
    read = datetime.fromisoformat(now)
    bodies = [str(event.body) for event in events if isinstance(event, CallReturned)]
    # London has no summer time on the demo's day, so its clock is the planner's.
    assert any(f"{read:%H:%M}" in body and f"{read:%Y-%m-%d}" in body for body in bodies), bodies
    sent = [str(event.arguments) for event in events if isinstance(event, CallSent)]
    assert any(f"{read:%Y-%m-%d}" in arguments for arguments in sent), "“today” is the demo's day"
    assert f"{read:%Y-%m-%d}" in done.answer


@pytest.mark.parametrize("is_held_before", [True, False])
def test_limit_when_held_then_runs_out_only_after_the_last_release(
    jumping_time: JumpingTime, is_held_before: bool
) -> None:
    heard: list[str] = []

    async def wait() -> float:
        clock, loop = Clock(), asyncio.get_running_loop()

        def hold_twice() -> None:
            clock.hold()
            clock.hold()
            jumping_time.jump(HOUR_S)
            loop.call_later(0, release_one)

        def release_one() -> None:
            heard.append("one released")
            clock.release()
            jumping_time.jump(HOUR_S)
            loop.call_later(0, release_other)

        def release_other() -> None:
            heard.append("both released")
            clock.release()
            jumping_time.jump(HOUR_S)

        if is_held_before:
            hold_twice()
        else:
            loop.call_soon(hold_twice)
        with pytest.raises(TimeoutError):
            async with clock.limit(HOUR_S / 2):
                await asyncio.Event().wait()
        heard.append("ran out")
        return clock.mono_ns() / 1e9

    run_s = asyncio.run(wait())
    assert heard == ["one released", "both released", "ran out"]
    assert HOUR_S <= run_s < 2 * HOUR_S, "of three hours the one counts in which nothing was held"


def test_wait_when_held_then_goes_on_after_the_release(jumping_time: JumpingTime) -> None:
    heard: list[str] = []

    async def wait() -> None:
        clock = Clock()

        def release() -> None:
            heard.append("released")
            clock.release()
            jumping_time.jump(HOUR_S)

        clock.hold()
        jumping_time.jump(HOUR_S)
        asyncio.get_running_loop().call_soon(release)
        await clock.wait(HOUR_S / 2)
        heard.append("went on")

    asyncio.run(wait())
    assert heard == ["released", "went on"]


@pytest.mark.parametrize("hold", ["all", "one"])
def test_call_of_a_sibling_when_the_run_is_held_then_its_time_out_stands_still(
    workspace: Workspace, jumping_time: JumpingTime, hold: Any
) -> None:
    """Branch one stops while the call of branch two is on its way, for longer than its limit."""
    is_sent, may_answer = asyncio.Event(), asyncio.Event()

    async def first(arguments: Any) -> Any:
        await is_sent.wait()
        return ok({"one": 1})

    async def second(arguments: Any) -> Any:
        is_sent.set()
        await may_answer.wait()
        return ok({"two": 2})

    def hold_for_an_hour() -> None:
        jumping_time.jump(HOUR_S)
        # What is due by now comes first.
        asyncio.get_running_loop().call_later(0, release)

    def release() -> None:
        may_answer.set()
        debugger.resume()

    def changed() -> None:
        if debugger.held and not may_answer.is_set() and not known:
            known.append(debugger.held[0])
            asyncio.get_running_loop().call_soon(hold_for_an_hour)

    known: list[Held] = []
    stop = parse_breakpoint("api=kit1_0,at=after_call")
    debugger = Debugger([stop], hold=hold, on_change=changed)
    parts = make_parts(
        KITS,
        ScriptedModel(plans=[[("a", 1, []), ("b", 2, [])]]),
        ScriptedProvider({"kit1_0": first, "kit2_0": second}),
        call_limits=CallLimits(timeout_s=LIMIT_S),
    )
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts, debugger=debugger))
    call = load_tree(workspace, done.run).nodes[NodePath("plan.1/step.2/attempt.1/call.1")]
    assert call.state == ("ok" if hold == "all" else "failed")
    assert (done.status is Status.ANSWERED) == (hold == "all")


def test_question_when_the_run_is_held_then_its_time_out_stands_still_too(
    workspace: Workspace, jumping_time: JumpingTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolplanner_core.runs.stages.dispatch.MODEL_TIMEOUT_S", LIMIT_S)
    is_asked, may_answer = asyncio.Event(), asyncio.Event()

    async def first(arguments: Any) -> Any:
        await is_asked.wait()
        return ok({"one": 1})

    def hold_for_an_hour() -> None:
        jumping_time.jump(HOUR_S)
        # What is due by now comes first.
        asyncio.get_running_loop().call_later(0, release)

    def release() -> None:
        may_answer.set()
        debugger.resume()

    def changed() -> None:
        if debugger.held and not known:
            known.append(debugger.held[0])
            asyncio.get_running_loop().call_soon(hold_for_an_hour)

    known: list[Held] = []
    needs = make_api(
        "kit2_0",
        parameters={"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    )
    model = ScriptedModel(plans=[[("a", 1, []), ("b", 2, [])]], arguments={"kit2_0": {"q": "x"}})
    ask = model.complete

    async def complete(request: Any) -> Any:
        assert request.timeout_s > HOUR_S, "a model's own limit must not come first"
        if request.question.id == "fill_arguments" and request.question.api.name == "kit2_0":
            is_asked.set()
            await may_answer.wait()
        return await ask(request)

    monkeypatch.setattr(model, "complete", complete)
    debugger = Debugger([parse_breakpoint("api=kit1_0,at=after_call")], on_change=changed)
    kits = {"Kit 1": KITS["Kit 1"], "Kit 2": [needs]}
    parts = make_parts(kits, model, ScriptedProvider({"kit1_0": first}))
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts, debugger=debugger))
    assert known, "it was held"
    assert done.status is Status.ANSWERED
    assert done.model_calls == len(model.asked), "nothing was asked again"


def test_tree_when_a_call_was_edited_before_it_was_sent_then_says_so(workspace: Workspace) -> None:
    def changed() -> None:
        if debugger.held:
            debugger.resume(decision=StopDecision(choice=Choice.EDIT, arguments={"q": "new"}))

    debugger = Debugger([parse_breakpoint("api=kit1_0,at=before_call")], on_change=changed)
    parts = make_parts(KITS, ScriptedModel(plans=[[("a", 1, [])]]), ScriptedProvider())
    done = asyncio.run(run(workspace, RunSpec(query="q"), parts=parts, debugger=debugger))
    call = load_tree(workspace, done.run).nodes[NodePath("plan.1/step.1/attempt.1/call.1")]
    assert call.data["decided"] == "edit"
    assert call.data["api"] == KITS["Kit 1"][0].id


def test_clock_of_a_handle_when_the_run_is_held_then_stands_where_its_events_are_dated(
    workspace: Workspace,
) -> None:
    is_held, heard = threading.Event(), list[Record]()
    parts = make_parts(KITS, ScriptedModel(plans=[[("a", 1, [])]]), ScriptedProvider())
    debugger = Debugger([parse_breakpoint("at=before_call")], on_change=is_held.set)
    with EngineThread(workspace) as engine:
        spec = RunSpec(query="q")
        handle = engine.start(spec, on_records=heard.extend, parts=parts, debugger=debugger)
        assert is_held.wait(60)
        while not debugger.held:
            is_held.clear()
            assert is_held.wait(60)
        stands_ns = [handle.clock.mono_ns(), handle.clock.mono_ns()]
        debugger.detach()
        handle.result(60)
    stopped = next(r for r in heard if isinstance(r.event, DebugStopped))
    resumed = next(r for r in heard if isinstance(r.event, DebugResumed))
    assert stopped.mono_ns <= stands_ns[0] <= stands_ns[1] <= resumed.mono_ns
    assert heard[-1].mono_ns <= handle.clock.mono_ns(), "after the hold, too"
