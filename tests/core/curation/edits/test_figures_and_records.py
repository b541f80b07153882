"""Figures of toolkits for the window, and what the history tells of one toolkit or API."""

from pathlib import Path

import numpy as np
import pytest

from tests.fixtures.curated import FOOD, MONEY, PARCELS, WEATHER, curated_workspace
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Note, Rename, TellApis
from toolplanner_core.curation.edits.marks import Exclude, Link, PinApis
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.provenance import (
    Reason,
    edits_of_toolkit,
    moved_by_people,
    note_of_toolkit,
    why_here,
)
from toolplanner_core.curation.edits.remembered_names import propose_name
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.grouping.toolkit_sums import sum_of_apis, toolkit_sums
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.search_index import rowids_with_words
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import list_toolkits, member_rowids
from toolplanner_core.workspace.vectors import load_vectors


@pytest.fixture
def workspace(tmp_path: Path):
    with curated_workspace(tmp_path) as opened:
        yield opened


def _embed(workspace: Workspace) -> None:
    embed(workspace, "lsa", progress=Progress())


def test_sums_before_embedding_are_unknown(workspace: Workspace) -> None:
    assert toolkit_sums(workspace) is None
    assert sum_of_apis(workspace, [1, 2])[1] == 0


def test_sums_equal_the_sums_of_the_members_vectors(workspace: Workspace) -> None:
    _embed(workspace)
    sums = toolkit_sums(workspace)
    assert sums is not None
    assert sums.toolkits == (WEATHER, MONEY, PARCELS, FOOD)
    embedder = get_setting(workspace, "active_embedder")
    for row, toolkit in enumerate(sums.toolkits):
        members = member_rowids(workspace, toolkit)
        vectors = load_vectors(workspace, embedder, members).vectors
        np.testing.assert_allclose(sums.sums[row], vectors.sum(axis=0), atol=1e-5)
        assert sums.counts[row] == len(members)
        total, known = sum_of_apis(workspace, members)
        np.testing.assert_allclose(total, sums.sums[row], atol=1e-5)
        assert known == len(members)


def test_sums_of_some_toolkits_count_ended_ones_as_empty(workspace: Workspace) -> None:
    _embed(workspace)
    history.do(workspace, Merge(toolkits=(MONEY,), into=WEATHER))
    sums = toolkit_sums(workspace, {WEATHER, MONEY})
    assert sums is not None
    assert sums.counts.tolist() == [5, 0]
    assert not sums.sums[1].any()


def test_why_here_names_the_edit_that_counts(workspace: Workspace) -> None:
    assert why_here(workspace, 1).reason is Reason.RULE
    assert why_here(workspace, 9).reason is Reason.NOWHERE
    done = history.do(workspace, Move(rowids=(1,), to=MONEY))
    history.do(workspace, Exclude(rowids=(1,), reason="Broken"))
    why = why_here(workspace, 1)
    assert why.reason is Reason.PERSON
    assert why.edit is not None and why.edit.id == done.head
    assert (why.is_pinned, why.excluded) == (True, "Broken")
    history.undo(workspace)
    history.undo(workspace)
    assert why_here(workspace, 1).edit is None


def test_why_here_when_an_api_was_unpinned_since_then_it_names_the_edit_that_moved_it(
    workspace: Workspace,
) -> None:
    moved = history.do(workspace, Move(rowids=(1,), to=MONEY))
    history.do(workspace, PinApis(rowids=(1,), is_pinned=False))
    why = why_here(workspace, 1)
    assert why.edit is not None and why.edit.id == moved.head
    assert not why.is_pinned
    history.do(workspace, PinApis(rowids=(2,), is_pinned=True))
    assert why_here(workspace, 2).reason is Reason.RULE, "a pin puts nothing anywhere"


def test_moved_by_people_when_edits_put_apis_elsewhere_then_those_and_no_others(
    workspace: Workspace,
) -> None:
    assert moved_by_people(workspace) == set()
    history.do(workspace, PinApis(rowids=(7,)))
    split = history.do(workspace, Split(toolkit=WEATHER, parts=((1, 2),)))
    merge = history.do(workspace, Merge(toolkits=(MONEY,), into=FOOD))
    history.do(workspace, Move(rowids=(5,), to=FOOD), actor=Author.RULE)
    assert moved_by_people(workspace) == {1, 2, 3, 4}
    history.revert(workspace, split.head)
    assert moved_by_people(workspace) == {3, 4}
    history.jump(workspace, merge.head)
    assert moved_by_people(workspace) == {1, 2, 3, 4}


def test_edits_of_a_toolkit_when_its_apis_are_excluded_or_linked_then_are_among_them(
    workspace: Workspace,
) -> None:
    history.do(workspace, Exclude(rowids=(1, 3), reason="Broken"))
    history.do(workspace, Link(rowids=(2, 5), link="cannot"))
    kinds = [edit.kind for edit in edits_of_toolkit(workspace, WEATHER)]
    assert kinds == ["link", "exclude"]
    assert [edit.kind for edit in edits_of_toolkit(workspace, MONEY)] == ["exclude"]


def test_edits_of_a_toolkit_are_those_that_touch_it_newest_first(workspace: Workspace) -> None:
    history.do(workspace, Rename(toolkit=FOOD, name="Recipes"))
    history.do(workspace, Merge(toolkits=(MONEY,), into=WEATHER))
    history.do(workspace, Note(toolkit=WEATHER, note="Ask Ada"))
    kinds = [edit.kind for edit in edits_of_toolkit(workspace, WEATHER)]
    assert kinds == ["note", "merge"]
    assert note_of_toolkit(workspace, WEATHER) == "Ask Ada"
    assert note_of_toolkit(workspace, MONEY) == ""


