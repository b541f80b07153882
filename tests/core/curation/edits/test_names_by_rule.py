"""Names by rule stay whatever is edited; others are proposed with the edit that changes members."""

from pathlib import Path

import pytest

from tests.fixtures.curated import FOOD, MONEY, PARCELS, WEATHER, curated_workspace, names, state_of
from toolplanner_core.curation.edits.consequences import besides, consequences
from toolplanner_core.curation.edits.describe import AnswerNames, Rename, Retell
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done, do, jump, preview, redo, undo
from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.provenance import take_out_of_merge
from toolplanner_core.curation.edits.split import Regroup, Split
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT


def named_by(workspace: Workspace, *toolkits: ToolkitId, author: Author = Author.RULE) -> None:
    """Let the rule have given the names that toolkits have."""
    sql = "UPDATE toolkits SET name_author = ? WHERE id = ?"
    rows = [(author.value, toolkit) for toolkit in toolkits]
    workspace.writer.run(lambda db: db.conn.executemany(sql, rows))


def proposed_of(workspace: Workspace, toolkit: ToolkitId) -> str:
    return state_of(workspace).toolkits[toolkit].proposed_name


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
def test_name_by_rule_when_members_change_then_stays_and_another_is_proposed_until_the_undo(
    tmp_path: Path, edit: Edit
) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER, MONEY)
        before = state_of(workspace).toolkits

        done = do(workspace, edit)

        after = state_of(workspace).toolkits
        proposed = after[WEATHER].proposed_name
        assert after[WEATHER].name == "Weather"
        assert proposed not in ("", "Weather")
        assert done.changes.all_fields[WEATHER]["proposed_name"] == proposed
        assert after[MONEY] == before[MONEY]
        undo(workspace)
        assert state_of(workspace).toolkits == before
        redo(workspace)
        assert proposed_of(workspace, WEATHER) == proposed
        jump(workspace, ROOT)
        assert state_of(workspace).toolkits == before


def test_proposed_names_when_many_are_taken_then_one_undo_brings_the_old_ones_back(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER, MONEY)
        do(workspace, NewToolkit(rowids=(12, 4), name="Alerts"))
        before = state_of(workspace).toolkits
        wanted = {t: before[t].proposed_name for t in (WEATHER, MONEY)}
        assert all(wanted.values())

        do(workspace, AnswerNames(toolkits=(WEATHER, MONEY)))

        for toolkit, name in wanted.items():
            fields = state_of(workspace).toolkits[toolkit]
            assert (fields.name, fields.name_author, fields.proposed_name) == (name, "rule", "")
        undo(workspace)
        assert state_of(workspace).toolkits == before
        do(workspace, AnswerNames(toolkits=(WEATHER, MONEY), is_taken=False))
        assert [name_of(workspace, t) for t in wanted] == ["Weather", "Money"]
        assert [proposed_of(workspace, t) for t in wanted] == ["", ""]
        with pytest.raises(BadInput, match="No name is proposed"):
            do(workspace, AnswerNames(toolkits=(WEATHER,)))


def test_proposed_name_when_another_toolkit_is_called_so_or_a_person_names_it_then_ends(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER, MONEY)
        do(workspace, NewToolkit(rowids=(12, 4), name="Alerts"))
        do(workspace, Rename(toolkit=PARCELS, name=proposed_of(workspace, WEATHER).upper()))
        assert proposed_of(workspace, WEATHER) == ""
        do(workspace, Rename(toolkit=MONEY, name="Cash"))
        assert proposed_of(workspace, MONEY) == ""


def test_names_when_one_toolkit_takes_members_of_many_then_none_of_them_is_renamed(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER, MONEY, PARCELS, FOOD)
        do(workspace, NewToolkit(rowids=(12, 4, 6, 8), name="Mine"))
        assert names(workspace) == ["Food", "Mine", "Money", "Parcels", "Weather"]


