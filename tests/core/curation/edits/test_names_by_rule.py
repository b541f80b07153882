"""What the rule calls toolkits follows their members, with the edit that changes them."""

from pathlib import Path

import pytest

from tests.fixtures.curated import FOOD, MONEY, PARCELS, WEATHER, curated_workspace, state_of
from toolplanner_core.curation.edits.consequences import besides, consequences
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done, do, jump, preview, redo, revert, undo
from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.split import Regroup, Split
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT

OLD = "All of it"


def named_by_rule(workspace: Workspace, *toolkits: ToolkitId, author: Author = Author.RULE) -> None:
    """Let the rule have named toolkits, as it does those that a clustering makes."""
    for toolkit in toolkits:
        workspace.writer.run(
            lambda db, toolkit=toolkit: db.execute(
                "UPDATE toolkits SET name_author = ?, name = ? WHERE id = ?",
                [author.value, f"{OLD} {toolkit}", toolkit],
            )
        )


def name_of(workspace: Workspace, toolkit: ToolkitId) -> str:
    return state_of(workspace).toolkits[toolkit].name


@pytest.mark.parametrize(
    "edit",
    [
        Split(toolkit=WEATHER, parts=((12,),), names=("Alerts",)),
        Move(rowids=(12,), to=FOOD),
        Move(rowids=(12,), to=None),
        NewToolkit(rowids=(12,), name="Alerts"),
        Regroup(title="Regroup", rowids=(12,), toolkits=(int(FOOD),)),
        Merge(toolkits=(FOOD,), into=WEATHER),
    ],
    ids=lambda edit: edit.kind,
)
def test_name_by_rule_when_members_change_then_follows_them_and_comes_back_by_undo(
    tmp_path: Path, edit: Edit
) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by_rule(workspace, WEATHER, MONEY)
        before = state_of(workspace).toolkits

        done = do(workspace, edit)

        after = state_of(workspace).toolkits
        assert after[WEATHER].name != before[WEATHER].name
        assert after[WEATHER].name_author is Author.RULE
        assert done.changes.all_fields[WEATHER]["name"] == after[WEATHER].name
        assert after[MONEY] == before[MONEY]
        undo(workspace)
        assert state_of(workspace).toolkits == before
        redo(workspace)
        assert name_of(workspace, WEATHER) == after[WEATHER].name
        jump(workspace, ROOT)
        assert state_of(workspace).toolkits == before


def test_name_by_rule_when_the_edit_is_reverted_then_is_the_old_one_unless_named_since(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by_rule(workspace, WEATHER)
        split = do(workspace, Split(toolkit=WEATHER, parts=((12,),), names=("Alerts",)))
        do(workspace, Rename(toolkit=MONEY, name="Cash"))
        revert(workspace, split.head)
        assert name_of(workspace, WEATHER) == f"{OLD} {WEATHER}"

        split = do(workspace, Split(toolkit=WEATHER, parts=((12,),), names=("Alerts",)))
        do(workspace, Rename(toolkit=WEATHER, name="Sky"))
        revert(workspace, split.head)
        assert name_of(workspace, WEATHER) == "Sky"


@pytest.mark.parametrize("author", [Author.PERSON, Author.MODEL])
def test_name_when_a_person_or_a_model_wrote_it_then_stays(tmp_path: Path, author: Author) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by_rule(workspace, WEATHER, author=author)
        do(workspace, Split(toolkit=WEATHER, parts=((12,),), names=("Alerts",)))
        do(workspace, Merge(toolkits=(FOOD,), into=WEATHER))
        assert name_of(workspace, WEATHER) == f"{OLD} {WEATHER}"


def test_name_by_rule_when_a_person_pinned_the_toolkit_then_stays(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by_rule(workspace, WEATHER)
        do(workspace, PinToolkits(toolkits=(WEATHER,)))
        do(workspace, Move(rowids=(12,), to=FOOD))
        assert name_of(workspace, WEATHER) == f"{OLD} {WEATHER}"


def test_name_by_rule_when_few_come_then_stays(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by_rule(workspace, WEATHER)
        do(workspace, Move(rowids=(9,), to=WEATHER))
        assert name_of(workspace, WEATHER) == f"{OLD} {WEATHER}"
        do(workspace, Move(rowids=(10, 11, 8), to=WEATHER))
        assert name_of(workspace, WEATHER) != f"{OLD} {WEATHER}"


def test_name_by_rule_when_it_follows_then_is_unlike_all_others(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by_rule(workspace, WEATHER)
        edit = Split(toolkit=WEATHER, parts=((12,),), names=("Alerts",))
        first = preview(workspace, edit).changes.all_fields[WEATHER]["name"]
        do(workspace, Rename(toolkit=PARCELS, name=first.upper()))

        do(workspace, edit)

        assert name_of(workspace, WEATHER).casefold() != first.casefold()


def test_consequences_when_a_name_follows_then_it_is_said(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by_rule(workspace, WEATHER)
        done = do(workspace, Move(rowids=(12,), to=FOOD))
        new = name_of(workspace, WEATHER)

        assert f"“{OLD} {WEATHER}” is called “{new}” then" in said(done)
        assert besides(done, name_of=str).endswith(f"“{OLD} {WEATHER}” is called “{new}” then")
        assert f"“{new}” is called “{OLD} {WEATHER}” then" in said(undo(workspace))


def said(done: Done) -> list[str]:
    return consequences(done, name_of=str)
