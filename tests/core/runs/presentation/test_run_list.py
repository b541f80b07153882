"""Runs as rows: families and words."""

import dataclasses

import pytest

from toolplanner_core.cli.run import describe_summary
from toolplanner_core.domain.ids import ROOT, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.presentation.run_list import (
    describe_run,
    in_families,
    run_line,
    run_look,
    status_words,
    what_differs,
)
from toolplanner_core.runs.presentation.states import RUN_LOOKS, ended_look, state_word
from toolplanner_core.runs.tree.node import Node


def summary(run: int, parent: int | None = None, **more) -> RunSummary:
    made = RunSummary(
        run=RunId(run), query=f"question {run}", strategy="tool-planner", model="offline",
        provider="demo", status=Status.SOLVED, answer="",
        parent_run=None if parent is None else RunId(parent),
    )  # fmt: skip
    return dataclasses.replace(made, **more)


def test_forks_stand_below_their_parents_and_the_newest_family_is_first() -> None:
    runs = [summary(6), summary(5, 2), summary(4, 1), summary(3, 1), summary(2), summary(1),
            summary(7, 3), summary(9, 8)]  # fmt: skip
    assert [(item.summary.run, item.depth) for item in in_families(runs)] == [
        (9, 0), (1, 0), (3, 1), (7, 2), (4, 1), (6, 0), (2, 0), (5, 1),
    ]  # fmt: skip


def test_look_says_fork_imported_and_interrupted_in_words_and_icon() -> None:
    assert run_look(summary(1)).word == ""
    assert run_look(summary(2, 1))[::2] == ("source-fork", "fork of 1")
    assert run_look(summary(3, is_imported=True))[::2] == ("import", "imported")
    look = run_look(summary(4, 1, status=Status.INTERRUPTED))
    assert look[::2] == ("power-plug-off", "interrupted · fork of 1")
    assert run_line(summary(2, 1), depth=1) == "↳ 2  question 2 · fork"
    assert run_line(summary(2, 1)) == "2  question 2 · fork of 1"
    assert run_line(summary(3)) == "3  question 3"
    assert "by Tool-Planner with" in describe_run(summary(2))
    assert "Tool-Planner · Example" in run_line(summary(2, model="example"))
    assert "Forked from run 1" in describe_run(summary(2, 1))
    assert "token" not in describe_run(summary(2))
    assert "1,200 tokens · cost $0.0123" in describe_run(summary(2, tokens=1200, cost=0.0123))
    assert "Found: where it stands" in describe_run(summary(2), snippet="where it stands")


def test_lines_when_runs_have_one_query_then_say_in_what_they_differ() -> None:
    petrol = "Find the cheapest petrol near Springfield."
    runs = [
        summary(1, query=petrol),
        summary(2, query=petrol, failed_calls=1, fallbacks=1),
        summary(3, query=petrol, strategy="react", model="openai:m"),
        summary(4, query=petrol, strategy="react", model="offline"),
        summary(5, 1, query=petrol, failed_calls=2, api_calls=3),
        summary(6, query=petrol, status=Status.UNSOLVED),
        summary(7, query="Another one."),
    ]
    differs = what_differs(runs)
    assert differs[RunId(1)] == "Tool-Planner"
    assert differs[RunId(2)] == "Tool-Planner · 1 failed call"
    assert differs[RunId(3)] != differs[RunId(4)]
    assert differs[RunId(4)].startswith("ReAct · ")
    assert differs[RunId(5)] == differs[RunId(6)] == "Tool-Planner", "the line says the rest"
    assert RunId(7) not in differs
    line = run_line(runs[1], differs=differs[RunId(2)])
    assert line == f"2  {petrol} · Tool-Planner · 1 failed call"
    lines = [run_line(run, differs=differs.get(run.run, "")).split("  ", 1)[1] for run in runs]
    assert len(set(lines)) == len(lines)
    alone = summary(8, query="One more.", status=Status.UNSOLVED, label="odd")
    assert run_line(alone) == "8  One more. · odd", "what one looks for is the query"


def test_lines_when_only_providers_answers_or_times_differ_then_say_these() -> None:
    def words(*runs: RunSummary) -> list[str]:
        return list(what_differs([dataclasses.replace(run, query="q") for run in runs]).values())

    invented = summary(2, provider="simulated", counts={"simulated replies": 1})
    assert words(summary(1), invented) == ["", ""], "the line of one says that it is simulated"
    assert words(summary(1), summary(2, provider="mcp")) == ["Demo world", "MCP servers"]
    assert words(summary(1, answer="3.02"), summary(2, answer="3.05")) == ["3.02", "3.05"]
    assert words(summary(1, seconds=2), summary(2, seconds=0.05)) == ["2.0 s", "50 ms"]
    assert words(summary(1), summary(2)) == ["", ""]
    began = [
        words(summary(1, started_us=10**15), summary(2, started_us=10**15 + us))
        for us in (3_000_000, 4_000)
    ]
    ends = [[word[-12:].rpartition(":")[2] for word in pair] for pair in began]
    assert ends == [["40", "43"], ["40.000", "40.004"]], "and when they began, if nothing else"


def test_state_of_a_run_when_something_else_ended_it_then_in_the_words_of_the_list() -> None:
    others = (Status.OVER_BUDGET, Status.NOT_MEASURED, Status.ERROR)
    for status in (Status.INTERRUPTED, Status.CANCELLED, *others):
        root = Node(
            path=ROOT,
            parent=None,
            kind="run",
            title="q",
            state=NodeState.CANCELLED,
            data={"status": str(status)},
        )
        assert state_word(root) == RUN_LOOKS[status].word


@pytest.mark.parametrize("status", Status)
def test_state_of_a_run_when_it_is_said_anywhere_then_it_is_the_word_of_the_one_table(
    status: Status,
) -> None:
    """List of the terminal, last line of a run, its description, its line in the window."""
    run, word = summary(1, status=status), RUN_LOOKS[status].word
    assert status_words(run) == word
    assert f"Run 1: {word} by " in describe_summary(run)
    assert f"\n{word} by " in describe_run(run)
    assert run_look(run).word == ("" if status is Status.SOLVED else word)


@pytest.mark.parametrize("status", [Status.ANSWERED, Status.CONTRADICTED])
def test_run_when_nobody_vouches_for_it_then_word_icon_and_colour_are_its_own(
    status: Status,
) -> None:
    look = RUN_LOOKS[status]
    others = [other for each, other in RUN_LOOKS.items() if each is not status]
    assert look.word not in [other.word for other in others]
    assert look.icon not in [other.icon for other in others]
    assert look.token not in [other.token for other in others]
    root = Node(path=ROOT, parent=None, kind="run", title="q", state=NodeState.OK)
    root.data = {"status": str(status)}
    assert ended_look(root) == look and state_word(root) == look.word
    root.data = {"status": "solved"}
    assert ended_look(root) is None
