"""Edits on real tables: undo after a restart, branches, reverts, snapshots, lineage."""

from pathlib import Path

import pytest

from tests.fixtures.curated import FOOD, MONEY, PARCELS, WEATHER, curated_workspace, names, state_of
from toolplanner_core.curation.edits.describe import Describe, Note, Rename
from toolplanner_core.curation.edits.history import do, jump, redo, revert, undo
from toolplanner_core.curation.edits.history_reading import (
    get_snapshot,
    list_history,
    list_snapshots,
    save_snapshot,
)
from toolplanner_core.curation.edits.kinds import EDIT_KINDS, edit_from_json
from toolplanner_core.curation.edits.marks import PinApis, PinToolkits
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.provenance import lineage, take_out_of_merge
from toolplanner_core.curation.edits.split import Regroup, Split
from toolplanner_core.curation.edits.state_diff import DiffKind, diff_points
from toolplanner_core.domain.curated import Membership
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT


def test_merge_when_undone_after_a_restart_then_the_old_toolkit_is_back(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        before = state_of(workspace)
        merged = do(workspace, Merge(toolkits=(MONEY, FOOD), into=MONEY), who="Ada")
        assert merged.label == "Merge “Food” into “Money”"
        assert names(workspace) == ["Money", "Parcels", "Weather"]
        path = workspace.path
    with Workspace.open(path) as workspace:
        assert undo(workspace).label == "Undo: Merge “Food” into “Money”"
        assert state_of(workspace).toolkits == before.toolkits
        assert state_of(workspace).toolkit_of == before.toolkit_of
        redo(workspace)
        assert names(workspace) == ["Money", "Parcels", "Weather"]


def test_edit_after_an_undo_when_made_then_the_undone_branch_stays_reachable(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        first = do(workspace, Rename(toolkit=MONEY, name="Currency"))
        undo(workspace)
        do(workspace, Rename(toolkit=MONEY, name="Cash"))

        entries = {entry.label: entry for entry in list_history(workspace)}
        assert not entries["Rename “Money” to “Currency”"].is_on_line
        assert entries["Rename “Money” to “Cash”"].is_head
        jump(workspace, first.head)
        assert "Currency" in names(workspace)
        jump(workspace, ROOT)
        assert "Money" in names(workspace)
        redo(workspace)
        assert "Currency" in names(workspace)


def test_revert_when_nothing_builds_on_it_then_only_that_edit_is_taken_back(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        old = do(workspace, Rename(toolkit=MONEY, name="Currency"))
        do(workspace, Describe(toolkit=MONEY, description="All about money."))

        revert(workspace, old.head)

        fields = state_of(workspace).toolkits[MONEY]
        assert (fields.name, fields.description) == ("Money", "All about money.")
        with pytest.raises(BadInput, match="was reverted already"):
            revert(workspace, old.head)


def test_revert_when_a_later_edit_uses_the_new_toolkit_then_names_it(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        made = do(workspace, NewToolkit(rowids=(9, 10), name="Misc"))
        misc = next(t for t, fields in made.changes.toolkits.items() if fields.get("name"))
        do(workspace, Move(rowids=(11,), to=misc))
        with pytest.raises(BadInput, match="Move 1 API to “Misc”"):
            revert(workspace, made.head)


def test_take_out_of_a_merge_when_the_source_is_retired_then_it_lives_again(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        do(workspace, Merge(toolkits=(MONEY, FOOD, PARCELS), into=MONEY, name="All"))
        assert list(lineage(workspace, MONEY).values()) == [("Parcels", "Food")]

        do(workspace, take_out_of_merge(workspace, [7]))

        state = state_of(workspace)
        assert state.toolkits[FOOD].name == "Food"
        assert state.toolkit_of[7] == Membership(FOOD, True)
        assert state.toolkit_of[8].toolkit == MONEY
        with pytest.raises(BadInput, match="did not come by a merge"):
            take_out_of_merge(workspace, [1])


def test_merge_when_members_are_left_out_then_their_toolkit_lives_on(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        do(workspace, Merge(toolkits=(FOOD,), into=MONEY, left_out=(8,)))
        state = state_of(workspace)
        assert state.members(FOOD) == {8: False}
        assert set(state.members(MONEY)) == {3, 4, 7}


def test_split_when_made_then_the_rest_keeps_its_id_and_new_ids_are_never_used_again(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        first = do(workspace, Split(toolkit=WEATHER, parts=((12,),), names=("Chinese",)))
        undo(workspace)
        second = do(workspace, Split(toolkit=WEATHER, parts=((12,),), names=("Chinese",)))
        assert not first.changes.toolkits.keys() & second.changes.toolkits.keys()
        assert set(state_of(workspace).members(WEATHER)) == {1, 2}


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (Merge(toolkits=(MONEY,), into=MONEY), "at least two"),
        (Merge(toolkits=(MONEY, 77), into=MONEY), "no toolkit 77"),  # type: ignore[arg-type]
        (Split(toolkit=MONEY, parts=((3, 4),)), "Nothing would be left"),
        (Split(toolkit=MONEY, parts=((1,),)), "not in the toolkit"),
        (Move(rowids=(), to=MONEY), "No APIs"),
        (Move(rowids=(999,), to=MONEY), "no API with the row id 999"),
        (Move(rowids=(3,), to=MONEY), "already"),
        (Rename(toolkit=MONEY, name="  "), "needs a name"),
        (Rename(toolkit=MONEY, name="Money"), "Nothing would change"),
        (PinApis(rowids=(9,)), "belong to no toolkit"),
    ],
)
def test_edit_when_it_does_not_fit_then_says_why_and_changes_nothing(
    tmp_path: Path, edit: Merge, why: str
) -> None:
    with curated_workspace(tmp_path) as workspace:
        before = state_of(workspace)
        with pytest.raises(BadInput, match=why):
            do(workspace, edit)
        assert state_of(workspace) == before
        assert list_history(workspace) == []


def test_move_when_a_toolkit_becomes_empty_then_it_is_retired_unless_pinned(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        do(workspace, PinToolkits(toolkits=(FOOD,)))
        do(workspace, Move(rowids=(3, 4, 7, 8), to=WEATHER))
        assert names(workspace) == ["Food", "Parcels", "Weather"]


def test_regroup_when_a_pin_is_in_the_way_then_is_refused(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        do(workspace, PinApis(rowids=(3,)))
        with pytest.raises(BadInput, match="A pinned API would be moved"):
            do(workspace, Regroup(title="Regroup", rowids=(3,), toolkits=(int(WEATHER),)))
        do(workspace, PinToolkits(toolkits=(FOOD,)))
        with pytest.raises(BadInput, match="members of a pinned toolkit"):
            do(workspace, Regroup(title="Regroup", rowids=(9,), toolkits=(int(FOOD),)))


def test_snapshots_when_gone_to_then_the_state_is_back_and_the_way_forth_stays(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        save_snapshot(workspace, "before", note="as imported")
        do(workspace, Merge(toolkits=(FOOD,), into=MONEY))
        do(workspace, Rename(toolkit=WEATHER, name="Sky"))
        save_snapshot(workspace, "after")
        with pytest.raises(BadInput, match="already"):
            save_snapshot(workspace, "after")

        jump(workspace, get_snapshot(workspace, "before").edit)
        assert names(workspace) == ["Food", "Money", "Parcels", "Weather"]
        jump(workspace, get_snapshot(workspace, "after").edit)
        assert names(workspace) == ["Money", "Parcels", "Sky"]

        one, other = (snapshot.edit for snapshot in list_snapshots(workspace))
        lines = diff_points(workspace, one, other)
        assert [(line.kind, line.text) for line in lines] == [
            (DiffKind.RENAMED, "“Weather” is now “Sky”"),
            (DiffKind.MERGED, "“Food” was merged into “Money”"),
        ]
        assert [line.kind for line in diff_points(workspace, other, one)] == [
            DiffKind.RENAMED,
            DiffKind.SPLIT,
        ]


def test_edits_when_stored_then_can_be_read_back_as_they_were_asked_for(tmp_path: Path) -> None:
    samples = [
        Merge(toolkits=(MONEY, FOOD), into=MONEY, left_out=(8,), name="All"),
        Split(toolkit=WEATHER, parts=((12,), (2,)), names=("A", "B")),
        Move(rowids=(1, 2), to=None),
        Regroup(title="T", rowids=(9,), toolkits=(-1,), new_names=("N",)),
    ]
    for edit in samples:
        assert edit_from_json(edit.kind, edit.asked()) == edit
    assert all(kind == cls.kind for kind, cls in EDIT_KINDS.items())
    with pytest.raises(BadInput, match="no edit “explode”"):
        edit_from_json("explode", {})
    with pytest.raises(BadInput, match="no field “colour”"):
        edit_from_json("rename", {"colour": "red"})


def test_revert_when_the_toolkit_it_would_fill_has_ended_then_names_the_edit_that_ended_it(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        moved = do(workspace, Move(rowids=(1,), to=MONEY))
        do(workspace, Merge(toolkits=(WEATHER,), into=FOOD))
        before = state_of(workspace)
        with pytest.raises(BadInput, match="Merge “Weather” into “Food”"):
            revert(workspace, moved.head)
        assert state_of(workspace) == before


def test_revert_when_the_toolkit_it_wrote_about_has_ended_then_refused_and_no_text_is_lost(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        noted = do(workspace, Note(toolkit=WEATHER, note="Ask Ann."))
        merged = do(workspace, Merge(toolkits=(WEATHER,), into=FOOD))
        with pytest.raises(BadInput, match="Merge “Weather” into “Food”"):
            revert(workspace, noted.head)
        revert(workspace, merged.head)
        revert(workspace, noted.head)
        assert state_of(workspace).toolkits[WEATHER].note == ""
