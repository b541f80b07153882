"""An analyst's hour on the command line: edit the demo's toolkits, take the decisions elsewhere."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import Outcome, toolplanner

pytestmark = pytest.mark.slow


def done(*arguments: object) -> Any:
    said: Outcome = toolplanner(*arguments, "--json")
    assert said.status == 0, said.err
    return said.data


def groups(path: Path) -> dict[str, tuple[int, str]]:
    """Size and description of each toolkit by name."""
    return {t["name"]: (t["size"], t["description"]) for t in done("toolkits", "list", path)}


def test_decisions_when_made_on_the_demo_then_a_copy_of_the_demo_becomes_the_same(
    demo_file: Path, tmp_path: Path
) -> None:
    ours = Path(shutil.copy(demo_file, tmp_path / "ours.toolplanner"))
    copy = Path(shutil.copy(demo_file, tmp_path / "copy.toolplanner"))
    start = groups(ours)

    done("toolkits", "rename", ours, "Weather forecasts", "Forecasts")
    parts = done("toolkits", "split", ours, "Stock quotes", "--k", "2")["parts"]
    assert sum(part["size"] for part in parts) == start["Stock quotes"][0]
    text = done(
        "toolkits", "split", ours, "Recipes", "--query", "random recipe", "--name", "Surprises"
    )
    assert text["parts"][1]["name"] == "Surprises"
    done("toolkits", "merge", ours, "Parks", "Beaches", "--name", "Outdoors")
    food = done("search", ours, "calories of a food", "--limit", "2")
    done("toolkits", "exclude", ours, food[0]["id"], "--reason", "Needs a key")
    done("toolkits", "move", ours, food[1]["id"], "--to", "Outdoors")
    assert done("history", "undo", ours)["label"].startswith("Undo: Move 1 API")
    assert done("history", "redo", ours)["label"].startswith("Redo: Move 1 API")
    done("history", "snapshot", ours, "after lunch")

    place = tmp_path / "decisions.jsonl"
    done("toolkits", "export", ours, "--format", "decisions", "--output", place)
    before = copy.read_bytes()
    assert done("toolkits", "apply", copy, place, "--dry-run")["applied"] == 6
    assert copy.read_bytes() == before
    assert done("toolkits", "apply", copy, place)["applied"] == 6
    assert groups(copy) == groups(ours) != start
    assert done("toolkits", "apply", copy, place)["already"] == 6

    exported = json.loads(toolplanner("toolkits", "export", copy).out)
    assert [row["reason"] for row in exported["excluded"]] == ["Needs a key"]
    assert exported["apis"] == 195
    # One API alone has nothing that it could fit.
    alone = [len(kit["apis"]) == 1 for kit in exported["toolkits"]]
    assert [kit["cohesion"] is None for kit in exported["toolkits"]] == alone
    kinds = {line["kind"] for line in done("history", "compare", copy, 0)}
    assert {"renamed", "merged", "split", "moved", "excluded"} <= kinds
    done("history", "jump", copy, 0)
    assert groups(copy) == start
