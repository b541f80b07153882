"""Exports, decisions files and their merge by the command line."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from fixtures.answers import answered_no
from fixtures.spoken_command import Speak

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.region import RenameRegion
from toolplanner_core.domain.curated import RegionFields, revived_fields
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import write_regions
from toolplanner_core.workspace.verdicts import put_verdict

CHOICE = ["--choose", "1=ours"]


def copy_of(path: Path, name: str) -> Path:
    return Path(shutil.copy(path, path.with_name(f"{name}.toolplanner")))


def decisions_of(say: Speak, path: Path) -> Path:
    place = path.with_suffix(".jsonl")
    said = say("toolkits", "export", path, "--format", "decisions", "--output", place, "--json")
    assert said.data == {
        "file": str(place),
        "format": "decisions",
        "bytes": place.stat().st_size,
    }
    return place


def test_export_when_decisions_are_of_this_workspace_alone_then_it_says_that_they_are_left_out(
    path: Path, say: Speak, tmp_path: Path
) -> None:
    place = tmp_path / "mine.jsonl"
    asked = ("toolkits", "export", path, "--format", "decisions", "--output", place)
    assert "Not in it" not in say(*asked).err
    with Workspace.open(path) as workspace:
        here = {RegionId(1): revived_fields(RegionFields(name="Here", colour=1))}
        workspace.writer.run(lambda db: write_regions(db, here, {ToolkitId(1): RegionId(1)}))
        history.do(workspace, RenameRegion(region=RegionId(1), name="There"))
        workspace.writer.run(lambda db: put_verdict(db, answered_no()))
    assert "Not in it: 1 edit of regions, 1 answer “no” of the review" in say(*asked).err


def test_export_when_each_form_is_asked_for_then_it_is_on_stdout(path: Path, say: Speak) -> None:
    assert json.loads(say("toolkits", "export", path).out)["format"] == "toolplanner-toolkits"
    tools = json.loads(
        say("toolkits", "export", path, "--format", "openai", "--toolkit", "Food").out
    )
    assert [tool["type"] for tool in tools] == ["function", "function"]
    checked = say("toolkits", "export", path, "--check", "--json").data
    assert {row["dialect"]: (row["tools"], row["refused"]) for row in checked} == dict.fromkeys(
        ("anthropic", "bedrock", "gemini", "openai", "plain"), (9, 0)
    )
    table = say("toolkits", "export", path, "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == 12, "those without a toolkit, too"
    assert [row["toolkit"] for row in rows[-3:]] == ["", "", ""]
    assert say("toolkits", "export", path, "--format", "markdown").out.startswith("# Toolkits")
    said = say("toolkits", "export", path, "--output", path.with_suffix(".json"))
    assert said.status == 0
    assert said.err.startswith("Wrote ")


def test_apply_when_a_file_is_given_then_reported_and_conflicts_are_status_1(
    path: Path, say: Speak, ids: dict[int, str]
) -> None:
    there = copy_of(path, "there")
    say("toolkits", "rename", path, "Food", "Dishes")
    say("toolkits", "move", path, ids[9], ids[10], "--to", "Money")
    say("toolkits", "exclude", path, ids[1])
    file = decisions_of(say, path)
    say("toolkits", "rename", there, "Food", "Meals")
    say("toolkits", "move", there, ids[9], "--to", "Parcels")

    before = there.read_bytes()
    dry = say("toolkits", "apply", there, file, "--dry-run", "--json")
    assert dry.status == 1
    assert there.read_bytes() == before
    said = say("toolkits", "apply", there, file)
    assert said.status == 1
    assert "A person called it “Meals” here, not “Dishes”" in said.out
    assert "pinned in “Parcels” here" in said.out
    assert "3 decisions: 1 applied, 1 in part, 0 already so, 1 conflict." in said.out
    assert said.out.endswith(f"Take all back with: toolplanner history jump {there} 2\n")
    verdicts = [decision["verdict"] for decision in dry.data["decisions"]]
    assert verdicts == ["conflict", "in part", "applied"]
    again = say("toolkits", "apply", there, file, "--json")
    assert (again.status, again.data["already"], again.data["conflicts"]) == (1, 2, 1)
    at_home = say("toolkits", "apply", path, file)
    assert at_home.status == 0
    assert at_home.out == "3 decisions: 0 applied, 0 in part, 3 already so, 0 conflicts.\n"


def test_merge_decisions_when_settled_then_the_result_can_be_applied(
    path: Path, say: Speak, ids: dict[int, str]
) -> None:
    anns, bobs = copy_of(path, "ann"), copy_of(path, "bob")
    say("toolkits", "rename", anns, "Food", "Dishes")
    say("toolkits", "move", anns, ids[9], "--to", "Money")
    say("toolkits", "rename", bobs, "Food", "Meals")
    say("toolkits", "merge", bobs, "Weather", "Parcels")
    files = [decisions_of(say, anns), decisions_of(say, bobs)]
    output = path.with_name("merged.jsonl")
    merge = ("toolkits", "merge-decisions", *files, "--workspace", path)

    said = say(*merge, "--json")
    assert said.status == 1
    assert (said.data["unsettled"], said.data["file"]) == (1, None)
    conflict = said.data["conflicts"][0]
    assert (conflict["kind"], conflict["toolkit"], conflict["before"]) == ("name", "Food", "Food")
    assert (conflict["ours"]["value"], conflict["theirs"]["value"]) == ("Dishes", "Meals")
    assert conflict["ours"]["who"]
    assert conflict["ours"]["label"] == "Rename “Food” to “Dishes”"
    assert "1 conflict, 1 not settled" in say(*merge).out
    assert say(*merge, "--settle", "theirs").status == 0
    said = say(*merge, "--choose", "1=ours", "--output", output)
    assert said.status == 0
    assert say("toolkits", "apply", path, output).status == 0
    names = [row["name"] for row in say("toolkits", "list", path, "--json").data]
    assert names == ["Dishes", "Money", "Weather"]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["toolkits", "export", "W", "--toolkit", "99"], "There is no toolkit “99”"),
        (["toolkits", "export", "W", "--format", "xml"], "is not one of"),
        (["toolkits", "export", "W", "--output", "W"], "would replace a workspace"),
        (["toolkits", "export", "W", "--output", "DIR/no/f.json"], "cannot be written"),
        (["toolkits", "export", "W", "--json"], "Give --output as well"),
        (
            ["toolkits", "export", "W", "--format", "decisions", "--toolkit", "1"],
            "exported as a whole",
        ),
        (["toolkits", "apply", "W", "DIR/none.jsonl"], "cannot be read"),
        (["toolkits", "apply", "W", "DIR"], "Invalid value"),
        (["toolkits", "apply", "W", "W"], "This line is no JSON"),
        (["toolkits", "apply", "W", "JSON"], "This is no decisions file"),
        (["toolkits", "apply", "JSON", "FILE"], "not a ToolPlanner workspace"),
        (["toolkits", "merge-decisions", "FILE", "FILE"], "Missing option '--workspace'"),
        (["toolkits", "merge-decisions", "FILE", "JSON", "--workspace", "W"], "no decisions file"),
        (
            ["toolkits", "merge-decisions", "FILE", "FILE", "--workspace", "W", "--choose", "1"],
            "is no choice",
        ),
        (
            ["toolkits", "merge-decisions", *["FILE"] * 2, "--workspace", "W", *CHOICE],
            "There is no conflict 1",
        ),
        (
            ["toolkits", "merge-decisions", "FILE", "FILE", "--workspace", "OTHER"],
            "did not begin from this workspace",
        ),
        (
            ["toolkits", "merge-decisions", "FILE", "FILE", "--workspace", "W", "--output", "W"],
            "would replace a workspace",
        ),
    ],
)
def test_command_when_it_cannot_be_then_one_line_says_why_and_nothing_is_changed(
    path: Path, tmp_path: Path, say: Speak, command: list[str], why: str
) -> None:
    copy = copy_of(path, "copy")
    say("toolkits", "rename", copy, "Food", "Dishes")
    other = path.with_name("other.toolplanner")
    say("new", other)
    text = tmp_path / "text.json"
    text.write_text("{}", encoding="utf-8")
    words = {
        "W": str(path),
        "DIR": str(tmp_path),
        "DIR/no/f.json": str(tmp_path / "no" / "f.json"),
        "DIR/none.jsonl": str(tmp_path / "none.jsonl"),
        "JSON": str(text),
        "OTHER": str(other),
        "FILE": str(decisions_of(say, copy)),
    }
    before = path.read_bytes()
    said = say(*[words.get(word, word) for word in command])
    assert said.status == 2, said
    assert said.out == ""
    assert why in said.err
    assert len([line for line in said.err.splitlines() if line.startswith("Error: ")]) == 1
    assert path.read_bytes() == before


def test_apply_when_a_line_is_broken_then_it_is_named_and_nothing_is_changed(
    path: Path, say: Speak
) -> None:
    copy = copy_of(path, "copy")
    say("toolkits", "rename", copy, "Food", "Dishes")
    say("toolkits", "rename", copy, "Money", "Coins")
    file = decisions_of(say, copy)
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([*lines[:2], lines[2][:40]]), encoding="utf-8")
    before = path.read_bytes()
    said = say("toolkits", "apply", path, file)
    assert said.status == 2
    assert f"{file}, line 3: This line is no JSON" in said.err
    assert path.read_bytes() == before


def test_export_check_when_tools_are_too_many_for_one_request_then_each_dialect_says_so(
    demo: Path, path: Path, say: Speak
) -> None:
    """A warning, no failure: what is exported can be offered piece by piece."""
    many = say("toolkits", "export", demo, "--check")
    assert many.status == 0
    assert "openai: 196 are too many: OpenAI takes at most 128 tools" in many.out
    assert "gemini: 196 are too many: models choose worse from 40 tools on" in many.out
    assert "--mode search" in many.out and "--toolkit" in many.out
    assert "too many" not in say("toolkits", "export", path, "--check").out
