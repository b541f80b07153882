"""Next month's crawl: placed in one step, with what is doubtful by name."""

import json
from pathlib import Path

import pytest
from fixtures.catalogues import TOPICS, add_apis, made_up_apis
from fixtures.command_line import toolplanner
from fixtures.curated import state_of

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history import do
from toolplanner_core.curation.edits.provenance import Reason, why_here
from toolplanner_core.curation.grouping.placing import count_new
from toolplanner_core.curation.grouping.prepare import prepare, usual_preparation
from toolplanner_core.curation.grouping.recluster import what_would_end
from toolplanner_core.curation.grouping.what_is_new import last_new
from toolplanner_core.curation.looking.api_columns import read_api_table, read_columns
from toolplanner_core.curation.looking.column_source import Categories
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.curation.looking.details import why_in_words
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.import_changes import missing_rowids
from toolplanner_core.workspace.point_sets import load_placements
from toolplanner_core.workspace.toolkits import labels_by_rowid

STRANGE = {
    "name": "grindStones",
    "description": "Sharpen knives and grind stones in the quarry of a mason.",
    "parameters": {"type": "object", "properties": {}},
}
NONSENSE = [
    {
        "name": "zibbleWug",
        "description": "Blorf the zibble wug of frobnicated quuxes.",
        "parameters": {"type": "object", "properties": {}},
    },
    {
        "name": "kqxvTrpl",
        "description": "Kqxv trpl mnbvq.",
        "parameters": {"type": "object", "properties": {}},
    },
]


def curated(workspace: Workspace, embedder: str = "words") -> None:
    add_apis(workspace, made_up_apis(12))
    prepare(
        workspace,
        embedder=embedder,
        layout="pca",
        clustering_options=KMeansOptions(k=len(TOPICS)),
        progress=Progress(),
    )
    toolkit = read_catalogue(workspace).toolkits[0]
    do(workspace, Rename(toolkit=toolkit.id, name="By hand"))


def test_what_is_new_when_apis_did_not_come_again_then_told_marked_and_nothing_curated_ends(
    workspace: Workspace,
) -> None:
    curated(workspace)
    before = state_of(workspace)
    kept = made_up_apis(12)
    gone = [api.id for api in kept[:3]]
    add_apis(workspace, [api for api in kept if api.id not in gone])

    new = last_new(workspace)

    assert (new.n_missing, len(new.missing)) == (3, 3)
    assert new.lines[0] == "Nothing is new"
    assert new.lines[1].startswith("3 APIs did not come again: ")
    assert state_of(workspace) == before
    missing = missing_rowids(workspace)
    table = read_api_table(workspace, read_catalogue(workspace))
    seen = read_columns(table, ["missing"]).columns["missing"]
    assert isinstance(seen, Categories)
    assert table.rowids[seen.codes == 0].tolist() == missing
    assert seen.names[0] == "Not seen in the last crawl"
    assert any("Not seen" in line for line in why_in_words(why_here(workspace, missing[0])))


def test_prepare_when_curated_and_apis_are_new_then_only_they_are_placed_and_told(
    workspace: Workspace,
) -> None:
    curated(workspace)
    before, state = read_catalogue(workspace), state_of(workspace)
    assert usual_preparation(workspace).new == 0
    add_apis(workspace, made_up_apis(2, begin=20))
    assert usual_preparation(workspace).new == count_new(workspace) == 8

    new = prepare(workspace, progress=Progress()).new

    assert new is not None
    after = read_catalogue(workspace)
    assert before.xy is not None and after.xy is not None
    assert after.xy[: len(before.xy)].tobytes() == before.xy.tobytes()
    assert state_of(workspace).toolkits == state.toolkits
    assert new.rowids == tuple(after.rowids[len(before.rowids) :].tolist())
    assert sum(n for _, n in new.gained) == 8
    assert any(name == "By hand" for name, _ in new.gained)
    assert new.lines[0] == "8 new APIs; nothing else moved"
    assert all(" · " in api.title for api in new.doubtful), "as everywhere else"
    # Which API went where, also where nothing is doubtful.
    where = {api.rowid: api.toolkit for api in (*new.doubtful, *new.sure)}
    assert where == {rowid: labels_by_rowid(workspace).get(rowid) for rowid in new.rowids}
    assert prepare(workspace, progress=Progress()).new is None
    assert last_new(workspace) == new, "it can be read again"


def test_import_command_when_curated_then_one_step_places_and_names_the_doubtful(
    workspace: Workspace, tmp_path: Path
) -> None:
    curated(workspace)
    state = state_of(workspace)
    workspace.close()
    crawl = tmp_path / "crawl.json"
    crawl.write_text(json.dumps([STRANGE]))
    told = toolplanner("import", workspace.path, crawl)
    assert told.status == 0, told.err
    assert "1 new API; nothing else moved" in told.out
    assert "1 fit no toolkit well enough and wait in the review queue" in told.out
    assert "grindStones" in told.out
    with Workspace.open(workspace.path) as again:
        now = state_of(again)
        assert now.toolkits == state.toolkits
        assert now.toolkit_of == state.toolkit_of
        assert len(read_catalogue(again).rowids) == len(state.toolkit_of) + 1
    assert toolplanner("import", workspace.path, crawl, "--json").data["new"] is None


@pytest.mark.parametrize("embedder", ["words", "lsa"])
def test_import_when_nobody_knows_the_words_then_no_evidence_and_no_toolkit(
    workspace: Workspace, tmp_path: Path, embedder: str
) -> None:
    curated(workspace, embedder)
    crawl = tmp_path / "odd.json"
    crawl.write_text(json.dumps([STRANGE, *NONSENSE]))
    import_source(workspace, crawl)
    new = prepare(workspace, progress=Progress()).new
    assert new is not None
    strange, *unknown = new.rowids
    said = {api.rowid: api.words for api in new.doubtful}
    placed = load_placements(workspace)[strange].confidence
    assert embedder == "lsa" or placed > 0, "its words are known, whatever it is near to"
    for rowid in unknown:
        assert said[rowid].endswith("unlike all toolkits")
        why = why_here(workspace, rowid)
        assert (why.reason, why.confidence) == (Reason.NOWHERE, 0.0)
        assert "No evidence for the placement: nothing known is like it." in why_in_words(why)


def test_cluster_anew_when_curated_then_says_what_it_would_end_and_changes_nothing(
    workspace: Workspace,
) -> None:
    curated(workspace)
    state = state_of(workspace)
    report = prepare(
        workspace, clustering_options=KMeansOptions(k=2), is_anew=True, progress=Progress()
    )
    assert report.proposal is not None
    assert state_of(workspace).toolkits == state.toolkits
    assert report.proposal.ending == 2
    assert "2 toolkits end" in what_would_end(report.proposal)
    assert "accepted" in what_would_end(report.proposal)


@pytest.mark.parametrize("sentence", ["hand"])
def test_what_would_end_when_a_toolkit_has_a_name_by_hand_then_it_is_counted(
    workspace: Workspace, sentence: str
) -> None:
    curated(workspace)
    for toolkit in read_catalogue(workspace).toolkits:
        do(workspace, Rename(toolkit=toolkit.id, name=f"{toolkit.name} mine"))
    report = prepare(
        workspace, clustering_options=KMeansOptions(k=2), is_anew=True, progress=Progress()
    )
    assert report.proposal is not None
    assert report.proposal.ending_by_hand == 2
    assert sentence in what_would_end(report.proposal)
