"""Runs that come from elsewhere: a terminal on the same file, a program that died."""

import threading
from pathlib import Path

import pytest
from fixtures.command_line import started_toolplanner

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.outcome import AnswerVerdict, VerdictSource
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.process_identity import this_process
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.judging.verdicts import store_verdict
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import NewRun, RunMark, add_runs, delete_runs, put_mark
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.debug import run_view
from toolplanner_gui.viewmodels.debug.external_runs import read_list


def add_elsewhere(path: Path, status: str, process: str = "") -> None:
    """What another program writes into the file."""
    run = NewRun(
        query="From a terminal", strategy="tool-planner", model="offline", provider="demo",
        status=status, started_us=1, app_version="0", process=process,
    )  # fmt: skip
    with Workspace.open(path) as workspace:
        add_runs(workspace, [run])


def statuses(context: AppContext) -> list[str]:
    return [str(summary.status) for summary in context.run_view.summaries]


def test_runs_when_a_terminal_makes_one_then_listed_without_being_asked(
    opened: AppContext, demo: Path, qtbot
) -> None:
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    assert statuses(opened) == []
    add_elsewhere(demo, "solved")
    qtbot.waitUntil(lambda: statuses(opened) == ["solved"])
    assert not opened.run_view.interrupted


def test_runs_when_a_terminal_stars_one_then_the_list_says_so(
    opened: AppContext, demo: Path, qtbot
) -> None:
    add_elsewhere(demo, "solved")
    qtbot.waitUntil(lambda: statuses(opened) == ["solved"])
    assert not opened.run_view.summaries[0].is_starred
    with Workspace.open(demo) as file:
        put_mark(file, RunMark(run_id=RunId(1), is_starred=True))
    qtbot.waitUntil(lambda: opened.run_view.summaries[0].is_starred)


def test_runs_when_a_terminal_judges_one_then_the_list_says_so(
    opened: AppContext, demo: Path, qtbot
) -> None:
    opened.run_view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    qtbot.waitUntil(lambda: not opened.run_view.is_live and statuses(opened) == ["solved"])
    verdict = AnswerVerdict(source=VerdictSource.PERSON, solved=False, reason="not", who="me")
    with Workspace.open(demo) as file:
        store_verdict(file, RunId(1), verdict)
    qtbot.waitUntil(lambda: statuses(opened) != ["solved"])
    assert [each["reason"] for each in opened.run_view.summaries[0].verdicts] == ["not"]


def test_runs_when_read_twice_at_once_then_the_newer_is_shown(
    opened: AppContext, demo: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The older reading ends last: it must not bring back what was before."""
    add_elsewhere(demo, "solved")
    qtbot.waitUntil(lambda: statuses(opened) == ["solved"])
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    opened.run_view._others._timer.stop()
    goes_on, reads = threading.Event(), list[int]()

    def read_slowly(workspace: Workspace) -> object:
        found = read_list(workspace)
        reads.append(len(reads))
        if reads[-1] == 0:
            goes_on.wait(60)
        return found

    monkeypatch.setattr(run_view, "read_list", read_slowly)
    opened.run_view.refresh()
    qtbot.waitUntil(lambda: bool(reads))
    with Workspace.open(demo) as file:
        put_mark(file, RunMark(run_id=RunId(1), is_starred=True))
    opened.run_view.refresh()
    qtbot.wait(200)  # a second reading at once would be over by then
    goes_on.set()
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    assert opened.run_view.summaries[0].is_starred


def test_run_when_a_terminal_goes_on_with_it_then_its_tree_grows_here(
    opened: AppContext, demo: Path, qtbot
) -> None:
    view = opened.run_view
    query = "Convert 26.2 miles to kilometres."
    with started_toolplanner("run", demo, query, "--step") as stepping:
        assert stepping.stdin is not None
        qtbot.waitUntil(lambda: statuses(opened) == ["running"])
        view.show_run(view.summaries[0].run)
        qtbot.waitUntil(lambda: view.run is not None and NodePath("") in view.nodes)
        qtbot.waitUntil(lambda: view.nodes[NodePath("")].state is NodeState.PAUSED)
        n_nodes, arrived = len(view.nodes), []
        view.records_arrived.connect(arrived.extend)
        stepping.stdin.write("c\n")
        stepping.stdin.flush()
        qtbot.waitUntil(lambda: view.nodes[NodePath("")].state is NodeState.OK)
    assert len(view.nodes) > n_nodes
    with Workspace.open(demo) as file:
        stored = load_tree(file, RunId(1))
    assert dict(stored.nodes) == dict(view.nodes)
    assert len({record.seq for record in arrived}) == len(arrived), "each event came once"
    assert arrived[-1].seq == stored.last_seq
    qtbot.waitUntil(lambda: statuses(opened) == ["solved"])


def test_runs_when_this_window_made_one_then_the_list_is_not_read_again_for_it(
    opened: AppContext, qtbot
) -> None:
    """Lists that follow it would lose the row that a person has chosen meanwhile."""
    view = opened.run_view
    view._others._timer.stop()
    view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    qtbot.waitUntil(lambda: not view.is_live and statuses(opened) == ["solved"])
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    heard: list[str] = []
    view.runs_changed.connect(lambda: heard.append("changed"))
    view._others.look()
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    assert heard == []


def test_runs_when_a_program_died_in_one_then_told_as_interrupted(
    opened: AppContext, demo: Path, qtbot
) -> None:
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    add_elsewhere(demo, "running", process="linux:1:gone")
    qtbot.waitUntil(lambda: statuses(opened) == ["interrupted"])
    assert list(opened.run_view.interrupted) == [1]


def test_run_when_it_goes_on_then_not_deleted_and_said_why(opened: AppContext, demo: Path) -> None:
    add_elsewhere(demo, "solved")
    add_elsewhere(demo, "running", process=this_process())
    with pytest.raises(BadInput, match="Run 2 has not ended: it goes on, or is held"):
        delete_runs(opened.file, [RunId(1), RunId(2)])
    assert list(opened.file.reader().execute("SELECT * FROM run_marks")) == []
