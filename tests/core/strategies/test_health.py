"""The health check: only what reads is called, once each, and health is what came of it."""

import shutil
from pathlib import Path

import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.ids import ROOT
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.graph.trajectories import answered_trajectories
from toolplanner_core.runs.log.stored_runs import get_summary, list_runs, load_tree
from toolplanner_core.runs.presentation.run_list import describe_run, status_words
from toolplanner_core.runs.presentation.tree_text import render_node
from toolplanner_core.runs.preview.health_check import health_check
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import CallFigures, call_figures
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid


@pytest.fixture
def file(demo_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo_file, tmp_path / "w.toolplanner"))


def test_probe_when_allowed_then_each_is_called_once_and_health_follows(file: Path) -> None:
    refused = command_here("health", "probe", file, "--most", 5)
    assert (refused.status, "add --yes" in refused.err) == (2, True)
    with Workspace.open(file) as workspace:
        assert list_runs(workspace) == []
    assert command_here("health", "probe", file, "--most", 5, "--yes").status == 0
    with Workspace.open(file) as workspace:
        [summary] = list_runs(workspace)
        assert (summary.strategy, summary.status) == ("health", Status.SOLVED)
        assert summary.model_calls == 0
        assert status_words(summary) == "done"
        assert "done by " in describe_run(summary)
        head = render_node(load_tree(workspace, summary.run).nodes[ROOT])
        assert "  done  " in head and "solved" not in head
        assert list(answered_trajectories(workspace)) == [], "the order of a check means nothing"
        figures = call_figures(workspace)
        apis = apis_by_rowid(workspace, list(figures))
        assert {api.risk for api in apis.values()} == {Risk.READ}
        assert sum(each.n_ok for each in figures.values()) == int(summary.answer.split()[0])
        assert all(each.p50_ms is not None for each in figures.values() if each.n_ok)
    listed = command_here("health", "list", file, "--json").data
    assert len(listed) == len(figures) == 5
    assert {"calls", "health", "p50_ms", "p95_ms", "last_error"} <= listed[0].keys()
    by_toolkit = command_here("health", "list", file, "--by", "toolkit", "--json").data
    assert sum(row["calls"] for row in by_toolkit) == sum(row["calls"] for row in listed)


def test_probe_when_replies_are_made_up_then_no_health(file: Path) -> None:
    with Workspace.open(file) as workspace:
        check = health_check(workspace, all_rowids(workspace), most=3)
        query = " ".join(api.id for api in check.apis)
    ran = command_here("run", file, query, "--strategy", "health", "--provider", "simulated")
    assert ran.status == 0
    with Workspace.open(file) as workspace:
        assert get_summary(workspace, list_runs(workspace)[0].run).api_calls == 3
        assert call_figures(workspace) == {}


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("Convert 30 miles to kilometres", "not “30 miles”: choose another strategy"),
        ("What is the stock price of STRA?", "not “STRA”: choose another strategy"),
        ("Convert dollars", ""),
    ],
)
def test_check_when_a_query_asks_for_something_else_then_says_what_was_shown_and_what_not(
    file: Path, query: str, reason: str
) -> None:
    command_here("run", file, query, "--strategy", "health", "--shortlist", 3)
    with Workspace.open(file) as workspace:
        [summary] = list_runs(workspace)
        root = load_tree(workspace, summary.run).root
    assert root is not None
    assert (summary.status is Status.SOLVED) == (not reason)
    assert reason in summary.reason
    assert "called with documented values" in summary.answer
    needs = [row["need"] for row in root.data.get("evidence", [])]
    assert all(need.endswith(" answers") for need in needs)
    assert bool(needs) == (not reason)


def test_check_when_apis_may_change_something_then_left_out_and_said(file: Path) -> None:
    with Workspace.open(file) as workspace:
        rowids = all_rowids(workspace)
        risen = "UPDATE apis SET risk = 'write' WHERE rowid <= 3"
        workspace.writer.run(lambda db: db.execute(risen).rowcount)
        check = health_check(workspace, rowids)
        apis = apis_by_rowid(workspace, rowids).values()
        writing = [api for api in apis if api.risk is not Risk.READ]
        assert len(writing) == 3
        assert not {api.id for api in check.apis} & {api.id for api in writing}
        assert check.left_out == len(rowids) - len(check.apis)
        assert "may change something" in check.words
        nothing = health_check(workspace, [])
        assert nothing.words.startswith("None of these can be called")


def test_figures_when_told_then_smoothed_and_times_that_were_seen() -> None:
    figures = CallFigures(n_ok=19, n_failed=1, elapsed_ms=tuple(float(n) for n in range(1, 20)))
    assert figures.smoothed == 20 / 22
    assert (figures.p50_ms, figures.p95_ms) == (10.0, 19.0)
    both = figures.plus(CallFigures(n_ok=1, n_failed=0, elapsed_ms=(100.0,)))
    assert (both.n, both.p95_ms) == (21, 19.0)
    never = CallFigures(n_ok=0, n_failed=0)
    assert (never.smoothed, never.p50_ms, never.p95_ms) == (0.5, None, None)
