"""Two people's decisions joined: what only one changed, what both changed, how it is settled."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.core.curation.sharing.decisions.test_decisions_round_trip import (
    edit_at_random,
    without_numbers,
)
from tests.fixtures.curated import FOOD, MONEY, PARCELS, WEATHER, curated_workspace, state_of
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Describe, Note, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.marks import Exclude, Link, PinApis, PinToolkits
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
from toolplanner_core.curation.sharing.decisions.collecting import collect
from toolplanner_core.curation.sharing.decisions.file import (
    DecisionsFile,
    read_decisions,
    write_decisions,
)
from toolplanner_core.curation.sharing.decisions.merging import MergedDecisions, merge_decisions
from toolplanner_core.curation.sharing.decisions.outcome import DecisionVerdict
from toolplanner_core.curation.sharing.decisions.rand_index import measure_agreement
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace

_TIMES = 1_000 if os.environ.get("TOOLPLANNER_BENCH") else 15


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Workspace]:
    """Where both began; one edit was made before."""
    with curated_workspace(tmp_path) as workspace:
        history.do(workspace, Rename(toolkit=WEATHER, name="Sky"), who="both")
        yield workspace


def copy_of(base: Workspace, folder: Path) -> Workspace:
    """The same workspace in another file."""
    path = folder / "copy.toolplanner"
    with sqlite3.connect(path) as target:
        base.reader().conn.backup(target)
    target.close()
    return Workspace.open(path)


def file_of(base: Workspace, who: str, *edits: Edit) -> DecisionsFile:
    """A copy of `base` edited by somebody, as a file."""
    with tempfile.TemporaryDirectory() as folder, copy_of(base, Path(folder)) as workspace:
        for edit in edits:
            history.do(workspace, edit, who=who)
        return collect(workspace, who=who)


def made(base: Workspace, file: DecisionsFile) -> Any:
    """The state that a file leads to from the start, whatever the numbers of toolkits are."""
    with tempfile.TemporaryDirectory() as folder, copy_of(base, Path(folder)) as workspace:
        report = apply_decisions(workspace, file, who="carl")
        verdicts = {outcome.verdict for outcome in report.outcomes}
        assert verdicts <= {DecisionVerdict.APPLIED, DecisionVerdict.ALREADY}, report.to_json()
        return without_numbers(state_of(workspace))


def members(base: Workspace, file: DecisionsFile) -> dict[str, list[int]]:
    return {toolkit[0]: [rowid for rowid, _ in toolkit[-1]] for toolkit in made(base, file)[0]}


def conflicts(merged: MergedDecisions) -> list[tuple[str, str, str]]:
    return [
        (one.difference.kind, one.difference.ours, one.difference.theirs)
        for one in merged.conflicts
    ]


def test_merge_when_each_changed_other_things_then_both_are_taken(base: Workspace) -> None:
    ours = file_of(
        base,
        "ann",
        Merge(toolkits=(MONEY, FOOD), into=MONEY),
        Rename(toolkit=WEATHER, name="Weather today"),
        Exclude(rowids=(5,), reason="Dead"),
        Link(rowids=(1, 2), link="must"),
    )
    theirs = file_of(
        base,
        "bob",
        Split(toolkit=WEATHER, parts=((12,),), names=("China",)),
        Note(toolkit=PARCELS, note="Check."),
        PinApis(rowids=(6,)),
        Move(rowids=(9,), to=PARCELS),
        NewToolkit(rowids=(10, 11), name="Time"),
    )
    merged = merge_decisions(base, ours, theirs)
    assert merged.conflicts == ()
    assert merged.left_out == ()
    assert merged.file.who == "ann and bob"
    assert members(base, merged.file) == {
        "China": [12],
        "Money": [3, 4, 7, 8],
        "Parcels": [5, 6, 9],
        "Time": [10, 11],
        "Weather today": [1, 2],
    }
    toolkits, excluded, linked = made(base, merged.file)
    assert {toolkit[0]: toolkit[2] for toolkit in toolkits}["Parcels"] == "Check."
    assert excluded == {5: "Dead"}
    assert list(linked) == [(1, 2)]
    assert made(base, merge_decisions(base, theirs, ours).file) == made(base, merged.file)
    kinds = [decision.kind for decision in merged.file.decisions]
    assert {"merge", "split"} <= set(kinds), "members that are new elsewhere follow them"
    assert merge_decisions(base, ours, theirs) == merged


def test_merge_when_both_decided_differently_then_each_conflict_says_who_and_can_be_settled(
    base: Workspace,
) -> None:
    ours = file_of(
        base,
        "ann",
        Move(rowids=(9, 10), to=MONEY),
        Rename(toolkit=FOOD, name="Dishes"),
        Describe(toolkit=FOOD, description="To eat."),
        Exclude(rowids=(1,), reason="Old"),
        Link(rowids=(3, 4), link="must"),
    )
    theirs = file_of(
        base,
        "bob",
        Move(rowids=(9, 10), to=FOOD),
        Rename(toolkit=FOOD, name="Meals"),
        Describe(toolkit=FOOD, description="Meals."),
        Exclude(rowids=(1,), reason="Slow"),
        Link(rowids=(3, 4), link="cannot"),
        PinToolkits(toolkits=(FOOD,)),
    )
    merged = merge_decisions(base, ours, theirs)
    assert conflicts(merged) == [
        ("membership", "“Money”, pinned", "“Meals”, pinned"),
        ("name", "Dishes", "Meals"),
        ("description", "To eat.", "Meals."),
        ("exclusion", "excluded: Old", "excluded: Slow"),
        ("link", "must", "cannot"),
    ]
    assert merged.unsettled == 5
    first = merged.conflicts[0]
    assert len(first.apis) == 2
    assert first.our_decision is not None
    assert first.their_decision is not None
    assert (first.our_decision.who, first.their_decision.who) == ("ann", "bob")
    assert first.our_decision.made_us > 0
    # Unsettled: as it was; what is no conflict is taken.
    toolkits, excluded, linked = made(base, merged.file)
    assert [toolkit[0] for toolkit in toolkits] == ["Food", "Money", "Parcels", "Sky"]
    assert (excluded, linked) == ({}, {})
    assert {toolkit[0]: toolkit[4] for toolkit in toolkits}["Food"]

    mine = merge_decisions(base, ours, theirs, settle="ours")
    assert mine.unsettled == 0
    assert members(base, mine.file)["Money"] == [3, 4, 9, 10]
    yours = merge_decisions(base, ours, theirs, settle="theirs")
    assert made(base, yours.file) == made(base, theirs)
    mixed = merge_decisions(base, ours, theirs, settle="theirs", chosen={1: "ours", 4: "ours"})
    assert members(base, mixed.file)["Money"] == [3, 4, 9, 10]
    assert made(base, mixed.file)[1] == {1: "Old"}
    assert "Meals" in members(base, mixed.file)
    with pytest.raises(BadInput, match="There is no conflict 6"):
        merge_decisions(base, ours, theirs, chosen={6: "ours"})


def test_merge_when_one_put_an_api_into_a_toolkit_that_the_other_ended_then_a_conflict(
    base: Workspace,
) -> None:
    ours = file_of(base, "ann", Merge(toolkits=(FOOD,), into=MONEY))
    theirs = file_of(base, "bob", Move(rowids=(9,), to=FOOD), Rename(toolkit=FOOD, name="Meals"))
    merged = merge_decisions(base, ours, theirs)
    assert conflicts(merged) == [("membership", "“Money”, pinned", "“Meals”, pinned")]
    assert merged.left_out == ("“Food” was ended by ours: its new name by theirs was left out",)
    mine = merge_decisions(base, ours, theirs, settle="ours")
    assert members(base, mine.file)["Money"] == [3, 4, 7, 8, 9]
    yours = merge_decisions(base, ours, theirs, settle="theirs")
    assert members(base, yours.file)["Meals"] == [9]
    assert members(base, yours.file)["Money"] == [3, 4, 7, 8]


def test_merge_when_both_made_nearly_the_same_new_toolkit_then_it_is_one(base: Workspace) -> None:
    ours = file_of(base, "ann", NewToolkit(rowids=(9, 10, 11), name="Time"))
    theirs = file_of(base, "bob", NewToolkit(rowids=(9, 10), name="Clocks"))
    merged = merge_decisions(base, ours, theirs)
    assert conflicts(merged) == [("name", "Time", "Clocks")]
    assert members(base, merged.file)["Time"] == [9, 10, 11]
    settled = merge_decisions(base, ours, theirs, settle="theirs")
    assert members(base, settled.file)["Clocks"] == [9, 10, 11]


def test_merge_when_both_have_the_same_decisions_then_that_is_the_result(base: Workspace) -> None:
    ours = file_of(base, "ann", Rename(toolkit=FOOD, name="Dishes"), Move(rowids=(9,), to=FOOD))
    merged = merge_decisions(base, ours, ours)
    assert merged.file.decisions == ours.decisions
    assert merged.agreement.adjusted_rand == 1
    nothing = file_of(base, "bob")
    assert made(base, merge_decisions(base, ours, nothing).file) == made(base, ours)
    assert made(base, merge_decisions(base, nothing, ours).file) == made(base, ours)


def test_merge_when_a_file_began_elsewhere_then_says_which(base: Workspace) -> None:
    file = file_of(base, "ann", Rename(toolkit=FOOD, name="Dishes"))
    other = replace(file, start="0" * 16, workspace="elsewhere")
    with pytest.raises(BadInput, match="“elsewhere” did not begin from this workspace"):
        merge_decisions(base, file, other)


def test_agreement_when_groupings_are_equal_opposite_or_small_then_as_by_hand() -> None:
    equal = measure_agreement([1, 1, 2, 2], [7, 7, 8, 8])
    assert (equal.apis, equal.same_pairs, equal.adjusted_rand) == (4, 1, 1)
    crossed = measure_agreement([1, 1, 2, 2], [1, 2, 1, 2])
    assert crossed.same_pairs == pytest.approx(2 / 6)
    assert crossed.adjusted_rand == pytest.approx(-0.5)
    for few in ([], [1]):
        assert measure_agreement(few, few).adjusted_rand == 1
    assert measure_agreement([1, 2, 3], [1, 2, 3]).adjusted_rand == 1


@settings(max_examples=_TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_merge_when_random_then_one_side_alone_is_itself_and_the_order_of_sides_does_not_matter(
    data: st.DataObject,
) -> None:
    with (
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
        curated_workspace(Path(home)) as base,
        curated_workspace(Path(one)) as anns,
        curated_workspace(Path(two)) as bobs,
    ):
        edit_at_random(anns, data, most=6)
        edit_at_random(bobs, data, most=6)
        ours, theirs = collect(anns, who="ann"), collect(bobs, who="bob")
        alone = merge_decisions(base, ours, collect(base, who="bob"))
        assert alone.conflicts == ()
        assert made(base, alone.file) == without_numbers(state_of(anns))

        merged = merge_decisions(base, ours, theirs)
        settled = merge_decisions(base, ours, theirs, settle="ours")
        assert len(merged.conflicts) == len(settled.conflicts) == merged.unsettled
        place = Path(home) / "merged.jsonl"
        write_decisions(settled.file, place)
        assert read_decisions(place) == settled.file
        made(base, merged.file)
        turned = merge_decisions(base, theirs, ours, settle="theirs")
        assert made(base, settled.file) == made(base, turned.file)
