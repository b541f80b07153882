"""What toolkits are said to do follows their members: written anew by rule, else marked as old."""

from pathlib import Path

import pytest

from tests.fixtures.curated import FOOD, MONEY, WEATHER, curated_workspace, state_of
from toolplanner_core.curation.edits.describe import Describe
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import do, jump, redo, revert, undo
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.domain.curated import ToolkitFields
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT


def by_rule(workspace: Workspace, toolkit: ToolkitId) -> str:
    """Let the rule describe a toolkit, as it does those that a clustering makes."""
    forget = "UPDATE toolkits SET description_author = 'rule', description = 'All of it.'"
    workspace.writer.run(lambda db: db.execute(f"{forget} WHERE id = ?", [toolkit]))
    return fields_of(workspace, toolkit).description


def fields_of(workspace: Workspace, toolkit: ToolkitId) -> ToolkitFields:
    return state_of(workspace).toolkits[toolkit]


@pytest.mark.parametrize(
    "edit",
    [
        Split(toolkit=WEATHER, parts=((12,),), names=("Alerts",)),
        Move(rowids=(12,), to=FOOD),
        Move(rowids=(12,), to=None),
        NewToolkit(rowids=(12,), name="Alerts"),
    ],
    ids=lambda edit: edit.kind,
)
def test_description_by_rule_when_members_leave_then_tells_of_those_that_stay(
    tmp_path: Path, edit: Edit
) -> None:
    with curated_workspace(tmp_path) as workspace:
        before = by_rule(workspace, WEATHER)

        done = do(workspace, edit)

        after = fields_of(workspace, WEATHER)
        assert after.description != before
        assert after.description_author is Author.RULE
        assert not after.is_description_old
        assert done.changes.all_fields[WEATHER]["description"] == after.description
        undo(workspace)
        assert fields_of(workspace, WEATHER).description == before
        redo(workspace)
        assert fields_of(workspace, WEATHER).description == after.description
        jump(workspace, ROOT)
        assert fields_of(workspace, WEATHER).description == before


def test_new_toolkit_when_nobody_describes_it_then_the_rule_does(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        for edit in (
            Split(toolkit=WEATHER, parts=((12,),)),
            NewToolkit(rowids=(9, 10), name="Misc"),
        ):
            (new,) = do(workspace, edit).changes.begun
            assert fields_of(workspace, new).description.strip()
            assert fields_of(workspace, new).description_author is Author.RULE
        (own,) = do(
            workspace, NewToolkit(rowids=(11,), name="Own", description="Mine.")
        ).changes.begun
        assert fields_of(workspace, own).description == "Mine."
        assert fields_of(workspace, own).description_author is Author.PERSON


def test_description_by_a_person_when_members_change_then_is_kept_and_marked_until_written_again(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        do(workspace, Describe(toolkit=WEATHER, description="Mine."))
        assert not fields_of(workspace, WEATHER).is_description_old

        do(workspace, Move(rowids=(12,), to=FOOD))

        told = fields_of(workspace, WEATHER)
        assert (told.description, told.is_description_old) == ("Mine.", True)
        assert fields_of(workspace, FOOD).is_description_old
        assert not fields_of(workspace, MONEY).is_description_old
        do(workspace, Describe(toolkit=WEATHER, description="Mine."))
        assert not fields_of(workspace, WEATHER).is_description_old
        undo(workspace)
        assert fields_of(workspace, WEATHER).is_description_old
        undo(workspace)
        assert not fields_of(workspace, WEATHER).is_description_old


def test_old_move_when_reverted_though_another_left_since_then_text_tells_of_who_is_there(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        by_rule(workspace, WEATHER)
        first = do(workspace, Move(rowids=(1,), to=FOOD))
        do(workspace, Move(rowids=(12,), to=MONEY))
        alone = fields_of(workspace, WEATHER).description
        assert "such as" not in alone

        revert(workspace, first.head)

        assert "such as" in fields_of(workspace, WEATHER).description
        undo(workspace)
        assert fields_of(workspace, WEATHER).description == alone


def test_merge_when_done_then_the_description_by_rule_tells_of_all(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        by_rule(workspace, MONEY)
        do(workspace, Merge(toolkits=(FOOD,), into=MONEY))
        assert "“find recipes”" in fields_of(workspace, MONEY).description


def test_describe_again_when_a_person_wrote_it_then_a_split_leaves_the_words(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        by_rule(workspace, WEATHER)
        do(workspace, Move(rowids=(12,), to=FOOD))
        written = do(workspace, Describe(toolkit=WEATHER, description="Mine.")).head
        jump(workspace, ROOT)
        jump(workspace, written)
        assert fields_of(workspace, WEATHER).description == "Mine."
