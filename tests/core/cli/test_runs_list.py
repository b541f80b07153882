"""The list of runs in the terminal."""

from pathlib import Path

from fixtures.spoken_command import Speak

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import NewRun, add_runs


def test_list_when_a_query_is_very_long_then_its_begin_stands_there_and_all_of_it_in_json(
    path: Path, say: Speak
) -> None:
    query = "How far is it? " * 1000
    run = NewRun(
        query=query, strategy="tool-planner", model="offline", provider="demo", status="solved",
        started_us=1, app_version="0",
    )  # fmt: skip
    with Workspace.open(path) as workspace:
        add_runs(workspace, [run])
    shown = say("runs", "list", path).out
    assert 0 < shown.count("How far is it?") <= 14 and "…" in shown
    assert say("runs", "list", path, "--json").data[0]["query"] == query
