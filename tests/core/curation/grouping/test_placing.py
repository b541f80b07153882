"""New APIs beside old ones: places, toolkits, confidence, and nothing that existed moves."""

import os

import numpy as np
from fixtures.catalogues import TOPICS, add_apis, made_up_apis
from fixtures.curated import state_of

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.curation.edits.history import do, undo
from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.edits.marks import PinApis, PinToolkits
from toolplanner_core.curation.grouping.cluster import cluster
from toolplanner_core.curation.grouping.lay_out import lay_out
from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_count
from toolplanner_core.workspace.point_sets import load_placements
from toolplanner_core.workspace.toolkits import labels_by_rowid

_ROUNDS = 100 if os.environ.get("TOOLPLANNER_BENCH") else 2


def prepared(workspace: Workspace, per_topic: int = 12) -> None:
    add_apis(workspace, made_up_apis(per_topic))
    embed(workspace, "lsa", progress=Progress())
    cluster(workspace, options=KMeansOptions(k=len(TOPICS)), progress=Progress())
    lay_out(workspace, method="pca", progress=Progress())


def test_prepare_when_a_few_apis_are_new_then_they_join_their_toolkits_and_nothing_moves(
    workspace: Workspace,
) -> None:
    prepared(workspace)
    before, state = read_catalogue(workspace), state_of(workspace)
    assert before.xy is not None
    add_apis(workspace, made_up_apis(2, begin=20))

    report = prepare(workspace, progress=Progress())

    after = read_catalogue(workspace)
    assert after.xy is not None
    assert report.placed is not None
    assert (report.placed.placed, report.placed.assigned) == (8, 8)
    assert after.xy[: len(before.xy)].tobytes() == before.xy.tobytes()
    assert (after.rowids[: len(before.rowids)] == before.rowids).all()
    now = state_of(workspace)
    assert {rowid: now.toolkit_of[rowid] for rowid in state.toolkit_of} == state.toolkit_of
    assert load_placements(workspace).keys() == set(after.rowids[len(before.rowids) :].tolist())
    newest = list_history(workspace)[-1]
    assert newest.label.startswith("Put 8 new APIs into ")
    assert newest.actor is Author.RULE
    undo(workspace)
    assert api_count(workspace) - len(labels_by_rowid(workspace)) == 8
    again = prepare(workspace, progress=Progress())
    assert again.layout.reused


def test_prepare_when_a_toolkit_is_pinned_then_it_gains_nothing(workspace: Workspace) -> None:
    prepared(workspace)
    state = state_of(workspace)
    do(workspace, PinToolkits(toolkits=tuple(state.toolkits)))
    add_apis(workspace, made_up_apis(1, begin=30))
    report = prepare(workspace, progress=Progress())
    assert report.placed is not None
    assert (report.placed.assigned, report.placed.homeless) == (0, 4)
    assert all(p.toolkit is not None for p in load_placements(workspace).values())
    assert state_of(workspace).toolkit_of == state.toolkit_of


def test_imports_when_repeated_then_no_pin_and_no_old_coordinate_changes(
    workspace: Workspace,
) -> None:
    prepared(workspace)
    rng = np.random.default_rng(3)
    for number in range(_ROUNDS):
        before, state = read_catalogue(workspace), state_of(workspace)
        assert before.xy is not None
        free = [r for r, m in state.toolkit_of.items() if not m.is_pinned]
        do(workspace, PinApis(rowids=tuple(rng.choice(free, min(3, len(free)), replace=False))))
        pins = {r: m for r, m in state_of(workspace).toolkit_of.items() if m.is_pinned}
        add_apis(workspace, made_up_apis(int(rng.integers(4, 8)), begin=40 + 8 * number))
        prepare(workspace, progress=Progress())
        after, now = read_catalogue(workspace), state_of(workspace)
        assert after.xy is not None
        assert after.xy[: len(before.xy)].tobytes() == before.xy.tobytes()
        assert {rowid: now.toolkit_of[rowid] for rowid in pins} == pins
