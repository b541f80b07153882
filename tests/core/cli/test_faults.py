"""`--fault`: explained and refused alike for a run and for a fork."""

from pathlib import Path

import pytest
from fixtures.command_line import command_here

from toolplanner_core.runs.log.stored_runs import list_runs
from toolplanner_core.workspace import Workspace


@pytest.mark.parametrize("command", [("run", "q"), ("runs", "fork", "1", "--at", "1")])
def test_fault_when_wrong_then_said_what_is_wrong_with_an_example_and_nothing_runs(
    demo: Path, command: tuple[str, ...]
) -> None:
    cut = 1 if command[0] == "run" else 2
    ran = command_here(*command[:cut], demo, *command[cut:], "--fault", "500:all,p=2")
    assert ran.status == 2
    assert "p=2 is not a chance from 0 to 1" in ran.err
    assert "500:api=NAME*" in ran.err
    with Workspace.open(demo) as workspace:
        assert list_runs(workspace) == []


@pytest.mark.parametrize("command", [("run",), ("runs", "fork")])
def test_help_when_asked_then_faults_are_explained(command: tuple[str, ...]) -> None:
    shown = " ".join(command_here(*command, "--help").out.split())
    assert "timeout, slow, 401, 403" in shown
    assert "500:api=NAME*" in shown
    assert "p=CHANCE" in shown
