"""What an edit would change, in words: the same sentences wherever it is asked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.curated import FOOD, MONEY, PARCELS, WEATHER, curated_workspace
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.consequences import besides, consequences
from toolplanner_core.curation.edits.describe import Describe, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.marks import Exclude, Link, PinApis
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.toolkits import get_toolkit, member_rowids


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with curated_workspace(tmp_path) as opened:
        yield opened


def told(workspace: Workspace, done: history.Done) -> list[str]:
    return consequences(done, name_of=lambda toolkit: get_toolkit(workspace, toolkit).name)


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        (Merge(toolkits=(FOOD, MONEY), into=FOOD), ["2 APIs move", "“Money” ends"]),
        (
            Merge(toolkits=(FOOD, MONEY, PARCELS, WEATHER), into=FOOD),
            ["7 APIs move", "“Money”, “Parcels”, “Weather” end"],
        ),
        (Rename(toolkit=FOOD, name="Meals"), ["“Meals” is the new name"]),
        (Describe(toolkit=FOOD, description="Eat."), ["“Food” has another description"]),
    ],
)
def test_consequences_when_edit_is_previewed_then_all_is_counted(
    workspace: Workspace, edit: Edit, lines: list[str]
) -> None:
    assert told(workspace, history.preview(workspace, edit)) == lines


def test_consequences_when_apis_stay_then_only_what_is_decided_of_them_is_said(
    workspace: Workspace,
) -> None:
    first, second, *_ = member_rowids(workspace, WEATHER)
    pinned = told(workspace, history.do(workspace, PinApis(rowids=(first, second))))
    assert pinned == ["2 APIs are pinned"]
    assert told(workspace, history.undo(workspace)) == ["2 APIs are unpinned"]
    excluded = told(workspace, history.do(workspace, Exclude(rowids=(first,))))
    assert excluded == ["1 API is offered to no plan any more"]
    assert told(workspace, history.undo(workspace)) == ["1 API is offered to plans again"]


def test_consequences_when_apis_are_moved_by_hand_then_pins_and_ends_are_said(
    workspace: Workspace,
) -> None:
    money = tuple(member_rowids(workspace, MONEY))
    name_of = {MONEY: "Money", FOOD: "Food"}.__getitem__
    done = history.do(workspace, Move(rowids=money, to=FOOD))
    assert told(workspace, done) == ["2 APIs move", "“Money” ends", "2 APIs are then pinned there"]
    assert besides(done, name_of=name_of) == " · pinned there · “Money” ends, empty"
    split = Split(toolkit=FOOD, parts=(money,))
    lines = told(workspace, history.preview(workspace, split))
    assert "2 pinned APIs go along" in lines
    assert besides(history.undo(workspace), name_of=name_of) == ""


def test_consequences_when_an_edit_goes_against_links_then_one_is_named_and_all_are_counted(
    workspace: Workspace,
) -> None:
    title = {rowid: api.title for rowid, api in apis_by_rowid(workspace, range(1, 13)).items()}
    history.do(workspace, Link(rowids=(3, 7), link="cannot"))
    history.do(workspace, Link(rowids=(4, 8), link="cannot"))
    history.do(workspace, Link(rowids=(1, 2), link="must"))
    merge = Merge(toolkits=(FOOD, MONEY), into=FOOD)
    joined = f"against the link that keeps “{title[3]}” and “{title[7]}” apart and 1 more"
    assert told(workspace, history.preview(workspace, merge))[-1] == joined
    done = history.do(workspace, merge)
    assert besides(done, name_of=str).endswith(f" · {joined}")
    assert history.undo(workspace).against == ""
    assert history.redo(workspace).against == joined
    part = history.do(workspace, Move(rowids=(2,), to=PARCELS))
    assert part.against == f"against the link that keeps “{title[1]}” and “{title[2]}” together"
    # What is apart already, or comes to no toolkit, breaks nothing more.
    assert history.do(workspace, Move(rowids=(2,), to=FOOD)).against == ""
    assert history.do(workspace, Move(rowids=(3,), to=None)).against == ""


def test_consequences_when_undone_redone_and_jumped_over_then_tell_the_way_back(
    workspace: Workspace,
) -> None:
    done = history.do(workspace, Merge(toolkits=(FOOD, MONEY), into=FOOD))
    there = told(workspace, done)
    back = ["2 APIs move", "“Money” begins"]
    assert told(workspace, history.undo(workspace)) == back
    assert told(workspace, history.redo(workspace)) == there
    assert told(workspace, history.jump(workspace, history.ROOT)) == back
    assert told(workspace, history.read_done(workspace, done.head)) == there
