"""Decisions made in another workspace: other toolkits, missing and new APIs, people's decisions."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fixtures.catalogues import add_apis, made_up_apis

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.describe import Describe, Note, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.edits.marks import Exclude, Include, Link, PinApis, PinToolkits
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit, TakeOut
from toolplanner_core.curation.edits.split import Regroup, Split
from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
from toolplanner_core.curation.sharing.decisions.collecting import collect
from toolplanner_core.curation.sharing.decisions.outcome import ApplyReport, DecisionVerdict
from toolplanner_core.domain.curated import LinkKind, Membership
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace import Workspace

A, B, C, D = ToolkitId(1), ToolkitId(2), ToolkitId(3), ToolkitId(4)


def workspace_of(path: Path, groups: Sequence[Sequence[int]], *, apis: int = 24) -> Workspace:
    """A workspace with the first `apis` of 24 APIs in toolkits by rule called "Rule 1", ..."""
    workspace = Workspace.create(path)
    add_apis(workspace, made_up_apis()[:apis])
    members = [(rowid, -n) for n, group in enumerate(groups, start=1) for rowid in group]
    history.do(
        workspace,
        Regroup(
            title="Cluster",
            rowids=tuple(rowid for rowid, _ in members),
            toolkits=tuple(toolkit for _, toolkit in members),
            new_names=tuple(f"Rule {n}" for n in range(1, len(groups) + 1)),
        ),
        actor=Author.RULE,
    )
    return workspace


FOUR = [range(1, 7), range(7, 13), range(13, 19), range(19, 25)]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Workspace]:
    """Where decisions are made: four toolkits of six APIs."""
    with workspace_of(tmp_path / "here.toolplanner", FOUR) as workspace:
        yield workspace


def file_of(workspace: Workspace, *edits: Edit) -> Any:
    """A file of these edits; the clustering before them is not among the decisions."""
    for edit in edits:
        history.do(workspace, edit, who="ann")
    file = collect(workspace, who="ann")
    return type(file)(
        workspace=file.workspace,
        who=file.who,
        made_us=file.made_us,
        start=file.start,
        decisions=file.decisions[1:],
    )


def state(workspace: Workspace) -> CuratedState:
    with workspace.snapshot() as db:
        return CuratedState.read(db)


def verdicts(report: ApplyReport) -> list[DecisionVerdict]:
    return [outcome.verdict for outcome in report.outcomes]


def named(workspace: Workspace) -> dict[str, list[int]]:
    """Members by name."""
    now = state(workspace)
    return {fields.name: list(now.members(t)) for t, fields in now.toolkits.items()}


def test_apply_when_toolkits_have_other_numbers_and_some_other_members_then_found_by_members(
    here: Workspace, tmp_path: Path
) -> None:
    file = file_of(
        here,
        Rename(toolkit=A, name="Weather"),
        Describe(toolkit=A, description="Sun and rain."),
        Note(toolkit=B, note="Check rates."),
        Merge(toolkits=(C, D), into=C),
        TakeOut(rowids=(19,), origins=(D,)),
        Move(rowids=(7,), to=A),
        NewToolkit(rowids=(13, 14), name="Lyrics"),
        Split(toolkit=B, parts=((8, 9),), names=("Rates",)),
        PinToolkits(toolkits=(B,)),
        Exclude(rowids=(10,), reason="Dead"),
        Link(rowids=(1, 2), link="must"),
    )
    groups = [range(19, 25), [*range(7, 12), 18], [*range(13, 18), 12], range(1, 7)]
    with workspace_of(tmp_path / "there.toolplanner", groups) as there:
        report = apply_decisions(there, file, who="bob")
        merge = report.outcomes[3]
        # An API of the merged toolkits is in another one here, and stays there.
        assert merge.verdict is DecisionVerdict.IN_PART
        assert merge.why.startswith("in “Rule 2” here (Music/")
        assert merge.does == ("Merge “Rule 1” into “Rule 3”",)
        others = [one for one in verdicts(report) if one is not DecisionVerdict.APPLIED]
        assert others == [DecisionVerdict.IN_PART]
        now = state(there)
        given = ("Weather", "Lyrics", "Rates")
        assert {name: members for name, members in named(there).items() if name in given} == {
            "Weather": [1, 2, 3, 4, 5, 6, 7],
            "Lyrics": [13, 14],
            "Rates": [8, 9],
        }
        assert sorted(members for name, members in named(there).items() if name not in given) == [
            [10, 11, 18],
            [12, 15, 16, 17, 20, 21, 22, 23, 24],
            [19],
        ]
        assert now.toolkits[D].description == "Sun and rain."
        assert now.toolkits[B].note == "Check rates."
        assert now.toolkits[B].is_pinned
        assert now.toolkit_of[7] == Membership(D, True)
        assert now.excluded == {10: "Dead"}
        assert now.linked == {(1, 2): LinkKind.MUST}
        entry = list_history(there)[-1]
        assert entry.who == "ann"
        assert entry.origin["by"] == "decisions file"
        assert entry.origin["applied_by"] == "bob"
        assert entry.origin["file_of"] == "here"
        again = apply_decisions(there, file, who="bob")
        assert set(verdicts(again)) == {DecisionVerdict.ALREADY}
        history.jump(there, report.point)
        assert named(there).keys() == {"Rule 1", "Rule 2", "Rule 3", "Rule 4"}


def test_apply_when_apis_are_missing_then_in_part_with_their_names_and_new_ones_stay(
    here: Workspace, tmp_path: Path
) -> None:
    file = file_of(
        here,
        Move(rowids=(19, 1), to=B),
        Move(rowids=(20, 21), to=B),
        Exclude(rowids=(22,)),
        Rename(toolkit=D, name="Hotels"),
    )
    with workspace_of(tmp_path / "there.toolplanner", FOUR[:3], apis=18) as there:
        report = apply_decisions(there, file, who="bob")
        assert verdicts(report) == [
            DecisionVerdict.IN_PART,
            DecisionVerdict.CONFLICT,
            DecisionVerdict.CONFLICT,
            DecisionVerdict.CONFLICT,
        ]
        first = report.outcomes[0]
        assert first.why.startswith("not in this catalogue: Travel/Travel")
        assert len(first.missing) == 1
        assert state(there).toolkit_of[1] == Membership(B, True)
        assert "None of the 3 APIs of “Rule 4” is here" in report.outcomes[3].why
        assert report.to_json()["missing_apis"] == 4


def test_apply_when_missing_apis_have_come_since_then_they_follow_once(
    here: Workspace, tmp_path: Path
) -> None:
    file = file_of(
        here,
        NewToolkit(rowids=(1, 19), name="Mixed"),
        Move(rowids=(13, 20), to=B),
        Exclude(rowids=(2, 21), reason="Dead"),
    )
    with workspace_of(tmp_path / "there.toolplanner", FOUR[:3], apis=18) as there:
        first = apply_decisions(there, file, who="bob")
        assert verdicts(first)[0] == DecisionVerdict.IN_PART
        assert named(there)["Mixed"] == [1]
        add_apis(there, made_up_apis())
        second = apply_decisions(there, file, who="bob")
        assert DecisionVerdict.CONFLICT not in verdicts(second)
        assert named(there)["Mixed"] == [1, 19]
        assert state(there).excluded == {2: "Dead", 21: "Dead"}
        before = list_history(there)
        assert set(verdicts(apply_decisions(there, file, who="bob"))) == {DecisionVerdict.ALREADY}
        history.do(there, Move(rowids=(19,), to=A), who="bob")
        assert set(verdicts(apply_decisions(there, file, who="bob"))) == {DecisionVerdict.ALREADY}
        assert len(list_history(there)) == len(before) + 1


@pytest.mark.parametrize(
    ("done_there", "decided", "why"),
    [
        (PinApis(rowids=(1,)), Move(rowids=(1,), to=B), "pinned in “Rule 1” here"),
        (Move(rowids=(1,), to=C), Move(rowids=(1,), to=B), "pinned in “Rule 3” here"),
        (PinToolkits(toolkits=(A,)), Move(rowids=(1,), to=B), "which is pinned here"),
        (PinToolkits(toolkits=(A,)), Rename(toolkit=A, name="X"), "“Rule 1” is pinned here"),
        (PinToolkits(toolkits=(A,)), Merge(toolkits=(A, B), into=B), "“Rule 1” is pinned here"),
        (PinToolkits(toolkits=(A,)), Split(toolkit=A, parts=((1,),)), "is pinned here"),
        (Rename(toolkit=A, name="Mine"), Rename(toolkit=A, name="X"), "called it “Mine” here"),
        (
            Describe(toolkit=A, description="Mine"),
            Describe(toolkit=A, description="X"),
            "a description by a person here",
        ),
        (Note(toolkit=A, note="Mine"), Note(toolkit=A, note="X"), "another note here"),
        (Exclude(rowids=(1,), reason="Mine"), Exclude(rowids=(1,)), "for another reason"),
        (Link(rowids=(1, 2), link="must"), Link(rowids=(1, 2), link="cannot"), "“must” here"),
        (Move(rowids=(1,), to=B), PinApis(rowids=(1,)), "pinned in “Rule 2” here"),
        (PinApis(rowids=(1,)), NewToolkit(rowids=(1,), name="X"), "pinned in “Rule 1” here"),
        (Move(rowids=(1,), to=B), Split(toolkit=A, parts=((1,),)), "not in “Rule 1” here"),
        (
            PinApis(rowids=(1,)),
            Regroup(title="R", rowids=(1,), toolkits=(2,)),
            "pinned in “Rule 1” here",
        ),
        (
            PinToolkits(toolkits=(B,)),
            Regroup(title="R", rowids=(1,), toolkits=(2,)),
            "“Rule 2” is pinned here",
        ),
    ],
)
def test_apply_when_a_person_decided_otherwise_here_then_a_conflict_and_nothing_is_changed(
    here: Workspace, tmp_path: Path, done_there: Edit, decided: Edit, why: str
) -> None:
    file = file_of(here, decided)
    with workspace_of(tmp_path / "there.toolplanner", FOUR) as there:
        history.do(there, done_there, who="bob")
        before = state(there)
        for _ in range(2):
            report = apply_decisions(there, file, who="bob")
            assert verdicts(report) == [DecisionVerdict.CONFLICT]
            assert why in report.outcomes[0].why
            assert state(there) == before


def test_apply_when_only_some_are_pinned_elsewhere_then_the_others_are_moved(
    here: Workspace, tmp_path: Path
) -> None:
    file = file_of(here, Move(rowids=(1, 2, 3), to=B))
    with workspace_of(tmp_path / "there.toolplanner", FOUR) as there:
        history.do(there, Move(rowids=(2,), to=C))
        report = apply_decisions(there, file, who="bob")
        assert verdicts(report) == [DecisionVerdict.IN_PART]
        assert [*report.outcomes[0].against.values()] == [(made_up_apis()[1].id,)]
        assert named(there)["Rule 2"] == [1, 3, *range(7, 13)]


def test_apply_when_the_file_itself_pinned_then_later_decisions_may_move_it(
    here: Workspace, tmp_path: Path
) -> None:
    file = file_of(
        here,
        Move(rowids=(1,), to=B),
        Move(rowids=(1,), to=C),
        PinToolkits(toolkits=(C,)),
        Rename(toolkit=C, name="Songs"),
        Move(rowids=(1,), to=D),
        Exclude(rowids=(1,)),
        Include(rowids=(1,)),
    )
    with workspace_of(tmp_path / "there.toolplanner", FOUR) as there:
        report = apply_decisions(there, file, who="bob")
        assert set(verdicts(report)) == {DecisionVerdict.APPLIED}
        assert state(there).toolkit_of[1] == Membership(D, True)
        assert state(there).excluded == {}


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ([[12], [*range(1, 4), 7], [*range(4, 7), 8]], "are equally like “Rule 1”"),
        ([[n, *range(4 + 3 * n, 7 + 3 * n)] for n in range(1, 7)], "No toolkit here is like"),
        ([range(7, 13)], "belong to no toolkit here"),
    ],
)
def test_apply_when_no_toolkit_is_like_it_then_a_conflict_says_so(
    here: Workspace, tmp_path: Path, groups: list[Sequence[int]], why: str
) -> None:
    file = file_of(here, Rename(toolkit=A, name="Weather"))
    with workspace_of(tmp_path / "there.toolplanner", groups) as there:
        report = apply_decisions(there, file, who="bob")
        assert verdicts(report) == [DecisionVerdict.CONFLICT]
        assert why in report.outcomes[0].why


def test_apply_when_two_toolkits_are_one_here_then_their_merge_is_so_already(
    here: Workspace, tmp_path: Path
) -> None:
    file = file_of(here, Merge(toolkits=(A, B), into=A), TakeOut(rowids=(7,), origins=(B,)))
    with workspace_of(tmp_path / "there.toolplanner", [range(1, 13)]) as there:
        report = apply_decisions(there, file, who="bob")
        assert verdicts(report) == [DecisionVerdict.ALREADY, DecisionVerdict.CONFLICT]
        assert "are one here" in report.outcomes[1].why


def test_apply_when_what_was_split_is_apart_here_then_it_is_so_already(
    here: Workspace, tmp_path: Path
) -> None:
    file = file_of(here, Split(toolkit=A, parts=((1, 2),), names=("X",)))
    with workspace_of(tmp_path / "there.toolplanner", [[1, 2], range(3, 7)]) as there:
        assert verdicts(apply_decisions(there, file, who="bob")) == [DecisionVerdict.ALREADY]


def test_apply_when_pinned_there_and_elsewhere_here_by_rule_then_it_is_moved_and_pinned(
    here: Workspace, tmp_path: Path
) -> None:
    file = file_of(here, PinApis(rowids=(1, 2)))
    groups = [[1, *range(3, 7)], [2, *range(7, 13)]]
    with workspace_of(tmp_path / "there.toolplanner", groups) as there:
        report = apply_decisions(there, file, who="bob")
        assert verdicts(report) == [DecisionVerdict.APPLIED]
        assert len(report.outcomes[0].edits) == 2
        assert state(there).toolkit_of[2] == Membership(A, True)
        assert verdicts(apply_decisions(there, file, who="bob")) == [DecisionVerdict.ALREADY]
        kept = collect(there, who="bob")
        assert [one.key for one in kept.decisions[1:]] == [
            file.decisions[0].key,
            f"{file.decisions[0].key}/2",
        ]
