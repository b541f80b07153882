"""Editing toolkits, and their history, by the command line."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.curated import state_of
from fixtures.spoken_command import Speak

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.domain.curated import LinkKind, Membership
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid


def state(path: Path) -> CuratedState:
    with Workspace.open(path) as workspace:
        return state_of(workspace)


def listed(say: Speak, path: Path) -> dict[str, int]:
    """Size by name of all toolkits."""
    rows = say("toolkits", "list", path, "--json").data
    return {row["name"]: row["size"] for row in rows}


def test_edits_when_each_command_is_given_then_the_state_is_as_asked(
    path: Path, say: Speak, ids: dict[int, str]
) -> None:
    def done(*arguments: object) -> Any:
        command, *rest = arguments
        said = say("toolkits", command, path, *rest, "--json")
        assert said.status == 0, said.err
        return said.data

    assert done("rename", 1, "  Sky  ")["label"] == "Rename “Weather” to “Sky”"
    done("describe", "Sky", "What falls from above.")
    done("note", "sky", "Ask Ann.")
    assert done("merge", "Money", "Parcels", "--name", "Trade", "--leave-out", ids[6]) == {
        "edit": 4, "label": "Merge “Parcels” into “Trade”", "made": [], "changed": [2],
        "ended": [], "apis": 1, "links": 0, "against": "",
    }  # fmt: skip
    assert done("move", ids[9], ids[10][:9], "--to", "Food")["apis"] == 2
    done("move", ids[8], "--to", "none")
    assert done("new", "Time", ids[10], ids[11], "--description", "Clocks.")["made"] == [5]
    done("pin", "Sky", "Time")
    done("unpin", "Time")
    done("pin", "--api", ids[7])
    done("exclude", ids[3], ids[4], "--reason", "No key")
    done("include", ids[4])
    done("link", ids[1], ids[2], "--must")
    done("link", ids[1], ids[7], ids[11], "--cannot")
    done("link", ids[7], ids[11], "--remove")
    assert done("split", "Sky", "--api", ids[12], "--name", "China")["parts"][1]["size"] == 1
    done("take-out", ids[5])

    now = state(path)
    assert {t: (f.name, f.description, f.note, f.is_pinned) for t, f in now.toolkits.items()} == {
        1: ("Sky", "What falls from above.", "Ask Ann.", True),
        2: ("Trade", "Rates.", "", False),
        3: ("Parcels", "Tracking.", "", False),
        4: ("Food", "Recipes.", "", False),
        5: ("Time", "Clocks.", "", False),
        6: ("China", now.toolkits[6].description, "", False),  # type: ignore[index]
    }
    assert now.toolkit_of == {
        1: Membership(1, False),
        2: Membership(1, False),
        3: Membership(2, False),
        4: Membership(2, False),
        5: Membership(3, True),
        6: Membership(3, False),
        7: Membership(4, True),
        9: Membership(4, True),
        10: Membership(5, True),
        11: Membership(5, True),
        12: Membership(6, False),
    }
    assert now.excluded == {3: "No key"}
    must, cannot = LinkKind.MUST, LinkKind.CANNOT
    assert now.linked == {(1, 2): must, (1, 7): cannot, (1, 11): cannot}
    history = say("history", "list", path, "--json").data
    assert [entry["edit"] for entry in history] == list(range(1, 18))
    assert {entry["origin"]["by"] for entry in history} == {"command line", "choice"}
    assert all(entry["who"] for entry in history)


def test_move_when_it_goes_against_a_link_then_it_is_made_and_the_link_is_named(
    path: Path, say: Speak, ids: dict[int, str]
) -> None:
    with Workspace.open(path) as workspace:
        weather, money = (apis_by_rowid(workspace, [n])[n].title for n in (1, 3))
    say("toolkits", "link", path, ids[1], ids[3], "--cannot")
    said = say("toolkits", "move", path, ids[3], "--to", "Weather")
    assert said.status == 0
    assert f"against the link that keeps “{weather}” and “{money}” apart" in said.out
    assert state(path).toolkit_of[3] == Membership(1, True)
    assert "against the link" not in say("toolkits", "move", path, ids[4], "--to", "Weather").out


def test_apis_when_given_by_key_or_on_stdin_then_they_are_meant(
    path: Path, say: Speak, ids: dict[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace.open(path) as workspace:
        key = apis_by_rowid(workspace, [9])[9].key
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{key}\n\n{ids[10]}\n"))
    assert say("toolkits", "new", path, "Time", "-").status == 0
    assert listed(say, path)["Time"] == 2


def test_edit_when_done_then_says_how_to_undo_it_and_undo_does(path: Path, say: Speak) -> None:
    said = say("toolkits", "merge", path, "Food", "Money")
    assert said.out == (
        "Merge “Money” into “Food”: 2 APIs move, “Money” ends. Edit 1.\n"
        f"Undo it with: toolplanner history undo {path}\n"
    )
    assert listed(say, path) == {"Food": 4, "Parcels": 2, "Weather": 3}
    assert say("history", "undo", path).out.startswith("Undo: Merge “Money” into “Food”.\n")
    assert listed(say, path) == {"Food": 2, "Money": 2, "Parcels": 2, "Weather": 3}
    assert say("history", "redo", path, "--json").data["label"].startswith("Redo: Merge")
    assert listed(say, path) == {"Food": 4, "Parcels": 2, "Weather": 3}


def test_split_when_the_rule_named_the_rest_then_another_name_is_proposed_and_can_be_taken(
    path: Path, say: Speak, ids: dict[int, str]
) -> None:
    with Workspace.open(path) as workspace:
        by_rule = "UPDATE toolkits SET name_author = 'rule' WHERE name = 'Weather'"
        workspace.writer.run(lambda db: db.execute(by_rule))
    row = say("toolkits", "split", path, "Weather", "--api", ids[12], "--json").data
    assert row["parts"][0]["name"] == "Weather"
    assert listed(say, path)["Weather"] == 2
    assert "Functions weather" in say("toolkits", "names", path).out
    assert say("toolkits", "answer-names", path, "--all").status == 0
    assert "Weather" not in listed(say, path)
    assert say("history", "undo", path).status == 0
    assert say("toolkits", "answer-names", path, "Weather", "--keep").status == 0
    assert listed(say, path)["Weather"] == 2
    assert say("toolkits", "answer-names", path, "--all").status != 0


def test_edit_when_dry_run_then_nothing_is_changed(path: Path, say: Speak) -> None:
    before = path.read_bytes()
    said = say("toolkits", "merge", path, "Food", "Money", "--dry-run")
    assert said.out == (
        "Would do: Merge “Money” into “Food”: 2 APIs move, “Money” ends. Nothing was changed.\n"
    )
    row = say("toolkits", "split", path, "Weather", "--api", "functions", "--dry-run", "--json")
    assert row.status == 2
    assert say("toolkits", "rename", path, 1, "X", "--dry-run", "--json").data["edit"] is None
    assert path.read_bytes() == before


def test_history_when_jumping_reverting_and_naming_states_then_each_is_found_again(
    path: Path, say: Speak
) -> None:
    say("toolkits", "rename", path, "Food", "Dishes")
    assert say("history", "snapshot", path, "dishes", "--note", "first").status == 0
    say("toolkits", "rename", path, "Money", "Coins")
    say("toolkits", "merge", path, "Dishes", "Coins")
    compared = say("history", "compare", path, "dishes", "--json").data
    assert [line["kind"] for line in compared] == ["merged"]
    assert len(compared[0]["apis"]) == 2
    assert say("history", "jump", path, "dishes").status == 0
    assert listed(say, path) == {"Dishes": 2, "Money": 2, "Parcels": 2, "Weather": 3}
    say("toolkits", "rename", path, "Parcels", "Boxes")
    assert [e["edit"] for e in say("history", "list", path, "--json").data] == [1, 4]
    everything = say("history", "list", path, "--all", "--json").data
    assert [(e["edit"], e["done"]) for e in everything] == [
        (1, True),
        (2, False),
        (3, False),
        (4, True),
    ]
    assert say("history", "revert", path, 1, "--json").data["label"].startswith("Revert")
    assert listed(say, path) == {"Boxes": 2, "Food": 2, "Money": 2, "Weather": 3}
    assert say("history", "jump", path, 0).status == 0
    assert listed(say, path) == {"Food": 2, "Money": 2, "Parcels": 2, "Weather": 3}
    assert say("history", "snapshots", path, "--json").data[0]["name"] == "dishes"
    assert "before the first edit" in say("history", "snapshot", path, "start").out
    assert say("history", "snapshot", path, "start", "--forget").status == 0
    assert len(say("history", "snapshots", path, "--json").data) == 1


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["toolkits", "rename", "W", "99", "X"], "There is no toolkit “99”"),
        (["toolkits", "rename", "W", "9" * 40, "X"], "There is no toolkit"),
        (["toolkits", "rename", "W", "Wether", "X"], "There is no toolkit “Wether”"),
        (["toolkits", "rename", "W", "1", " "], "A toolkit needs a name"),
        (["toolkits", "rename", "W", "1", "Weather"], "It is so already"),
        (["toolkits", "rename", "W", "1", "x" * 300], "at most 200"),
        (["toolkits", "describe", "W", "99", "X"], "There is no toolkit"),
        (["toolkits", "note", "W", "1", ""], "It is so already"),
        (["toolkits", "merge", "W", "1", "1"], "at least two toolkits"),
        (["toolkits", "merge", "W", "1"], "Missing argument"),
        (["toolkits", "merge", "W", "1", "2", "--leave-out", "zzzz"], "There is no API “zzzz”"),
        (["toolkits", "move", "W", "zzzz", "--to", "1"], "There is no API “zzzz”"),
        (["toolkits", "move", "W", "", "--to", "1"], "No APIs were chosen"),
        (["toolkits", "move", "W", "API1", "--to", "1"], "in “Weather” already"),
        (["toolkits", "move", "W", "API1", "--to", "Nowhere"], "There is no toolkit"),
        (["toolkits", "move", "W", "API1"], "Missing option '--to'"),
        (["toolkits", "new", "W", " ", "API1"], "A new toolkit needs a name"),
        (["toolkits", "pin", "W"], "either toolkits or APIs"),
        (["toolkits", "pin", "W", "1", "--api", "API1"], "either toolkits or APIs"),
        (["toolkits", "pin", "W", "--api", "API9"], "belong to no toolkit"),
        (["toolkits", "unpin", "W", "1"], "It is so already"),
        (["toolkits", "include", "W", "API1"], "Nothing would change"),
        (["toolkits", "link", "W", "API1", "--must"], "A link needs two APIs"),
        (["toolkits", "link", "W", "API1", "API2"], "--must, --cannot or --remove"),
        (["toolkits", "take-out", "W", "API1"], "did not come by a merge"),
        (["toolkits", "split", "W", "1"], "one of --k, --query and --api"),
        (["toolkits", "split", "W", "1", "--k", "2", "--query", "x"], "one of --k"),
        (["toolkits", "split", "W", "1", "--k", "1"], "not in the range"),
        (["toolkits", "split", "W", "1", "--k", "x"], "not a valid"),
        (["toolkits", "split", "W", "1", "--k", "2"], "no vectors yet"),
        (["toolkits", "split", "W", "1", "--query", "x", "--threshold", "nan"], "finite"),
        (["toolkits", "split", "W", "1", "--api", "API3"], "not in the toolkit that is split"),
        (["toolkits", "split", "W", "4", "--api", "API7", "--api", "API8"], "Nothing would be"),
        (["toolkits", "split", "W", "1", "--api", "API1", "--name", ""], "needs a name"),
        (["toolkits", "split", "W", "1", "--api", "API1", *["--name", "A"] * 2], "2 names"),
        (["history", "undo", "W"], "nothing to undo"),
        (["history", "redo", "W"], "nothing to redo"),
        (["history", "jump", "W", "99"], "There is no edit 99"),
        (["history", "jump", "W", "0"], "at this point already"),
        (["history", "jump", "W", "nowhere"], "There is no snapshot “nowhere”"),
        (["history", "revert", "W", "99"], "There is no edit 99"),
        (["history", "snapshot", "W", " "], "needs a name"),
        (["history", "snapshot", "W", "x", "--forget"], "There is no snapshot"),
        (["history", "compare", "W", "99"], "There is no edit 99"),
    ],
)
def test_command_when_it_cannot_be_then_one_line_says_why_and_nothing_is_changed(
    path: Path, say: Speak, ids: dict[int, str], command: list[str], why: str
) -> None:
    texts = {"W": str(path)} | {f"API{rowid}": api for rowid, api in ids.items()}
    before = path.read_bytes()
    said = say(*[texts.get(word, word) for word in command])
    assert said.status == 2
    assert said.out == ""
    assert why in said.err
    assert len([line for line in said.err.splitlines() if line.startswith("Error: ")]) == 1
    assert path.read_bytes() == before


def test_toolkit_when_two_have_the_name_then_asks_for_the_number(path: Path, say: Speak) -> None:
    say("toolkits", "rename", path, "Food", "Money")
    said = say("toolkits", "pin", path, "Money")
    assert said.status == 2
    assert said.err == "Error: 2 toolkits are called “Money”. Use the number: 2, 4.\n"


def test_command_when_the_workspace_is_missing_or_another_file_then_status_2(
    tmp_path: Path, say: Speak
) -> None:
    other = tmp_path / "other.toolplanner"
    other.write_text("no database")
    for place in (tmp_path / "missing.toolplanner", other):
        for command in (["toolkits", "rename", place, 1, "X"], ["history", "undo", place]):
            said = say(*command)
            assert (said.status, len(said.err.splitlines())) == (2, 1)


@pytest.fixture(autouse=True)
def _no_leaked_cursor(path: Path) -> Iterator[None]:
    """Each test ends with the file alone: no write-ahead log is left beside it."""
    yield
    assert not path.with_name(f"{path.name}-wal").exists()


def test_looks_when_a_toolkit_is_named_then_the_same_as_by_its_number(
    path: Path, say: Speak
) -> None:
    for command in (["toolkits", "show", path], ["apis", "list", path, "--toolkit"]):
        by_name, by_number = (say(*command, name, "--json") for name in ("weather", "1"))
        assert by_name.status == 0, by_name.err
        assert by_name.data == by_number.data
    wrong = say("toolkits", "show", path, "Wether")
    assert "There is no toolkit “Wether”" in wrong.err


def test_rename_when_another_toolkit_has_the_name_then_it_warns_and_renames(
    path: Path, say: Speak
) -> None:
    said = say("toolkits", "rename", path, 2, " weather ", "--json")
    assert said.status == 0
    assert "Warning: toolkit 1 is called “Weather”, too" in said.err
    assert said.data["changed"] == [2]
    assert "Warning" not in say("toolkits", "rename", path, 2, "Money").err
