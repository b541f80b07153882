"""`toolplanner lab datasets`: imported, listed, shown and checked from the terminal."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.small_catalogue import import_small_catalogue
from fixtures.spoken_command import Speak

from toolplanner_core.lab.datasets.library import library_folder
from toolplanner_core.workspace import Workspace

ROWS = [
    {"id": "1", "question": "How is the weather in Oslo?", "apis": ["get_forecast"]},
    {"id": "2", "question": "How is the weather in Oslo?", "apis": ["current_weather"]},
    {"id": "3", "question": "Where is my parcel?", "apis": ["nobody_knows"]},
    {"id": "4"},
]


@pytest.fixture(autouse=True)
def empty_library() -> Iterator[None]:
    """The library of the session's person is empty again afterwards."""
    yield
    shutil.rmtree(library_folder(), ignore_errors=True)


def questions(folder: Path) -> Path:
    path = folder / "asked.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return path


def test_data_set_when_imported_then_listed_shown_and_checked(
    say: Speak, tmp_path: Path, workspace: Workspace
) -> None:
    import_small_catalogue(workspace, tmp_path)
    file, catalogue = questions(tmp_path), workspace.path
    assert say("lab", "datasets", "list").out.startswith("None yet")
    done = say("lab", "datasets", "import", file, "--workspace", catalogue, "--json")
    assert done.status == 0, done.err
    made = json.loads(done.out)
    assert (made["queries"], made["rows"], len(made["rejected"])) == (3, 4, 1)
    check = made["check"]
    assert (check["repeats"], check["missing_gold"]) == (1, 1)
    assert check["unknown"] == ["nobody_knows"]
    [row] = json.loads(say("lab", "datasets", "list", "--json").out)
    assert (row["name"], row["version"]) == ("asked", made["version"])
    reference = f"asked@{row['version'][:4]}"
    shown = json.loads(say("lab", "datasets", "show", reference, "--json").out)
    assert [each["id"] for each in shown] == ["1", "2", "3"]
    one = json.loads(say("lab", "datasets", "show", reference, "2").out)
    assert one == shown[1]
    assert one["gold"][0][0].endswith("/current_weather")
    checked = say("lab", "datasets", "check", "asked", "--workspace", catalogue)
    assert checked.status == 1
    assert "Unknown: nobody_knows" in checked.out
    assert say("lab", "datasets", "check", "asked").status == 0


def test_data_set_when_another_has_its_name_then_it_is_not_replaced_unasked(
    say: Speak, tmp_path: Path
) -> None:
    file = questions(tmp_path)
    assert (
        "1 row could not be read:\n  asked.jsonl line 4"
        in say("lab", "datasets", "import", file).out
    )
    assert say("lab", "datasets", "import", file).status == 0
    merged = ["lab", "datasets", "import", file, "--merge-repeats"]
    refused = say(*merged)
    assert refused.status == 2
    assert "There is another data set called asked" in refused.err
    assert "1 repeat was merged." in say(*merged, "--replace").out
    beside = tmp_path / "beside.jsonl"
    assert say("lab", "datasets", "import", file, "--name", "few", "--to", beside).status == 0
    assert len(json.loads(say("lab", "datasets", "show", beside, "--json").out)) == 3
    assert len(json.loads(say("lab", "datasets", "list", "--json").out)) == 1


def test_data_set_when_it_is_not_there_then_says_which_are(say: Speak, tmp_path: Path) -> None:
    say("lab", "datasets", "import", questions(tmp_path))
    for asked, words in {
        "other": "Choose one of: asked",
        "asked@0000000": "has another version",
        "../asked": "cannot name a data set",
        tmp_path / "none.jsonl": "cannot be read",
    }.items():
        refused = say("lab", "datasets", "show", asked)
        assert refused.status == 2
        assert words in refused.err
    assert "has no query '9'" in say("lab", "datasets", "show", "asked", "9").err


def test_columns_when_the_format_is_named_then_chosen_by_flags(say: Speak, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("a,b\nIs it?,k1;k2\n", encoding="utf-8")
    flags = ["--format", "table", "--query", "a", "--gold", "b", "--json"]
    made = say("lab", "datasets", "import", path, *flags)
    assert made.status == 0, made.err
    assert json.loads(made.out)["check"]["with_gold"] == 1