@pytest.mark.parametrize("author", [Author.PERSON, Author.MODEL])
def test_name_when_a_person_or_a_model_wrote_it_then_stays(tmp_path: Path, author: Author) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER, author=author)
        do(workspace, Split(toolkit=WEATHER, parts=((12,),), names=("Alerts",)))
        do(workspace, Merge(toolkits=(FOOD,), into=WEATHER))
        assert name_of(workspace, WEATHER) == "Weather"


def test_name_by_rule_when_a_person_pinned_the_toolkit_then_stays(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER)
        do(workspace, PinToolkits(toolkits=(WEATHER,)))
        do(workspace, Move(rowids=(12,), to=FOOD))
        assert name_of(workspace, WEATHER) == "Weather"


def test_name_by_rule_when_few_come_then_none_is_proposed(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER)
        do(workspace, Move(rowids=(9,), to=WEATHER))
        assert proposed_of(workspace, WEATHER) == ""
        do(workspace, Move(rowids=(10, 11, 8), to=WEATHER))
        assert proposed_of(workspace, WEATHER) != ""


def test_proposed_name_then_is_unlike_all_names(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER)
        edit = Split(toolkit=WEATHER, parts=((12,),), names=("Alerts",))
        first = preview(workspace, edit).changes.all_fields[WEATHER]["proposed_name"]
        do(workspace, Rename(toolkit=PARCELS, name=first.upper()))

        do(workspace, edit)

        assert proposed_of(workspace, WEATHER).casefold() != first.casefold()


@pytest.mark.parametrize(
    "edit",
    [
        Split(toolkit=WEATHER, parts=((12,),), names=("money",)),
        Split(toolkit=WEATHER, parts=((2,), (12,)), names=("Alerts", "alerts")),
        Regroup(title="R", rowids=(9, 10), toolkits=(-1, -2), new_names=("Money", "Weather")),
        Rename(toolkit=WEATHER, name="Money", author=Author.RULE.value),
        Rename(toolkit=WEATHER, name="Money", author=Author.MODEL.value),
        Retell(toolkits=(1, 3), names=("Post", "Post"), descriptions=("A.", "B.")),  # type: ignore[arg-type]
    ],
    ids=lambda edit: edit.kind,
)
def test_names_by_machine_when_an_edit_would_give_one_twice_then_are_unlike(
    tmp_path: Path, edit: Edit
) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER, PARCELS)
        before = state_of(workspace).toolkits

        done = do(workspace, edit)

        given = [fields.name.casefold() for fields in state_of(workspace).toolkits.values()]
        assert len(set(given)) == len(given)
        assert name_of(workspace, MONEY) == "Money"
        undo(workspace)
        assert state_of(workspace).toolkits == before
        assert done.changes.toolkits


def test_toolkit_when_it_lives_again_and_its_name_is_taken_then_the_rule_finds_another(
    tmp_path: Path,
) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, FOOD)
        do(workspace, Merge(toolkits=(FOOD,), into=MONEY))
        do(workspace, Rename(toolkit=PARCELS, name="Food"))
        do(workspace, take_out_of_merge(workspace, [7]))
        assert name_of(workspace, PARCELS) == "Food"
        assert name_of(workspace, FOOD) not in ("", "Food")


def test_name_when_a_person_gives_it_twice_then_it_stands(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        do(workspace, Rename(toolkit=WEATHER, name="Money"))
        assert name_of(workspace, WEATHER) == name_of(workspace, MONEY) == "Money"


def test_consequences_when_a_name_is_proposed_then_it_is_said(tmp_path: Path) -> None:
    with curated_workspace(tmp_path) as workspace:
        named_by(workspace, WEATHER)
        done = do(workspace, Move(rowids=(12,), to=FOOD))
        assert "another name is proposed for 1 toolkit" in said(done)
        assert "another name is proposed for 1 toolkit" in besides(done, name_of=str)


def said(done: Done) -> list[str]:
    return consequences(done, name_of=str)