def test_edits_of_a_toolkit_when_apis_leave_it_and_all_else_stays_then_are_among_them(
    workspace: Workspace,
) -> None:
    history.do(workspace, Rename(toolkit=WEATHER, name="Sky"))
    history.do(workspace, Move(rowids=(1,), to=MONEY))
    history.do(workspace, NewToolkit(rowids=(2,), name="Rain"))
    assert [e.kind for e in edits_of_toolkit(workspace, WEATHER)] == [
        NewToolkit.kind, Move.kind, Rename.kind,
    ]  # fmt: skip
    assert [e.kind for e in edits_of_toolkit(workspace, MONEY)] == [Move.kind]


def test_proposed_name_is_none_that_is_taken(workspace: Workspace) -> None:
    text = propose_name(workspace, [1, 2])
    assert text.name
    assert text.name.casefold() not in {t.name.casefold() for t in list_toolkits(workspace)}


def test_rowids_with_words_hold_all_of_them_and_operators_mean_nothing(
    workspace: Workspace,
) -> None:
    everything = rowids_with_words(workspace, ["a"])
    assert len(everything)
    both = rowids_with_words(workspace, ["forecast", "weather"])
    assert set(both) == set(rowids_with_words(workspace, ["forecast"])) & set(
        rowids_with_words(workspace, ["weather"])
    )
    assert rowids_with_words(workspace, ['"', "OR", "NOT("]).tolist() == []
    assert rowids_with_words(workspace, []).tolist() == []


def test_rowids_with_words_when_some_tell_nothing_then_the_others_decide(
    workspace: Workspace,
) -> None:
    forecast = rowids_with_words(workspace, ["forecast"]).tolist()
    assert forecast and forecast != rowids_with_words(workspace, ["to"]).tolist()
    assert rowids_with_words(workspace, ["a", "To", "forecast", "the"]).tolist() == forecast


def test_rowids_with_words_when_a_word_is_half_typed_then_only_the_last_may_be(
    workspace: Workspace,
) -> None:
    whole = rowids_with_words(workspace, ["forecast", "weather"]).tolist()
    assert whole
    assert rowids_with_words(workspace, ["forecast", "weath"]).tolist() == whole
    assert rowids_with_words(workspace, ["forec", "weather"]).tolist() == []


def test_rowids_with_words_when_the_last_is_a_word_itself_then_longer_ones_are_others(
    demo: Path,
) -> None:
    with Workspace.open(demo) as workspace:
        air, begun = (rowids_with_words(workspace, [word]).tolist() for word in ("air", "airp"))
        match = "SELECT rowid FROM apis_fts WHERE apis_fts MATCH ? ORDER BY rowid"
        held = [row[0] for row in workspace.reader().execute(match, ['"air"'])]
        assert air == held
        assert begun and not set(begun) <= set(held), "airports"
        assert len(rowids_with_words(workspace, ["a"])) > len(held), "a letter begins a word"


def test_rowids_with_words_when_a_person_wrote_of_an_api_then_its_words_count_until_undone(
    workspace: Workspace,
) -> None:
    rowid = int(rowids_with_words(workspace, ["forecast"])[0])
    assert rowids_with_words(workspace, ["zeppelin"]).tolist() == []
    told = TellApis(rowids=(rowid,), texts=("When a Zeppelin may fly.",))
    history.do(workspace, told)
    assert rowids_with_words(workspace, ["zepp"]).tolist() == [rowid]
    assert rowids_with_words(workspace, ["forecast", "zeppelin"]).tolist() == [rowid]
    assert rowids_with_words(workspace, ["zeppelin", "banana"]).tolist() == []
    assert rowids_with_words(workspace, ["eppelin"]).tolist() == []
    history.undo(workspace)
    assert rowids_with_words(workspace, ["zeppelin"]).tolist() == []


def test_sums_when_asked_for_figures_then_those_of_the_vectors(workspace: Workspace) -> None:
    _embed(workspace)
    sums = toolkit_sums(workspace)
    assert sums is not None
    embedder = get_setting(workspace, "active_embedder")
    vectors = load_vectors(workspace, embedder, member_rowids(workspace, WEATHER)).vectors
    middle = vectors.mean(axis=0)
    held = float((vectors @ (middle / np.linalg.norm(middle))).mean())
    assert sums.cohesion(WEATHER) == pytest.approx(held, abs=1e-5)
    assert sums.cohesion(ToolkitId(99)) is None
    alike = sums.similarity(WEATHER, MONEY)
    assert alike == sums.similarity(MONEY, WEATHER)
    near = sums.nearest(WEATHER, 9)
    assert {one.toolkit for one in near} == {MONEY, PARCELS, FOOD}
    assert [one.cosine for one in near] == sorted((one.cosine for one in near), reverse=True)
    assert dict(near)[MONEY] == pytest.approx(alike, abs=1e-5)
    assert sums.nearest_to(middle, 1)[0].toolkit == WEATHER


def test_sums_when_renewed_after_a_merge_then_equal_a_new_reading(workspace: Workspace) -> None:
    _embed(workspace)
    sums = toolkit_sums(workspace)
    assert sums is not None
    foreseen = sums.cohesion_of_all([MONEY, WEATHER])
    history.do(workspace, Merge(toolkits=(MONEY,), into=WEATHER))
    renewed = toolkit_sums(workspace, {WEATHER, MONEY})
    assert renewed is not None
    sums.renew(renewed)
    assert sums.cohesion(WEATHER) == pytest.approx(foreseen, abs=1e-5)
    assert sums.cohesion(MONEY) is None
    assert MONEY not in {one.toolkit for one in sums.nearest(WEATHER, 9)}
