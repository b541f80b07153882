"""Parts of a proposal that a person changes before accepting: name, members; and their fit."""

import pytest
from fixtures.catalogues import ready_workspace
from fixtures.curated import state_of

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.curation.edits.history import undo
from toolplanner_core.curation.grouping.accepting import TEXT, accept_items, reject_items
from toolplanner_core.curation.grouping.changing_parts import (
    choose_members,
    fit_changes,
    name_part,
)
from toolplanner_core.curation.grouping.cluster import cluster
from toolplanner_core.curation.grouping.recluster import propose_clustering
from toolplanner_core.curation.grouping.splitting import fit_of
from toolplanner_core.domain.ids import EditId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.proposals import (
    ProposedItem,
    load_items,
    open_proposals,
    put_proposal,
)
from toolplanner_core.workspace.toolkits import list_toolkits, member_rowids


@pytest.fixture
def proposal(workspace: Workspace) -> int:
    ready_workspace(workspace, 6)
    cluster(workspace, options=KMeansOptions(k=4), progress=Progress())
    # Of even sizes, so that some new toolkits have several APIs.
    options = KMeansOptions(k=7, is_plain=True)
    made = propose_clustering(workspace, options=options, progress=Progress())
    assert made.proposal is not None
    return made.proposal


def new_part(workspace: Workspace, proposal: int) -> ProposedItem:
    """A part that makes a toolkit of several APIs."""
    items = load_items(workspace, proposal)
    return next(i for i in items if i.target is None and i.name and len(i.rowids) > 1)


def test_part_when_it_is_named_and_an_api_left_out_then_accepting_does_just_that(
    workspace: Workspace, proposal: int
) -> None:
    part = new_part(workspace, proposal)
    kept = part.rowids[1:]
    choose_members(workspace, proposal, part.position, kept)
    told = name_part(workspace, proposal, part.position, "  My own  name ", "What it does.")
    assert told.name == "My own name"
    assert "“My own name”" in told.label
    assert f"{len(kept)} API" in told.label
    assert load_items(workspace, proposal)[part.position] == told
    before = state_of(workspace)

    accept_items(workspace, proposal, [part.position])

    made = next(t for t in list_toolkits(workspace) if t.name == "My own name")
    assert sorted(member_rowids(workspace, made.id)) == sorted(kept)
    assert made.description == "What it does."
    assert made.name_author is Author.PERSON
    undo(workspace)
    assert state_of(workspace).toolkits == before.toolkits
    assert load_items(workspace, proposal)[part.position].verdict == ""


def test_part_when_apis_are_left_out_then_they_can_come_back(
    workspace: Workspace, proposal: int
) -> None:
    part = new_part(workspace, proposal)
    fewer = choose_members(workspace, proposal, part.position, part.rowids[:1])
    assert sorted(fewer.left_out) == sorted(part.rowids[1:])
    again = choose_members(workspace, proposal, part.position, part.rowids)
    assert sorted(again.rowids) == sorted(part.rowids)
    assert again.left_out == ()
    with pytest.raises(BadInput, match="without an API"):
        choose_members(workspace, proposal, part.position, [])


def test_part_when_it_was_answered_or_is_none_then_it_cannot_be_changed(
    workspace: Workspace, proposal: int
) -> None:
    part = new_part(workspace, proposal)
    reject_items(workspace, proposal, [part.position])
    with pytest.raises(BadInput, match="rejected already"):
        name_part(workspace, proposal, part.position, "A name", "")
    with pytest.raises(NotFound):
        choose_members(workspace, proposal, 9999, part.rowids)


def test_fit_when_a_part_is_looked_at_then_it_is_what_accepting_gives(
    workspace: Workspace, proposal: int
) -> None:
    for part in load_items(workspace, proposal):
        if part.verdict:
            continue
        changes = fit_changes(workspace, part)
        assert changes
        accept_items(workspace, proposal, [part.position])
        living = {t.id: t for t in list_toolkits(workspace)}
        by_name = {t.name: t for t in living.values()}
        for change in changes:
            toolkit = (
                by_name.get(change.name) if change.toolkit is None else living.get(change.toolkit)
            )
            members = [] if toolkit is None else member_rowids(workspace, toolkit.id)
            assert change.apis[1] == len(members)
            wanted = fit_of(workspace, members) if len(members) > 1 else None
            assert change.fits[1] == (wanted if wanted is None else pytest.approx(wanted, abs=1e-5))
        undo(workspace)


def test_part_when_a_person_writes_a_proposed_text_anew_then_the_person_is_its_author(
    workspace: Workspace, proposal: int
) -> None:
    toolkit = list_toolkits(workspace)[0]
    item = ProposedItem(
        position=0, kind=TEXT, label="Rename", rowids=(), target=toolkit.id, name="By a model",
        description="A model wrote this.", sources=(toolkit.id,),
    )  # fmt: skip
    number = workspace.writer.run(
        lambda db: put_proposal(
            db, kind="describe", title="Names", head=EditId(0), about={}, items=[item]
        )
    )
    told = name_part(workspace, number, 0, "By a person", "A model wrote this.")
    assert told.label.startswith(f"Rename “{toolkit.name}” to “By a person”: ")
    accept_items(workspace, number)
    after = next(t for t in list_toolkits(workspace) if t.id == toolkit.id)
    assert (after.name, after.name_author) == ("By a person", Author.PERSON)
    assert all(one.id != number for one in open_proposals(workspace))
