"""Runs from their first to their last event: every end is an event."""

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from fixtures.processes import python
from fixtures.scripted_run import (
    ScriptedModel,
    ScriptedProvider,
    bad,
    make_api,
    make_parts,
    ok,
    transient,
)

from toolplanner_core.cases.case_runs import run_case, spec_of
from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.domain.plan import Answer, Status, Task
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.jobs.process_identity import is_alive, this_process
from toolplanner_core.options.values import make_options
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import EngineThread, mark_interrupted, run
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.stored_runs import (
    get_summary,
    list_runs,
    load_tree,
    node_rows,
    read_run,
)
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.tool_planner import ToolPlannerOptions
from toolplanner_core.strategies.toolkits.attempts import open_attempt
from toolplanner_core.workspace import Workspace

KITS = {
    "One": [make_api("one_1"), make_api("one_2"), make_api("one_3")],
    "Two": [make_api("two_1")],
    "Three": [make_api("three_1")],
}
PLANS = [[("first", 1, []), ("left", 2, [1]), ("right", 3, [1])], [("first", 1, [])]]
SPEC = RunSpec(query="q")


class Stop:
    """A place in a run at which the test stops it: waits for ever once it is reached."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    async def __call__(self, _: Any) -> Any:
        self.reached.set()
        await asyncio.Event().wait()


def parts_with(stop: Stop | None, where: str) -> Any:
    """Parts whose model or provider stops at the place called `where`."""
    model = ScriptedModel(plans=[list(plan) for plan in PLANS])
    provider = ScriptedProvider()
    if stop is not None and where.startswith("call "):
        provider.replies[where.removeprefix("call ")] = stop
    elif stop is not None:
        model.answers[where] = [stop]
    if where == "replan":
        provider.replies["two_1"] = bad(500)
    if where == "call one_3":
        provider.replies |= {"one_1": bad(500), "one_2": bad(500)}
    return make_parts(KITS, model, provider)


PLACES = [
    "make_plan", "fill_arguments", "analyse", "replan", "final_answer", "call one_1", "call one_3",
    "call three_1",
]  # fmt: skip


@pytest.mark.parametrize("how", ["event", "task"])
@pytest.mark.parametrize("where", PLACES)
def test_run_when_cancelled_at_any_stage_then_every_node_is_closed(
    workspace: Workspace, where: str, how: str
) -> None:
    async def go() -> RunSummary:
        stop, cancel = Stop(), asyncio.Event()
        task = asyncio.ensure_future(
            run(workspace, SPEC, parts=parts_with(stop, where), cancel=cancel)
        )
        await stop.reached.wait()
        if how == "event":
            cancel.set()
        else:
            task.cancel()
        return await task

    summary = asyncio.run(go())
    assert summary.status is Status.CANCELLED
    records = read_run(workspace, summary.run)
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    assert records[-1].event.type == "run.finished"
    tree = load_tree(workspace, summary.run)
    states = {node.state for node in tree.nodes.values()}
    assert NodeState.CANCELLED in states
    assert not states & {NodeState.RUNNING, NodeState.WAITING}
    assert get_summary(workspace, summary.run).status is Status.CANCELLED


def test_run_when_cancelled_between_two_tries_then_the_question_is_closed(
    workspace: Workspace,
) -> None:
    stop = Stop()

    class StoppingClock(Clock):
        async def wait(self, seconds: float) -> None:
            await stop(seconds)

    async def go() -> RunSummary:
        cancel = asyncio.Event()
        model = ScriptedModel(answers={"make_plan": [transient()]})
        parts = make_parts(KITS, model, ScriptedProvider())
        task = asyncio.ensure_future(
            run(workspace, SPEC, parts=parts, cancel=cancel, clock=StoppingClock())
        )
        await stop.reached.wait()
        cancel.set()
        return await task

    summary = asyncio.run(go())
    last = read_run(workspace, summary.run)[-2]
    assert (last.event.type, last.path) == ("model.failed", "make_plan.1")
    assert last.event.to_body()["error"] == "cancelled"


def test_run_when_cancelled_before_it_begins_then_still_an_end(workspace: Workspace) -> None:
    async def go() -> RunSummary:
        cancel = asyncio.Event()
        cancel.set()
        return await run(workspace, SPEC, parts=parts_with(None, ""), cancel=cancel)

    summary = asyncio.run(go())
    assert summary.status is Status.CANCELLED
    assert read_run(workspace, summary.run)[-1].event.type == "run.finished"


def test_run_when_the_strategy_breaks_then_status_error_with_its_message(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    async def solve(task: Task, run: RunScope, options: Any) -> Answer:
        async with open_attempt(run, 1, KITS["One"][0]):
            raise RuntimeError("a mistake in the strategy")

    strategy = StrategyPlugin(
        id="broken", title="", description="", options=ToolPlannerOptions, solve=solve
    )
    parts = make_parts(KITS, ScriptedModel(), ScriptedProvider(), strategy=strategy)
    summary = asyncio.run(run(workspace, SPEC, parts=parts))
    assert summary.status is Status.ERROR
    assert "a mistake in the strategy" in summary.reason
    tree = load_tree(workspace, summary.run)
    assert tree.nodes[NodePath("attempt.1")].state is NodeState.FAILED
    assert "The strategy broke" in caplog.text


def test_run_when_the_listener_breaks_then_the_run_goes_on(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    def listen(records: list[Record]) -> None:
        raise ValueError("screen gone")

    summary = asyncio.run(run(workspace, SPEC, parts=parts_with(None, ""), listener=listen))
    assert summary.status is Status.ANSWERED
    assert "listener" in caplog.text


def test_run_when_strategy_gets_its_scope_then_nothing_but_the_protocol_is_needed(
    workspace: Workspace,
) -> None:
    seen: list[Any] = []

    async def solve(task: Task, run: RunScope, options: Any) -> Answer:
        shortlist = await run.toolkits.shortlist(task.query, 2)
        toolkit = await run.toolkits.get(shortlist[0].toolkit.id)
        found = await run.catalogue.search("x", 3)
        before = await run.now()
        await run.note("hello")
        seen.extend([run.random.random(), run.random.random(), toolkit.name, len(found), before])
        return Answer(text="t", solved=True)

    strategy = StrategyPlugin(
        id="look", title="", description="", options=ToolPlannerOptions, solve=solve
    )
    for _ in range(2):
        parts = make_parts(KITS, ScriptedModel(), ScriptedProvider(), strategy=strategy)
        asyncio.run(run(workspace, SPEC, parts=parts))
    assert seen[:4] == seen[5:9]
    types = [record.event.type for record in read_run(workspace, RunId(2))]
    assert types == [
        "run.started", "catalogue.looked_up", "catalogue.looked_up", "catalogue.looked_up",
        "clock.read", "note", "run.finished",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        (RunSpec(query="q", strategy="none"), NotFound),
        (RunSpec(query="q", options={"no_such": 1}), BadInput),
        (RunSpec(query="q", options={"max_replans": "many"}), BadInput),
        (RunSpec(query="q", provider="none"), NotFound),
    ],
)
def test_run_when_the_spec_is_wrong_then_error_before_a_run_exists(
    workspace: Workspace, spec: RunSpec, error: type[Exception]
) -> None:
    with pytest.raises(error):
        asyncio.run(run(workspace, spec))
    assert list_runs(workspace) == []


def test_options_when_given_as_texts_then_have_their_types() -> None:
    values = {
        "max_in_toolkit": "2", "parallel": "off", "member_order": "random", "shortlist": 5,
    }  # fmt: skip
    options = make_options(ToolPlannerOptions, values, of="x")
    assert options == ToolPlannerOptions(
        max_in_toolkit=2, parallel=False, member_order="random", shortlist=5
    )
    assert (
        make_options(ToolPlannerOptions, {"max_in_toolkit": "none"}, of="x").max_in_toolkit is None
    )


def test_engine_thread_when_many_runs_at_once_then_each_log_is_whole(workspace: Workspace) -> None:
    heard: dict[int, list[int]] = {}
    threads: set[str] = set()

    def listen(records: list[Record]) -> None:
        threads.add(threading.current_thread().name)
        heard.setdefault(records[0].run, []).extend(record.seq for record in records)

    with EngineThread(workspace) as engine:
        handles = [
            engine.start(SPEC, on_records=listen, parts=parts_with(None, "")) for _ in range(8)
        ]
        summaries = [handle.result(120) for handle in handles]
    assert {summary.status for summary in summaries} == {Status.ANSWERED}
    assert len(threads) == 1 and "MainThread" not in threads
    for summary in summaries:
        stored = [record.seq for record in read_run(workspace, summary.run)]
        assert stored == heard[summary.run] == list(range(1, len(stored) + 1))


def test_engine_thread_when_cancelled_or_closed_then_runs_end_as_cancelled(
    workspace: Workspace,
) -> None:
    ends: list[tuple[Any, Any]] = []
    under_way = threading.Semaphore(0)

    async def hang(_: Any) -> RawResult:
        under_way.release()
        await asyncio.Event().wait()
        raise AssertionError

    def start(engine: EngineThread) -> Any:
        provider = ScriptedProvider({"one_1": hang})
        parts = make_parts(KITS, ScriptedModel(plans=[list(PLANS[0])]), provider)
        return engine.start(SPEC, on_end=lambda *end: ends.append(end), parts=parts)

    engine = EngineThread(workspace)
    first, second = start(engine), start(engine)
    for _ in range(2):
        assert under_way.acquire(timeout=120)
    first.cancel()
    assert first.result(120).status is Status.CANCELLED
    assert first.run_id == first.result().run
    engine.close()
    assert second.result(0).status is Status.CANCELLED
    assert [error for _, error in ends] == [None, None]
    engine.close()
    with pytest.raises(RuntimeError):
        engine.start(SPEC)


def test_engine_thread_when_the_spec_is_wrong_then_on_end_gets_the_error(
    workspace: Workspace,
) -> None:
    ends: list[tuple[Any, Any]] = []
    with EngineThread(workspace) as engine:
        handle = engine.start(
            RunSpec(query="q", strategy="none"), on_end=lambda *end: ends.append(end)
        )
        with pytest.raises(NotFound):
            handle.result(120)
    assert ends[0][0] is None and isinstance(ends[0][1], NotFound)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_run_when_its_process_is_killed_then_reopened_as_interrupted_with_call_in_doubt(
    tmp_path: Path,
) -> None:
    path = tmp_path / "w.toolplanner"
    Workspace.create(path).close()
    with python("-m", "fixtures.killed_run", path) as child:
        assert child.stdout is not None and child.stdout.readline() == "sent\n"
        with Workspace.open(path) as beside:
            assert mark_interrupted(beside) == []
        os.kill(child.pid, signal.SIGKILL)
    with Workspace.open(path) as workspace:
        assert len(mark_interrupted(workspace)) == 1
        assert mark_interrupted(workspace) == []
        summary = list_runs(workspace)[0]
        assert summary.status is Status.INTERRUPTED
        assert "1 call may have happened" in summary.reason
        records = read_run(workspace, summary.run)
        assert [record.seq for record in records] == list(range(1, len(records) + 1))
        sent = [record for record in records if record.event.type == "call.sent"]
        assert records[-1].event.to_body() == {"in_doubt": [sent[-1].seq], "unpriced": []}
        tree = load_tree(workspace, summary.run)
        assert tree.nodes[sent[-1].path].state is NodeState.IN_DOUBT
        assert tree.nodes[NodePath("plan.1/step.1")].state is NodeState.OK
        assert tree.nodes[NodePath("plan.1/step.3")].state is NodeState.ABANDONED
        assert tree.nodes[NodePath("")].data["status"] == "interrupted"
        assert summary.api_calls == 2


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
@pytest.mark.parametrize(("model", "cost"), [("openai:nobody-prices-it", None), ("offline", 0.0)])
def test_run_when_killed_while_a_model_is_asked_then_its_cost_is_unknown_unless_free(
    tmp_path: Path, model: str, cost: float | None
) -> None:
    path = tmp_path / "w.toolplanner"
    Workspace.create(path).close()
    with python("-m", "fixtures.killed_run", path, model) as child:
        assert child.stdout is not None and child.stdout.readline() == "sent\n"
        os.kill(child.pid, signal.SIGKILL)
    with Workspace.open(path) as workspace:
        [run_id] = mark_interrupted(workspace)
        assert get_summary(workspace, run_id).cost == cost
        root = load_tree(workspace, run_id).root
        assert root is not None and root.cost == cost


def test_process_when_asked_for_itself_then_alive_and_others_not() -> None:
    assert is_alive(this_process())
    kind, pid, *_ = this_process().split(":")
    assert not is_alive(f"{kind}:{pid}:0:another-start")
    assert not is_alive("")


def run_one_case(workspace: Workspace, expected: Expectation, provider: Any, plans: Any) -> Any:
    case = Case(id="c", title="", query="q", expected=expected)
    parts = make_parts(KITS, ScriptedModel(plans=plans), provider)
    return asyncio.run(run_case(workspace, case, parts=parts))


def test_case_when_the_run_shows_everything_then_passed(workspace: Workspace) -> None:
    provider = ScriptedProvider({"two_1": bad(500), "one_1": bad(500), "one_2": bad(404)})
    plans: Any = [
        [("first", 1, []), ("left", 2, [])],
        [("first", 1, []), ("left", 3, [])],
    ]
    expected = Expectation(
        status="solved",
        answer_contains=("FIRST done",),
        answer_any_of=("left", "nothing"),
        toolkits=("Three", "One"),
        toolkits_in_order=("One", "Three"),
        min_fallbacks=2,
        max_fallbacks=2,
        min_replans=1,
        max_replans=1,
        min_api_calls=5,
        max_api_calls=5,
        failed_then_ok=2,
        error_classes=(ErrorClass.SERVER_ERROR, ErrorClass.NOT_FOUND),
        exhausted_toolkits=("Two",),
        parallel=True,
        kept_steps=1,
    )
    result = run_one_case(workspace, expected, provider, plans)
    assert result.why == ()
    assert result.passed


@pytest.mark.parametrize(
    ("status", "text", "why"),
    [
        ("answered", "", ""),
        ("answered", "FIRST done", ""),
        ("answered", "SECOND done", "it ended as “not solved”, not as “answered, not checked”"),
        ("solved", "FIRST done", ""),
        (
            "solved",
            "",
            "it ended as “answered, not checked”, not as “solved”: nobody has checked it",
        ),
    ],
)
def test_case_when_it_expects_an_answer_then_one_that_was_found_right_is_one(
    workspace: Workspace, status: str, text: str, why: str
) -> None:
    expected = Expectation(status=status, answer_contains=(text,) if text else ())
    result = run_one_case(workspace, expected, ScriptedProvider(), [[("first", 1, [])]])
    assert result.passed is not bool(why), result.why
    assert "; ".join(result.why).startswith(why)


def test_case_when_the_run_shows_nothing_of_it_then_every_reason_is_given(
    workspace: Workspace,
) -> None:
    expected = Expectation(
        status="over_budget",
        answer_contains=("nowhere",),
        answer_any_of=("never",),
        toolkits=("Two",),
        toolkits_in_order=("Two", "One"),
        avoided_toolkits=("One",),
        min_fallbacks=1,
        min_replans=1,
        max_api_calls=0,
        failed_apis=("x",),
        succeeded_apis=("y",),
        failed_then_ok=1,
        error_classes=(ErrorClass.TIMEOUT,),
        exhausted_toolkits=("Two",),
        parallel=True,
        data_flow=True,
        kept_steps=1,
        reason_given=True,
    )
    provider = ScriptedProvider({"one_1": ok("fine")})
    result = run_one_case(workspace, expected, provider, [[("first", 1, [])]])
    assert not result.passed
    assert len(result.why) == 18


def test_case_when_its_options_are_not_those_of_a_run_then_bad_input() -> None:
    case = Case(id="c", title="", query="q", options={"limits": {"max_cats": 1}})
    with pytest.raises(BadInput, match="max_cats"):
        spec_of(case)
    limits = {"max_api_calls": 3}
    spec = spec_of(Case(id="c", title="", query="q", options={"seed": 2, "limits": limits}))
    assert (spec.seed, spec.limits.max_api_calls) == (2, 3)


def test_rows_when_a_tree_is_given_then_json_depth_first(workspace: Workspace) -> None:
    summary = asyncio.run(run(workspace, SPEC, parts=parts_with(None, "")))
    rows = node_rows(load_tree(workspace, summary.run))
    assert rows[0]["path"] == "" and rows[0]["depth"] == 0
    assert {row["depth"] for row in rows} == {0, 1, 2, 3, 4}
