"""Clustering again on curated toolkits: proposals, pins, parts accepted one by one."""

import os

import numpy as np
import pytest
from fixtures.catalogues import ready_workspace
from fixtures.curated import state_of

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.curation.edits.history import do, redo, revert, undo
from toolplanner_core.curation.edits.marks import Link, PinApis, PinToolkits
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.grouping.accepting import accept_items, preview_items, reject_items
from toolplanner_core.curation.grouping.cluster import cluster
from toolplanner_core.curation.grouping.recluster import propose_clustering
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.proposals import load_items, open_proposals

_ROUNDS = 100 if os.environ.get("TOOLPLANNER_BENCH") else 2


def clustered(workspace: Workspace, per_topic: int = 6) -> list[int]:
    rowids = ready_workspace(workspace, per_topic)
    cluster(workspace, options=KMeansOptions(k=4), progress=Progress())
    return rowids


def test_clustering_again_when_a_person_merged_toolkits_then_they_stay_merged(
    workspace: Workspace,
) -> None:
    clustered(workspace)
    toolkits = sorted(state_of(workspace).toolkits)
    do(workspace, Merge(toolkits=tuple(toolkits[:2]), into=toolkits[0]))
    before = state_of(workspace)

    report = propose_clustering(workspace, options=KMeansOptions(k=9), progress=Progress())

    assert state_of(workspace) == before
    assert report.settled == len(before.members(toolkits[0])) == 12
    assert report.items > 0
    moving = {rowid for item in load_items(workspace, report.proposal) for rowid in item.rowids}
    assert not moving & before.members(toolkits[0]).keys()


def test_clustering_again_when_a_person_split_a_toolkit_then_its_parts_stay_as_they_are(
    workspace: Workspace,
) -> None:
    clustered(workspace)
    whole = min(state_of(workspace).toolkits)
    members = sorted(state_of(workspace).members(whole))
    (part,) = do(workspace, Split(toolkit=whole, parts=(tuple(members[::2]),))).changes.begun
    undone = do(workspace, Split(toolkit=part, parts=(tuple(members[:1]),)))
    undo(workspace)

    report = propose_clustering(workspace, options=KMeansOptions(k=9), progress=Progress())

    items = load_items(workspace, report.proposal)
    assert report.settled == len(members)
    assert not {rowid for item in items for rowid in item.rowids} & {*members}
    accept_items(workspace, report.proposal, range(len(items)))
    after = state_of(workspace)
    assert sorted(after.members(part)) == members[::2]
    assert sorted(after.members(whole)) == members[1::2]
    assert undone.changes.begun[0] not in after.toolkits


def test_parts_when_accepted_and_rejected_then_only_the_accepted_ones_are_done(
    workspace: Workspace,
) -> None:
    clustered(workspace)
    toolkits = sorted(state_of(workspace).toolkits)
    do(workspace, PinToolkits(toolkits=(toolkits[0],)))
    report = propose_clustering(workspace, options=KMeansOptions(k=9), progress=Progress())
    items = load_items(workspace, report.proposal)
    before = state_of(workspace)

    shown = preview_items(workspace, report.proposal, [0])
    done = accept_items(workspace, report.proposal, [0])
    reject_items(workspace, report.proposal, [1])

    assert done.changes == shown.changes
    assert set(done.changes.members) == set(items[0].rowids)
    assert open_proposals(workspace)[0].waiting == len(items) - 2
    with pytest.raises(BadInput, match="was accepted already"):
        accept_items(workspace, report.proposal, [0])
    accept_items(workspace, report.proposal)
    assert open_proposals(workspace) == []
    undo(workspace)
    undo(workspace)
    assert state_of(workspace).toolkit_of == before.toolkit_of


def test_parts_when_their_edit_is_undone_or_reverted_then_they_wait_again(
    workspace: Workspace,
) -> None:
    clustered(workspace)
    toolkits = sorted(state_of(workspace).toolkits)
    do(workspace, PinToolkits(toolkits=(toolkits[0],)))
    report = propose_clustering(workspace, options=KMeansOptions(k=9), progress=Progress())
    n = report.items
    first = accept_items(workspace, report.proposal, [0])
    assert open_proposals(workspace)[0].waiting == n - 1
    undo(workspace)
    assert open_proposals(workspace)[0].waiting == n
    redo(workspace)
    assert load_items(workspace, report.proposal)[0].verdict == "accepted"
    revert(workspace, first.head)
    assert load_items(workspace, report.proposal)[0].verdict == ""
    accept_items(workspace, report.proposal)
    assert open_proposals(workspace) == []
    undo(workspace)
    assert open_proposals(workspace)[0].waiting == n
    accept_items(workspace, report.proposal)
    assert open_proposals(workspace) == []


def test_parts_when_a_target_was_pinned_since_then_it_is_left_alone(workspace: Workspace) -> None:
    clustered(workspace)
    toolkits = sorted(state_of(workspace).toolkits)
    do(workspace, PinToolkits(toolkits=(toolkits[0],)))
    report = propose_clustering(workspace, options=KMeansOptions(k=9), progress=Progress())
    do(workspace, PinToolkits(toolkits=tuple(toolkits[1:])))
    with pytest.raises(BadInput, match="Nothing of this can be done"):
        accept_items(workspace, report.proposal)


def test_random_proposals_when_all_are_accepted_then_pins_and_links_hold(
    workspace: Workspace,
) -> None:
    rowids = clustered(workspace)
    rng = np.random.default_rng(7)
    pinned = tuple(rng.choice(rowids, 5, replace=False).tolist())
    do(workspace, PinApis(rowids=pinned))
    free = [rowid for rowid in rowids if rowid not in pinned]
    together, apart = tuple(free[:3]), (free[4], free[5])
    do(workspace, Link(rowids=together, link="must"))
    do(workspace, Link(rowids=apart, link="cannot"))
    start = state_of(workspace)
    homes = {rowid: start.toolkit_of[rowid] for rowid in pinned}
    for seed in range(_ROUNDS):
        options = KMeansOptions(k=int(rng.integers(2, 12)))
        report = propose_clustering(workspace, options=options, seed=seed, progress=Progress())
        if report.items:
            accept_items(workspace, report.proposal)
        state = state_of(workspace)
        assert {rowid: state.toolkit_of[rowid] for rowid in pinned} == homes
        assert len({state.toolkit_of[rowid].toolkit for rowid in together}) == 1
        assert len({state.toolkit_of[rowid].toolkit for rowid in apart}) == 2
        assert {m.toolkit for m in state.toolkit_of.values()} <= state.toolkits.keys()
        while _head(workspace) > 3:
            undo(workspace)
        assert state_of(workspace).toolkit_of == start.toolkit_of


def _head(workspace: Workspace) -> int:
    from toolplanner_core.workspace.edit_history import read_head

    return read_head(workspace.reader())
