"""`toolplanner import`: what would change, what is left out, reports, how it ends."""

import csv
import json
import os
import signal
import sys
from pathlib import Path

import pytest
from fixtures.command_line import command_here, started_toolplanner
from fixtures.mcp_world import is_alive, write_config

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_count


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An empty workspace."""
    Workspace.create(tmp_path / "w.toolplanner").close()
    return tmp_path / "w.toolplanner"


def functions(folder: Path, **descriptions: str) -> Path:
    """A file with these functions."""
    folder.mkdir(exist_ok=True)
    path = folder / "functions.json"
    entries = [{"name": n, "description": d, "parameters": {}} for n, d in descriptions.items()]
    path.write_text(json.dumps(entries))
    return path


def n_apis(file: Path) -> int:
    with Workspace.open(file) as workspace:
        return api_count(workspace)


def test_import_when_everything_is_rejected_then_the_exit_code_says_so(file, tmp_path):
    path = tmp_path / "broken.json"
    path.write_text(json.dumps([{"name": "", "description": "x", "parameters": {}}]))
    outcome = command_here("import", file, path, "--format", "functions")
    assert outcome.status == 2
    assert "0 added" in outcome.out and "1 rejected" in outcome.out
    path.write_text(json.dumps([{"name": "a", "parameters": {}}, {"name": "", "parameters": {}}]))
    assert command_here("import", file, path, "--format", "functions").status == 0


def test_diff_when_asked_for_then_told_by_words_and_nothing_is_written(file, tmp_path):
    one = functions(tmp_path / "one", greet="Say hello to a person", leave="Go away")
    assert command_here("import", file, one).status == 0
    functions(tmp_path / "one", greet="Say goodbye to a person", come="Come here")
    outcome = command_here("import", file, one, "--diff")
    assert outcome.status == 0
    assert "2 APIs in the format functions: 1 new, 1 changed, 0 unchanged; 1 gone" in outcome.out
    assert "description: Say [-hello-] {+goodbye+} to a person" in outcome.out
    assert "functions/leave" in outcome.out
    assert "New:\n  functions · come\n" in outcome.out
    data = command_here("import", file, one, "--diff", "--json").data
    assert (data["added"], data["changed"], data["gone"]) == (1, 1, ["functions/leave"])
    assert n_apis(file) == 2


def test_import_when_apis_do_not_come_again_then_they_are_named_marked_and_listed(file, tmp_path):
    folder = tmp_path / "one"
    functions(folder, greet="Say hello to a person", leave="Go away", stay="Stay where you are")
    assert command_here("import", file, folder).status == 0
    functions(folder, greet="Say hello to a person", stay="Stay where you are", come="Come")
    outcome = command_here("import", file, folder)
    assert "1 API did not come again and stays as it is" in outcome.out
    assert "\n  one/functions/leave" in outcome.out
    assert "New:\n  functions · come\n" in outcome.out
    data = command_here("import", file, folder, "--json").data
    assert (data["missing"], data["gone"]) == (1, ["one/functions/leave"])
    listed = command_here("apis", "list", file, "--missing", "--json").data
    assert [row["name"] for row in listed] == ["leave"]
    assert len(command_here("apis", "list", file, "--json").data) == 4


def test_import_when_parts_are_left_out_then_only_the_rest_comes_in(file, tmp_path):
    folder = tmp_path / "many"
    for name, methods in {"sea": ["GET", "DELETE"], "air": ["GET"], "land": ["GET"]}.items():
        (folder / name).mkdir(parents=True)
        plain = {"url": "", "description": ""}
        entries = [{"name": f"{m} {name}", "method": m, **plain} for m in methods]
        document = {"tool_name": name, "api_list": entries}
        (folder / name / "tool.json").write_text(json.dumps(document))
    without = ("--without-risk", "destructive", "--without-category", "air")
    outcome = command_here(
        "import", file, folder, *without, "--without-file", "many/land/tool.json", "--json"
    )
    assert (outcome.data["added"], outcome.data["left_out"]) == (1, 3)
    assert command_here("import", file, folder, "--only", "LAND get", "--json").data["added"] == 1
    # What a person leaves out is not gone.
    assert command_here("import", file, folder, "--only", "air", "--json").data["missing"] == 0


def test_report_when_saved_then_both_forms_hold_no_formula_and_no_markup(file, tmp_path):
    path = tmp_path / "evil.json"
    path.write_text(
        json.dumps(
            [
                {"name": '=HYPERLINK("http://evil")', "parameters": {"type": "string"}},
                {"name": "<img src=x onerror=alert(1)>", "parameters": {"type": "string"}},
                {"name": "good", "parameters": {}},
            ]
        )
    )
    for ending in ("md", "csv"):
        saved = ("--report", tmp_path / f"report.{ending}", "--format", "functions")
        assert command_here("import", file, path, *saved).status == 0
    text = (tmp_path / "report.md").read_text()
    assert "## Rejected" in text
    assert "<img" not in text.replace("\\<", "")
    with (tmp_path / "report.csv").open(encoding="utf-8-sig", newline="") as table:
        rows = list(csv.reader(table))
    assert [row[0] for row in rows] == ["kind", "rejected", "rejected"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    n = n_apis(file)
    path.write_text(json.dumps([{"name": "new", "parameters": {}}]))
    assert command_here("import", file, path, "--report", tmp_path / "r.exe").status == 2
    assert n_apis(file) == n


_DEAF = """
import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
while True:
    time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes as Linux lists them")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_import_when_ended_while_a_server_does_not_answer_then_the_server_ends_too(
    file, tmp_path, how
):
    script, written = tmp_path / "deaf.py", tmp_path / "pid"
    script.write_text(_DEAF)
    os.mkfifo(written)
    config = write_config(
        tmp_path, deaf={"command": sys.executable, "args": [str(script), str(written)]}
    )
    settings = {"TOOLPLANNER_SETTINGS": str(tmp_path / "settings.json")}
    with started_toolplanner(
        *("import", str(file), str(config), "--yes-start"), **settings
    ) as process:
        # The server writes its number once it runs and does not listen to SIGTERM any more.
        pid = int(written.read_text())
        process.send_signal(how)
        _, said = process.communicate()
    assert process.returncode == 130, said
    assert not is_alive(pid)
    assert n_apis(file) == 0


def test_import_when_one_of_several_cannot_be_read_then_it_is_named_and_the_others_come_in(
    file, tmp_path
):
    one, two = functions(tmp_path / "one", greet="Say hello"), functions(tmp_path / "two", go="Go")
    bad = tmp_path / "bad.json"
    bad.write_text('{"nothing": "of use"}')
    outcome = command_here("import", file, one, bad, two, tmp_path / "gone")
    assert outcome.status == 0
    assert "2 added" in outcome.out and "2 rejected" in outcome.out
    assert f"  {bad}: No tools were found here" in outcome.out
    assert "gone" in outcome.out
    assert n_apis(file) == 2
    assert command_here("import", file, bad, tmp_path / "gone").status == 2
    assert command_here("import", file, bad).status == 2
