"""`toolplanner demos` over runs that were really made."""

import json
from pathlib import Path

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import speak_run

from toolplanner_core.cli.app import run_command_line
from toolplanner_core.domain.demonstration import Demonstration
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.export.demonstrations import (
    answered_queries,
    demonstration_of,
    save_demonstration,
)
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.demonstrations import list_demonstrations

SCRIPT = [
    {"subtasks": [{"goal": "Where is Oslo", "api": 3}, {"goal": "Weather there", "api": 1}]},
    {"arguments": {"q": "Oslo"}, "missing": []},
    {"arguments": {"q": "OSL"}, "missing": []},
    {"answer": "It is 3 degrees.", "solved": True, "reason": ""},
]
REPLIES = {"geo_find": ok({"id": "OSL"}), "meteo_now": ok({"celsius": 3})}


def test_run_when_saved_then_the_demonstration_holds_each_sub_task_with_its_call(
    workspace: Workspace,
) -> None:
    spoken = speak_run(workspace, "tptu", list(SCRIPT), provider=ScriptedProvider(REPLIES))
    made = save_demonstration(workspace, spoken.summary.run, tags=["weather"])
    assert list_demonstrations(workspace) == [made]
    assert [(s.goal, s.title, dict(s.arguments)) for s in made.steps] == [
        ("Where is Oslo", "geo · geo_find", {"q": "Oslo"}),
        ("Weather there", "meteo · meteo_now", {"q": "OSL"}),
    ]
    assert made.steps[1].result == '{"celsius": 3}'
    assert made.answer == "It is 3 degrees."
    assert made.run == spoken.summary.run


def test_run_when_no_call_worked_then_it_cannot_be_one(workspace: Workspace) -> None:
    script = [
        {"subtasks": [{"goal": "Weather", "api": 1}]},
        {"arguments": {"q": "Oslo"}, "missing": []},
        {"answer": "No.", "solved": False, "reason": "down"},
    ]
    provider = ScriptedProvider({"meteo_now": bad(500)})
    spoken = speak_run(workspace, "tptu", script, provider=provider, tries=1)
    with pytest.raises(BadInput, match="no call that served"):
        demonstration_of(workspace, spoken.summary.run)
    assert answered_queries(workspace) == []


def test_demos_when_used_from_the_terminal_then_added_listed_edited_and_removed(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoken = speak_run(workspace, "tptu", list(SCRIPT), provider=ScriptedProvider(REPLIES))
    file = str(workspace.path)
    assert run_command_line(["demos", "add", file, str(spoken.summary.run), "--tag", "a"]) == 0
    own = tmp_path / "own.json"
    step = {"goal": "g", "api": "", "title": "none"}
    own.write_text(json.dumps({"query": "Track a parcel", "steps": [step]}), encoding="utf-8")
    assert run_command_line(["demos", "add", file, "--file", str(own)]) == 0
    capsys.readouterr()
    assert run_command_line(["demos", "list", file, "--like", "track my parcel", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == [2, 1]
    assert rows[0]["like"] > rows[1]["like"]
    assert run_command_line(["demos", "edit", file, "1", "--tag", "b", "--answer", "3"]) == 0
    capsys.readouterr()
    assert run_command_line(["demos", "list", file, "--tag", "b", "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert (row["id"], row["answer"], row["tags"]) == (1, "3", ["b"])
    assert run_command_line(["demos", "remove", file, "1"]) == 0
    assert run_command_line(["demos", "remove", file, "1"]) == 2
    assert run_command_line(["demos", "add", file]) == 2
    left: list[Demonstration] = list_demonstrations(workspace)
    assert [each.query for each in left] == ["Track a parcel"]


def test_solved_runs_when_saved_in_bulk_then_the_newest_of_each_query_and_why_others_are_left_out(
    workspace: Workspace,
) -> None:
    runs = [
        speak_run(workspace, "tptu", list(SCRIPT), provider=ScriptedProvider(REPLIES)).summary.run
        for _ in range(3)
    ]
    file = workspace.path
    assert command_here("demos", "add", file, "--solved").out == "Saved 0 runs as demonstrations\n"
    for run in runs[:2]:
        assert command_here("runs", "judge", file, run, "--solved").status == 0
    said = command_here("demos", "add", file, "--solved", "--tag", "bulk", "--json")
    assert [each["run"] for each in said.data["made"]] == [runs[1]]
    assert said.data["left_out"] == {"of a query that has one": 1}
    again = command_here("demos", "add", file, "--answered")
    assert again.out.startswith("Saved 0 runs as demonstrations; left out: 3 of a query")
    assert [each.tags for each in list_demonstrations(workspace)] == [("bulk",)]
    assert command_here("demos", "add", file, runs[0], "--solved").status == 2
