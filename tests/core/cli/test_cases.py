"""`toolplanner cases run`: all of them, or those that are named."""

from pathlib import Path

from fixtures.command_line import command_here

from toolplanner_core.runs.log.stored_runs import list_runs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases


def test_cases_when_one_is_named_then_only_this_one_runs(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        case = list_cases(workspace)[0]
    ran = command_here("cases", "run", demo, case.id, case.id)
    assert (ran.status, "1 of 1 case passed." in ran.out) == (0, True), ran.out + ran.err
    with Workspace.open(demo) as workspace:
        assert [summary.query for summary in list_runs(workspace)] == [case.query]


def test_cases_when_one_that_is_named_is_not_there_then_none_runs(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        case = list_cases(workspace)[0]
    ran = command_here("cases", "run", demo, case.id, "nothing")
    assert ran.status == 2
    assert "There is no case 'nothing'" in ran.err
    with Workspace.open(demo) as workspace:
        assert list_runs(workspace) == []
