"""The review by the command line: list, answer, status, parts of a proposal."""

from pathlib import Path

import pytest
from fixtures.curated import state_of
from fixtures.review_world import RAIN, SONGS, WEATHER, faulty_workspace
from fixtures.spoken_command import Speak

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.grouping.recluster import propose_clustering
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace

MERGE, MOVE = f"merge:{RAIN}+{WEATHER}", f"move:17+{SONGS}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with faulty_workspace(tmp_path / "faulty.toolplanner") as workspace:
        return workspace.path


def state(path: Path) -> CuratedState:
    with Workspace.open(path) as workspace:
        return state_of(workspace)


def test_review_when_listed_and_answered_then_the_edits_and_answers_are_kept(
    path: Path, say: Speak
) -> None:
    rows = say("review", "list", path, "--json").data
    by_key = {row["key"]: row for row in rows}
    assert {MERGE, MOVE, "homeless:31"} <= by_key.keys()
    merge = by_key[MERGE]
    assert [one["name"] for one in merge["toolkits"]] == ["Weather forecasts", "Rain"]
    assert merge["signals"]["centroids"]["sentence"].startswith("Centroids: cosine")
    assert len(merge["apis"]) == 3

    (shown,) = say("review", "accept", path, MERGE, "--dry-run", "--json").data
    assert shown["ended"] == [RAIN]
    assert shown["consequences"]["toolkits"][0]["size"] == [5, 8]
    assert "“Rain” ends (3 APIs)" in say("review", "accept", path, MERGE, "--dry-run").out
    assert RAIN in state(path).toolkits

    said = say("review", "accept", path, MERGE, MOVE, "--json")
    assert [one["verdict"] for one in said.data["answers"]] == ["accepted", "accepted"]
    assert RAIN not in state(path).toolkits
    assert say("review", "reject", path, "homeless:31").status == 0
    assert say("review", "skip", path, "homeless:32").status == 0
    waiting = {row["key"] for row in say("review", "list", path, "--json").data}
    assert not waiting & {MERGE, MOVE, "homeless:31", "homeless:32"}
    (skipped,) = say("review", "list", path, "--skipped", "--json").data
    assert skipped["key"] == "homeless:32"
    status = say("review", "status", path, "--json").data
    assert (status["accepted"], status["rejected"], status["skipped"]) == (2, 1, 1)
    assert {row["kind"] for row in status["agreement"]} == {"merge", "move", "homeless"}


def test_batch_when_previewed_and_accepted_then_only_the_strong_ones_of_the_kind(
    path: Path, say: Speak
) -> None:
    shown = say(
        "review", "accept", path, "--kind", "homeless", "--above", 0.1, "--dry-run", "--json"
    )
    assert len(shown.data) == 2
    assert 31 not in state(path).toolkit_of
    said = say("review", "accept", path, "--kind", "homeless", "--above", 0.1, "--json").data
    assert {one["key"] for one in said["answers"]} == {"homeless:31", "homeless:32"}
    assert state(path).toolkit_of[31].is_pinned


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["accept"], "Nothing to accept was named"),
        (["accept", "--kind", "merge"], "Nothing to accept was named"),
        (["accept", "merge:1+99"], "no question"),
        (["accept", MERGE, "--kind", "merge", "--above", "0.5"], "not both"),
        (["reject"], "No question was named"),
        (["reject", "--never", "homeless:31"], "Never"),
        (["accept", "--proposal", "9", "--all"], "no proposal 9"),
        (["accept", "--proposal", "9"], "No part was named"),
        (["reject", "--proposal", "9", "x"], "no position"),
    ],
)
def test_answers_when_they_make_no_sense_then_said_and_nothing_changes(
    path: Path, say: Speak, arguments: list[str], why: str
) -> None:
    before = state(path)
    said = say("review", arguments[0], path, *arguments[1:])
    assert said.status == 2
    assert why in said.err
    assert state(path) == before


def test_proposal_when_parts_are_answered_then_only_the_accepted_ones_are_done(
    path: Path, say: Speak
) -> None:
    with Workspace.open(path) as workspace:
        report = propose_clustering(workspace, options=KMeansOptions(k=4), progress=Progress())
    (proposal,) = say("review", "proposals", path, "--json").data
    assert proposal["waiting"] == report.items
    parts = say("review", "list", path, "--proposal", report.proposal, "--json").data
    assert len(parts) == report.items >= 2
    before = state(path)
    say("review", "accept", path, 0, "--proposal", report.proposal, "--dry-run")
    assert state(path) == before
    done = say("review", "accept", path, 0, "--proposal", report.proposal, "--json").data
    assert done["apis"] == len(parts[0]["apis"])
    rest = say("review", "reject", path, "--all", "--proposal", report.proposal, "--json").data
    assert rest["rejected"] == report.items - 1
    assert say("review", "proposals", path, "--json").data == []
