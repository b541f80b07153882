"""What `runs show` and `runs diff` tell of how runs were set up."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.presentation.run_settings import other_settings, settings_words
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import RunRow, get_run

QUERY = "Convert 250 EUR to USD"


@pytest.fixture
def file(demo_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo_file, tmp_path / "w.toolplanner"))


def ran(path: Path, *flags: object) -> RunId:
    return RunId(command_here("run", path, QUERY, *flags, "--json").data["run"])


def row(path: Path, run: RunId) -> RunRow:
    with Workspace.open(path) as workspace:
        return get_run(workspace, run)


def test_settings_when_a_run_is_shown_then_those_that_are_not_as_usual_are_told(
    file: Path,
) -> None:
    plain = ran(file)
    other = ran(
        file, "--preset", "paper:tool-planner", "--max-calls", 5, "--max-seconds", "none",
        "--seed", 7, "--fault", "500:all,next=1",
    )  # fmt: skip
    assert settings_words(row(file, plain)) == "as usual"
    assert "Settings: as usual" in command_here("runs", "show", file, plain).out
    words = settings_words(row(file, other))
    for told in (
        "Searches: 0", "Order in a toolkit: random", "Characters of a toolkit: the whole text",
        "API calls: 5 at most", "Seconds: no limit", "seed: 7", "faults: 500:all,next=1",
    ):  # fmt: skip
        assert told in words
    assert "Replans" not in words, "it is as usual"
    shown = command_here("runs", "show", file, other, "--json").data["settings"]
    assert (shown["options"]["searches"], shown["seed"]) == (0, 7)
    differ = other_settings(row(file, plain), row(file, other))
    assert ("Searches", "as usual", "0") in differ
    assert other_settings(row(file, other), row(file, other)) == []
    compared = command_here("runs", "diff", file, plain, other, "--json").data["settings"]
    assert {"setting": "seed", "left": "as usual", "right": "7"} in compared
    assert "5 at most" in command_here("runs", "diff", file, plain, other).out


def test_settings_when_the_strategy_is_not_known_here_then_told_by_their_names() -> None:
    stored: Mapping[str, Any] = {"options": {"width": 3}, "roles": {"judging": "openai:j"}}
    spec = RunSpec(query="q")
    made = RunRow(
        id=RunId(1), parent_run=None, fork_seq=None, query=spec.query, strategy="gone",
        model="m", provider="p", options=stored, status="solved", answer="", totals={},
        started_us=0, ended_us=1, process="",
    )  # fmt: skip
    assert settings_words(made) == "width: 3; judging model: openai:j"
