"""Workspaces made by earlier versions open, show every run, and replay as they did.

Each file of `fixtures/workspaces` was written by the program of its time; the JSON beside it says
what that program showed of every run, and whether a replay agreed.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.failure import OF_SERVICE
from toolplanner_core.runs.log.stored_runs import get_summary, load_tree
from toolplanner_core.runs.presentation.run_columns import ended_words, evidence_words
from toolplanner_core.runs.presentation.run_list import former_words
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.runs.tree.unserved_needs import unserved_needs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "workspaces"
OLDER = sorted(FOLDER.glob("*.toolplanner"))

CHANGED = {"tool-planner"}
"""Strategies that ask other questions since: a run of theirs opens as it was, and a replay says at
the first question that the strategy has changed."""


def expected(file: Path) -> dict[int, dict[str, Any]]:
    """What the program of then showed, by run."""
    told = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    return {int(run): row for run, row in told.items()}


@pytest.mark.parametrize("file", OLDER, ids=lambda file: file.stem)
def test_older_workspace_when_opened_then_shows_and_replays_every_run(
    file: Path, tmp_path: Path
) -> None:
    copy = shutil.copy(file, tmp_path / file.name)
    with Workspace.open(copy) as workspace:
        apis = apis_by_rowid(workspace, all_rowids(workspace))
        assert apis
        assert all(api.operation is None for api in apis.values())
        for run, row in expected(file).items():
            summary = get_summary(workspace, run)
            assert (summary.status, summary.answer) == (row["status"], row["answer"]), run
            assert load_tree(workspace, run).root is not None
            report = replay(workspace, run)
            if summary.strategy in CHANGED:
                assert report.divergence is not None, run
                assert "Tool-Planner has changed since" in report.divergence.what
                continue
            assert report.divergence is None, (run, report.divergence)
            assert report.identical == row["identical"]
            assert report.events == row["events"]


def test_older_workspaces_when_looked_for_then_there_are_some() -> None:
    assert OLDER


@pytest.mark.parametrize("file", OLDER, ids=lambda file: file.stem)
def test_older_workspace_when_its_runs_are_listed_then_says_what_their_words_meant(
    file: Path, tmp_path: Path
) -> None:
    copy = shutil.copy(file, tmp_path / file.name)
    n_solved = sum(row["status"] == "solved" for row in expected(file).values())
    assert n_solved > 1
    listed = command_here("runs", "list", copy)
    assert (
        f"{n_solved} runs of an earlier version: solved meant that calls had served" in listed.err
    )
    assert "earlier version" not in listed.out
    with Workspace.open(copy) as workspace:
        for run, row in expected(file).items():
            summary = get_summary(workspace, run)
            assert bool(former_words(summary)) is (row["status"] == "solved")
            assert ended_words(summary) == evidence_words(summary) == "", "nothing is made up"
            # Then a toolkit was called incomplete where its services were down, too.
            nodes = load_tree(workspace, run).nodes
            for need in unserved_needs(nodes):
                tried = [nodes[path].error for path in nodes[need.step].children]
                assert not OF_SERVICE.intersection(tried)
