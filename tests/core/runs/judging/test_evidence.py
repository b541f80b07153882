"""A run is solved only if something shows it: each need with its result, and at least one call."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures.own_strategy import KITS, Talker, own_strategy
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts, ok

from toolplanner_core.approvals import add_approval
from toolplanner_core.cli.app import run_command_line
from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.approval import Approval, ApprovalScope
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Answer, QueryNeed, Status, Task
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.judging.evidence import NO_CALL, shared_values
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.node_report import read_report
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.runs.tree.formatting import evidence_lines
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.toolkits.plan_nodes import ATTEMPT, STEP
from toolplanner_core.workspace import Workspace

ONE = KITS["One"][0]
Work = Callable[[RunScope], Awaitable[Answer]]


def answering(work: Work) -> StrategyPlugin:
    """A strategy that ends as `work` says."""
    plugin = own_strategy(lambda scope: asyncio.sleep(0, ""))

    async def solve(task: Task, scope: RunScope, options: Any) -> Answer:
        del task, options
        return await work(scope)

    return StrategyPlugin(
        id="own", title="Own", description="", options=plugin.options, solve=solve,
        kinds=(STEP, ATTEMPT),
    )  # fmt: skip


def go(
    workspace: Workspace, work: Work, query: str = "the weather", reply: Any = None
) -> RunSummary:
    provider = ScriptedProvider({"a_1": reply or ok({"celsius": 3.14159, "place": "Oslo"})})
    parts = make_parts(KITS, Talker(), provider, strategy=answering(work))
    done = asyncio.run(run(workspace, RunSpec(query=query, strategy="own"), parts=parts))
    apis = {api.id: api for kit in KITS.values() for api in kit}
    report = replay(workspace, done.run, strategy=answering(work), api_of=apis.__getitem__)
    assert report.identical, report.divergence
    return done


def test_answer_when_it_is_shown_then_its_needs_stand_beside_it_everywhere(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work(scope: RunScope) -> Answer:
        seen = await scope.call(ONE, {"q": "Oslo"})
        needs = (QueryNeed(text="weather there", met_by=(seen.seq,)),)
        return Answer(text="It is 3.1 degrees in Oslo.", solved=True, needs=needs)

    done = go(workspace, work, "How warm is it in Oslo?")
    assert done.status is Status.ANSWERED
    root = load_tree(workspace, done.run).root
    assert root is not None
    [row] = root.data["evidence"]
    assert row == {
        "need": "weather there", "api": ONE.title, "call": "call.1",
        "values": ["3.1", "Oslo"],
    }  # fmt: skip
    [line] = evidence_lines(root.data)
    assert line == f"weather there ← {ONE.title} (3.1, Oslo)"
    assert line in export_html(workspace, done.run)
    assert any(
        section.text == line for section in read_report(workspace, done.run, root.path).result
    )
    assert run_command_line(["runs", "show", str(workspace.path), str(done.run)]) == 0
    assert f"Shown by: {line}" in capsys.readouterr().out


def test_answer_when_only_the_need_stands_in_a_result_then_nothing_of_the_answer_is_shown(
    workspace: Workspace,
) -> None:
    async def work(scope: RunScope) -> Answer:
        seen = await scope.call(ONE, {"q": "Oslo"})
        needs = (QueryNeed(text="weather in Oslo", met_by=(seen.seq,)),)
        return Answer(text="It is free everywhere.", solved=True, needs=needs)

    root = load_tree(workspace, go(workspace, work).run).root
    assert root is not None
    [line] = evidence_lines(root.data)
    assert line == f"weather in Oslo ← {ONE.title}, of which nothing new stands in the answer"


def test_answer_when_it_only_repeats_the_question_then_told_as_not_shown(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work(scope: RunScope) -> Answer:
        await scope.call(ONE, {"q": "Oslo"})
        return Answer(text="In Oslo it will be sunny tomorrow.", solved=True)

    done = go(workspace, work, "What is the weather in Oslo tomorrow?")
    root = load_tree(workspace, done.run).root
    assert root is not None
    [line] = evidence_lines(root.data)
    assert line.endswith(f"← {ONE.title}, of which nothing new stands in the answer")
    assert f"Not shown by: {line}" in export_html(workspace, done.run)
    assert run_command_line(["runs", "show", str(workspace.path), str(done.run)]) == 0
    assert f"Not shown by: {line}" in capsys.readouterr().out


def test_answer_when_it_is_about_apis_then_no_reply_is_said_to_show_it(
    workspace: Workspace,
) -> None:
    async def work(scope: RunScope) -> Answer:
        await scope.call(ONE, {"q": "Oslo"})
        return Answer(text="2 protocols found: place, celsius.", solved=True, is_about_apis=True)

    done = go(workspace, work)
    root = load_tree(workspace, done.run).root
    assert done.status is Status.SOLVED and root is not None
    assert evidence_lines(root.data) == []


def test_answer_when_no_needs_are_named_then_the_query_is_shown_by_what_holds_its_values(
    workspace: Workspace,
) -> None:
    async def work(scope: RunScope) -> Answer:
        await scope.call(KITS["One"][1], {"q": "else"})
        await scope.call(ONE, {"q": "Oslo"})
        return Answer(text="3.14 degrees", solved=True)

    root = load_tree(workspace, go(workspace, work).run).root
    assert root is not None
    assert [(row["need"], row["call"]) for row in root.data["evidence"]] == [
        ("the weather", "call.2")
    ]


async def _calls_nothing(scope: RunScope) -> Answer:
    del scope
    return Answer(text="It is warm.", solved=True)


async def _has_a_need_left(scope: RunScope) -> Answer:
    seen = await scope.call(ONE, {"q": "Oslo"})
    needs = (QueryNeed(text="the weather", met_by=(seen.seq,)), QueryNeed(text="a hotel"))
    return Answer(text="It is warm.", solved=True, needs=needs)


async def _is_rejected(scope: RunScope) -> Answer:
    async with scope.node(STEP, 1, "step"), scope.node(ATTEMPT, 1, "attempt") as node:
        await scope.call(ONE, {"q": "Oslo"})
        node.end(NodeState.FAILED, "the result does not serve the step")
    return Answer(text="It is warm.", solved=True)


async def _says_so(scope: RunScope) -> Answer:
    del scope
    return Answer(text="Hello!", solved=True, needs_no_call=True)


async def _one_of_two_fails(scope: RunScope) -> Answer:
    async with scope.node(STEP, 1, "thought") as node:
        await scope.call(ONE, {"q": "Oslo"})
        await scope.call(KITS["Two"][0], {"unknown": 1})
        node.end(NodeState.FAILED, "the second call failed")
    return Answer(text="3.14", solved=True)


@pytest.mark.parametrize(
    ("work", "query", "reason"),
    [
        (_calls_nothing, "the weather", NO_CALL),
        (_has_a_need_left, "the weather", "Left open: a hotel"),
        (_is_rejected, "the weather", NO_CALL),
        (_one_of_two_fails, "weather of Bergen", "Doubtful: “Bergen” reached no call"),
        (_one_of_two_fails, "weather of Oslo", ""),
        (_says_so, "Say hello to Paul", ""),
    ],
)
def test_answer_when_nothing_shows_it_then_not_solved(
    workspace: Workspace, work: Work, query: str, reason: str
) -> None:
    done = go(workspace, work, query)
    assert (done.status is Status.ANSWERED, done.reason) == (not reason, reason)


@pytest.mark.parametrize(
    ("said", "status", "reason"),
    [
        ("It is 9.4 degrees in Oslo.", Status.UNSOLVED, "Doubtful: no result tells “9.4”"),
        ("It is 04:17 in Oslo.", Status.UNSOLVED, "Doubtful: no result tells “04:17”"),
        (
            "Sorry, the tools gave me nothing.",
            Status.UNSOLVED,
            "Doubtful: the answer is none, and nothing of a result stands in it",
        ),
        ("3.1 degrees, 2.4 more than usual", Status.ANSWERED, "No result tells “2.4”"),
        ("It is 38 degrees (°F) in Oslo", Status.ANSWERED, ""),
        ("Es ist warm.", Status.ANSWERED, ""),
    ],
)
def test_answer_when_its_values_came_from_no_result_then_they_are_named(
    workspace: Workspace, said: str, status: Status, reason: str
) -> None:
    async def work(scope: RunScope) -> Answer:
        await scope.call(ONE, {"q": "Oslo"})
        return Answer(text=said, solved=True)

    done = go(workspace, work, "How warm is it in Oslo?")
    assert (done.status, done.reason) == (status, reason)


def test_answer_when_all_calls_failed_then_not_solved(workspace: Workspace) -> None:
    async def work(scope: RunScope) -> Answer:
        await scope.call(ONE, {"q": "Oslo"})
        return Answer(text="It is warm.", solved=True)

    assert go(workspace, work, reply=bad(500)).reason == NO_CALL


def test_plan_when_it_says_solved_with_an_open_need_then_it_is_not(workspace: Workspace) -> None:
    model = ScriptedModel(plans=[[("get one", 1, []), ("get two", 2, [])]], useless={"b_1"})
    model.answers = {"final_answer": [{"answer": "All done.", "solved": True, "reason": ""}]}
    kits = {"One": [make_api("a_1")], "Two": [make_api("b_1")]}
    parts = make_parts(kits, model, ScriptedProvider(), max_replans=0)
    done = asyncio.run(run(workspace, RunSpec(query="get one and two"), parts=parts))
    assert (done.status, done.reason) == (Status.UNSOLVED, "Left open: get two")


@pytest.mark.parametrize(
    ("said", "told", "values"),
    [
        ("75 GBP are 98.11 USD", '{"value": 98.1134, "from": "GBP"}', ["GBP", "98.11"]),
        ("It costs 1,250 euros", '{"price": 1250}', ["1,250"]),
        (
            "On 2026-11-21 at 17:10",
            '{"day": "2026-11-21", "set": "17:10:05"}',
            ["2026-11-21", "17:10"],
        ),
        ("It is 3 degrees", '{"n": 30}', []),
        (
            "-4.4 °C (observed 2026-11-20T12:00:00Z, 1, wind)",
            '{"t": -4.4, "n": 1, "at": "2026-11-20T12:00:00Z"}',
            ["-4.4", "2026-11-20", "12:00:00", "1"],
        ),
        (
            "In New York on 20/11/2026",
            '{"at": "New York", "d": "20/11/2026"}',
            ["New York", "20/11/2026"],
        ),
        ("New York", '{"york": 1}', ["York"]),
        ("Parcel 1Z999AA10123456784", '{"n": "1Z999AA10123456784"}', ["1Z999AA10123456784"]),
        ("mostly cloudy later", '{"sky": "cloudy"}', ["cloudy"]),
        ("It is 1.8 °C", '{"t": -1.8}', []),
        ("It is −1.8 °C, not 3", '{"t": -1.8}', ["−1.8"]),
        ("It is minus 1.8 °C", '{"t":-1.8}', ["minus 1.8"]),
        ("461, 462 are free", '{"rooms":[461,462]}', ["461", "462"]),
    ],
)
def test_values_when_they_stand_in_both_then_found(said: str, told: str, values: list[str]) -> None:
    assert shared_values(said, told) == values


def test_lines_when_two_trials_found_the_same_then_it_is_said_once() -> None:
    row = {"need": "the price", "api": "QuoteWell", "values": ["330.35"]}
    lines = evidence_lines({"evidence": [row, {**row, "api": "TickerLine"}, row]})
    assert lines == ["the price ← QuoteWell (330.35)", "the price ← TickerLine (330.35)"]


def test_values_when_digits_stand_in_the_name_of_a_field_then_they_are_no_value() -> None:
    told = '{"components": {"pm2_5": 26.9, "o3": 71}, "category": "Moderate"}'
    said = "category Moderate, components pm2 5 26.9, components o3 71"
    assert shared_values(said, told) == ["Moderate", "26.9", "71"]


@pytest.mark.parametrize(
    ("then", "ended"),
    [
        ([], Status.UNSOLVED),
        ([KITS["One"][0]], Status.UNSOLVED),
        ([make_api("w_2", risk=Risk.WRITE)], Status.ANSWERED),
    ],
    ids=["nothing else is called", "something is read", "another call changes it"],
)
def test_change_when_it_was_not_allowed_then_only_a_call_that_changed_meets_the_task(
    workspace: Workspace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    then: list[Api],
    ended: Status,
) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))
    refused = make_api("w_1", risk=Risk.WRITE)

    async def work(scope: RunScope) -> Answer:
        await scope.call(refused, {"q": "milk"})
        for api in then:
            await scope.call(api, {"q": "milk"})
        return Answer(text="The note about milk is saved.", solved=True)

    kits = {"One": [refused, *then]}
    provider = ScriptedProvider({name: ok({"text": "milk"}) for name in ("a_1", "w_2")})
    add_approval(
        Approval(
            allows=True, scope=ApprovalScope.API, value=make_api("w_2").id, title="w_2",
            up_to=Risk.WRITE,
        )
    )  # fmt: skip
    parts = make_parts(kits, Talker(), provider, strategy=answering(work), touches_world=True)
    spec = RunSpec(query="Guarda una nota: milk", strategy="own")
    done = asyncio.run(run(workspace, spec, parts=parts))
    assert done.status is ended, done.reason
    assert ("was not allowed" in done.reason) is (ended is Status.UNSOLVED)
