"""The example runs of the demo: one of each strategy, labelled everywhere, replayed strictly."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplanner_core.domain.ids import ROOT
from toolplanner_core.domain.plan import NOT_REFUTED, Status
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.example import EXCHANGE, ExampleModel, is_of
from toolplanner_core.llm.model import EXAMPLE_WORDS, ModelRequest, Reply
from toolplanner_core.prompts.anytool import CheckSolvable
from toolplanner_core.runs.compare.diff import diff_runs
from toolplanner_core.runs.compare.side_by_side import render_diff
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.demo.demo_workspace import example_specs, make_examples
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.graph.tool_graph import graph_now
from toolplanner_core.runs.log.stored_runs import list_runs, load_records, load_tree
from toolplanner_core.runs.presentation.node_report import make_report
from toolplanner_core.runs.presentation.run_list import describe_run, run_line, status_words
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import call_figures
from toolplanner_core.workspace.demonstrations import list_demonstrations
from toolplanner_core.workspace.step_outcomes import step_outcomes

WITHOUT = {"health", "chain-of-thought"}
"""Strategies that answer no query, or cannot take a value from one reply into the next call."""
IDS = [plugin.id for plugin in strategies if plugin.id not in WITHOUT]


@pytest.fixture(scope="module")
def demo_of_examples(
    demo_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Workspace, dict[str, RunSummary]]]:
    path = Path(shutil.copy(demo_file, tmp_path_factory.mktemp("ex") / "copy.toolplanner"))
    with Workspace.open(path) as workspace:
        yield workspace, {s.strategy: s for s in make_examples(workspace, progress=Progress())}


def test_examples_when_made_then_every_strategy_has_one_with_an_answer_nothing_speaks_against(
    demo_of_examples: tuple[Workspace, dict[str, RunSummary]],
) -> None:
    workspace, made = demo_of_examples
    assert sorted(made) == sorted(IDS)
    unsolved = [(s.strategy, s.answer) for s in made.values() if s.status not in NOT_REFUTED]
    assert unsolved == []
    answers = {s.answer for s in made.values() if s.strategy != "probe"}
    assert answers == {"One share of STRA costs 330.35 USD, which is 289.27 EUR."}
    failed = {s.strategy for s in made.values() if s.failed_calls}
    assert failed == set(IDS) - {"tptu"}, "a demonstration showed it what works"
    assert next(s.run for s in list_runs(workspace)) == made["tool-planner"].run
    assert graph_now(workspace).trajectories == len(IDS) - 1, "probing is no way to an answer"
    assert [each.tags for each in list_demonstrations(workspace)] == [("example",)]
    assert (call_figures(workspace), step_outcomes(workspace)) == ({}, []), "it was staged"


def test_example_of_agents_when_one_asks_before_the_other_has_found_its_part_then_it_is_solved(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agents search at the same time; under load the one for prices was at its end first."""
    says, has_asked, goes_on = ExampleModel.complete, asyncio.Event(), asyncio.Event()

    async def complete(self: ExampleModel, request: ModelRequest) -> Reply:
        offered = {tool.name: tool for tool in request.tools}
        pool = offered.get("add_apis_into_api_pool")
        found = pool.parameters["properties"]["apis"]["items"]["enum"] if pool else ()
        if any(is_of(name, EXCHANGE) for name in found):
            await goes_on.wait()
        reply = await says(self, request)
        if found and has_asked.is_set():
            goes_on.set()
        if isinstance(request.question, CheckSolvable):
            has_asked.set()
        return reply

    monkeypatch.setattr(ExampleModel, "complete", complete)
    spec = next(spec for spec in example_specs() if spec.strategy == "anytool")
    with Workspace.open(demo) as workspace:
        done = asyncio.run(run(workspace, spec))
    assert done.status in NOT_REFUTED and done.failed_calls == 1, done.reason


@pytest.mark.parametrize("strategy", IDS)
def test_example_when_replayed_then_is_the_same_to_the_last_event(
    demo_of_examples: tuple[Workspace, dict[str, RunSummary]], strategy: str
) -> None:
    workspace, made = demo_of_examples
    report = replay(workspace, made[strategy].run)
    assert report.identical, report.divergence


@pytest.mark.parametrize("strategy", IDS)
def test_example_when_shown_anywhere_then_it_says_that_its_replies_are_scripted(
    demo_of_examples: tuple[Workspace, dict[str, RunSummary]], strategy: str
) -> None:
    workspace, made = demo_of_examples
    summary = made[strategy]
    tree = load_tree(workspace, summary.run)
    report = make_report(tree.nodes[ROOT], load_records(workspace, summary.run, ROOT), cause=None)
    header = json.loads(next(iter(export_jsonl(workspace, [summary.run]))))
    shown = {
        "list": run_line(summary),
        "tooltip": describe_run(summary),
        "terminal": status_words(summary).replace("example", "Example"),
        "tree": run_headline(tree.nodes),
        "answer": report.result[0].title,
        "page": export_html(workspace, summary.run),
        "lines": header["label"],
    }
    assert not [place for place, words in shown.items() if EXAMPLE_WORDS not in words]


def test_examples_when_compared_then_both_are_named(
    demo_of_examples: tuple[Workspace, dict[str, RunSummary]],
) -> None:
    workspace, made = demo_of_examples
    diff = diff_runs(workspace, made["react"].run, made["dfsdt"].run)
    assert f"{EXAMPLE_WORDS}: both" in render_diff(diff)


@pytest.mark.parametrize("strategy", ["tool-planner", "dfsdt", "atc"])
def test_example_when_run_again_from_its_middle_then_the_script_goes_on(
    demo_of_examples: tuple[Workspace, dict[str, RunSummary]], strategy: str
) -> None:
    workspace, made = demo_of_examples
    calls = [n.path for n in load_tree(workspace, made[strategy].run).nodes.values() if n.is_call]
    child = asyncio.run(run(workspace, fork(workspace, made[strategy].run, calls[1])))
    assert child.status in NOT_REFUTED, child.reason
    assert child.answer == made[strategy].answer


def test_example_of_the_graph_when_run_again_after_the_others_then_it_is_solved(
    demo_of_examples: tuple[Workspace, dict[str, RunSummary]],
) -> None:
    workspace, _ = demo_of_examples
    spec = next(spec for spec in example_specs() if spec.strategy == "toolnet")
    done = asyncio.run(run(workspace, spec))
    assert done.status in NOT_REFUTED and done.failed_calls == 1, done.reason


def test_examples_when_one_cannot_begin_then_the_others_are_made(
    demo: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = example_specs()[0]
    specs = [RunSpec(query="x", strategy="gone", model="example"), first]
    monkeypatch.setattr("toolplanner_core.runs.demo.demo_workspace.example_specs", lambda: specs)
    with Workspace.open(demo) as workspace:
        made = make_examples(workspace, progress=Progress())
    assert [s.strategy for s in made] == [first.strategy]
    assert "There is no example run of gone" in caplog.text


def test_script_when_asked_another_query_then_says_what_it_is_for(
    demo_of_examples: tuple[Workspace, dict[str, RunSummary]],
) -> None:
    workspace, _ = demo_of_examples
    spec = RunSpec(query="Will it rain?", strategy="react", model="example", provider="demo")
    done = asyncio.run(run(workspace, spec))
    assert done.status is Status.UNSOLVED
    assert "knows one query only" in done.reason
    assert len(example_specs()) == len(IDS)
