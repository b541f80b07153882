"""A run in a sentence."""

import asyncio
from typing import Any

import pytest
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import SIMULATED, VIRTUAL, RawResult
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.debugging.faults import FaultKind
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.log.stored_runs import get_summary, load_tree
from toolplanner_core.runs.presentation.debug_words import FAULT_WORDS
from toolplanner_core.runs.presentation.node_report import read_report
from toolplanner_core.runs.presentation.run_list import run_look, status_words
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.runs.presentation.tree_rows import state_words
from toolplanner_core.runs.presentation.tree_text import render_tree
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import call_figures

KITS = {"Kit 1": [make_api(f"kit1_{j}") for j in range(3)]}
PLAN: list[Any] = [("a", 1, [])]


def solve(
    workspace: Workspace, replies: dict[str, Any] | None = None, faults: tuple[str, ...] = ()
) -> RunSummary:
    parts = make_parts(KITS, ScriptedModel(plans=[PLAN]), ScriptedProvider(replies or {}))
    done = asyncio.run(run(workspace, RunSpec(query="q", faults=faults), parts=parts))
    return get_summary(workspace, done.run)


def told(workspace: Workspace, summary: RunSummary) -> str:
    return run_headline(load_tree(workspace, summary.run).nodes)


def test_story_when_nothing_failed_then_there_is_none(workspace: Workspace) -> None:
    assert told(workspace, solve(workspace)) == ""


def test_story_when_an_api_failed_then_says_which_why_and_what_took_over(
    workspace: Workspace,
) -> None:
    summary = solve(workspace, {"kit1_0": bad(500)})
    first, second = (api.title for api in KITS["Kit 1"][:2])
    assert told(workspace, summary) == (
        f"Answered, not checked after 1 failed call: {first} failed (server error 500),"
        f" {second} took over."
    )


def test_story_when_the_budget_ended_before_a_call_then_no_reply_of_it_is_spoken_of(
    workspace: Workspace,
) -> None:
    provider = ScriptedProvider({"kit1_0": bad(500)})
    parts = make_parts(KITS, ScriptedModel(plans=[PLAN]), provider)
    spec = RunSpec(query="q", limits=Limits(max_model_calls=2))
    done = asyncio.run(run(workspace, spec, parts=parts))
    first, second = (api.title for api in KITS["Kit 1"][:2])
    story = run_headline(load_tree(workspace, done.run).nodes)
    assert len(provider.calls) == 1
    assert story.startswith(
        f"Over budget after 1 failed call and 1 API that was not called: {first} failed"
    )
    assert f"{second} was not called (The budget of 2 model calls is used up" in story


@pytest.mark.parametrize("failing", [2, 3])
def test_story_when_several_failed_then_each_is_told(workspace: Workspace, failing: int) -> None:
    story = told(workspace, solve(workspace, {f"kit1_{n}": bad(500) for n in range(failing)}))
    assert f"after {failing} failed calls" in story
    assert story.count("failed (server error 500)") == failing
    assert story.count("took over") == (failing < 3)


def test_story_when_a_fault_was_injected_then_says_so_in_list_and_totals(
    workspace: Workspace,
) -> None:
    summary = solve(workspace, faults=("500:api=kit1_0",))
    assert told(workspace, summary).startswith(
        "A fault was injected. Answered, not checked after 1 failed call (1 by a fault): "
    )
    assert "⚡ fault injected" in run_look(summary).word
    assert status_words(summary) == "answered, not checked (⚡ fault injected)"
    assert status_words(solve(workspace)) == "answered, not checked"
    assert summary.counts["injected faults"] == 1
    tree = load_tree(workspace, summary.run)
    marked = [node for node in tree.nodes.values() if state_words(node).startswith("⚡")]
    assert [node.kind for node in marked] == ["run", "call"], "of two calls one was struck"
    lines = [line for line in render_tree(tree) if "⚡" in line]
    assert lines[0].startswith("◇ ⚡ q")
    assert "✗ ⚡ " in lines[1] and len(lines) == 2


@pytest.mark.parametrize(
    ("kind", "words"), [("malformed", "malformed JSON"), ("schema", "wrong shape")]
)
def test_story_when_a_reply_was_broken_by_a_fault_then_says_by_which(
    workspace: Workspace, kind: str, words: str
) -> None:
    story = told(workspace, solve(workspace, faults=(f"{kind}:api=kit1_0",)))
    assert f"failed (injected {words})" in story
    assert FAULT_WORDS[FaultKind(kind)].lower() == words.lower()


def test_story_when_a_fault_only_slowed_a_call_then_run_and_call_say_so(
    workspace: Workspace,
) -> None:
    summary = solve(workspace, faults=("slow:api=kit1_0,after=0.01",))
    assert told(workspace, summary) == "A fault was injected."
    nodes = load_tree(workspace, summary.run).nodes
    (call,) = (node for node in nodes.values() if node.is_call)
    assert call.reason == "slowed down by an injected fault"
    assert call.state is NodeState.OK


def test_story_when_replies_are_simulated_then_said_on_answer_nodes_list_and_page(
    workspace: Workspace,
) -> None:
    made_up = RawResult(status=200, body='{"price": 1}', origin=SIMULATED)
    summary = solve(workspace, {"kit1_0": made_up})
    assert told(workspace, summary) == "Simulated: the replies are invented."
    look, real = run_look(summary), run_look(solve(workspace))
    assert "simulated" in look.word
    assert (look.icon, look.token) != (real.icon, real.token)
    nodes = load_tree(workspace, summary.run).nodes
    (call,) = (node for node in nodes.values() if node.is_call)
    assert call.reason == "simulated: invented reply"
    report = read_report(workspace, summary.run, next(iter(nodes)))
    assert report.result[0].title == "Answer, simulated"
    assert "Simulated: the replies are invented." in export_html(workspace, summary.run)


def test_story_when_replies_are_virtual_then_said_and_no_health(workspace: Workspace) -> None:
    summary = solve(workspace, {"kit1_0": RawResult(status=200, body='{"p": 1}', origin=VIRTUAL)})
    assert told(workspace, summary) == "Virtual: the replies may be made up."
    assert "virtual" in run_look(summary).word
    assert call_figures(workspace) == {}
