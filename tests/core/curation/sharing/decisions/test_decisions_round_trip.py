"""Random edits, written to a file and made again on a copy of the start: the same toolkits."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixtures.curated import (
    FOOD,
    MONEY,
    PARCELS,
    WEATHER,
    curated_workspace,
    edits,
    state_of,
)
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.edits.marks import Exclude, Link, PinApis
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.curation.edits.split import Regroup
from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
from toolplanner_core.curation.sharing.decisions.collecting import collect
from toolplanner_core.curation.sharing.decisions.file import read_decisions, write_decisions
from toolplanner_core.curation.sharing.decisions.outcome import DecisionVerdict
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT
from toolplanner_core.workspace.toolkits import list_toolkits

_TIMES = 2_000 if os.environ.get("TOOLPLANNER_BENCH") else 25


def edit_at_random(workspace: Workspace, data: st.DataObject, most: int = 12) -> None:
    """Edits, undo, redo, jumps and reverts."""
    for _ in range(data.draw(st.integers(1, most))):
        action = data.draw(st.sampled_from(["edit"] * 6 + ["undo", "redo", "jump", "revert"]))
        entries = list_history(workspace)
        done = [entry.id for entry in entries if entry.is_done]
        try:
            match action:
                case "edit":
                    history.do(workspace, data.draw(edits(state_of(workspace))), who="ann")
                case "undo":
                    history.undo(workspace)
                case "redo":
                    history.redo(workspace)
                case "jump":
                    to = data.draw(st.sampled_from([ROOT, *(entry.id for entry in entries)]))
                    history.jump(workspace, to)
                case _:
                    if done:
                        history.revert(workspace, data.draw(st.sampled_from(done)))
        except BadInput:
            continue


def without_numbers(state: CuratedState) -> Any:
    """What a state says, whatever the numbers of its toolkits are."""
    toolkits = sorted(
        (
            fields.name,
            fields.description,
            fields.note,
            fields.name_author,
            fields.is_pinned,
            tuple(state.members(toolkit).items()),
        )
        for toolkit, fields in state.toolkits.items()
        if state.members(toolkit)
    )
    return toolkits, state.excluded, state.linked


@settings(max_examples=_TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_decisions_when_made_on_a_copy_of_the_start_then_the_same_state_and_never_twice(
    data: st.DataObject,
) -> None:
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
        curated_workspace(Path(one)) as ours,
        curated_workspace(Path(two)) as copy,
    ):
        edit_at_random(ours, data)
        place = Path(one) / "decisions.jsonl"
        written = collect(ours, who="ann")
        write_decisions(written, place)
        file = read_decisions(place)
        assert file == written

        foreseen = apply_decisions(copy, file, who="bob", dry_run=True)
        assert list_history(copy) == []
        report = apply_decisions(copy, file, who="bob")
        assert [o.verdict for o in foreseen.outcomes] == [o.verdict for o in report.outcomes]
        fine = {DecisionVerdict.APPLIED, DecisionVerdict.ALREADY}
        assert {outcome.verdict for outcome in report.outcomes} <= fine
        assert without_numbers(state_of(copy)) == without_numbers(state_of(ours))

        before = list_history(copy)
        again = apply_decisions(copy, file, who="bob")
        assert {outcome.verdict for outcome in again.outcomes} <= {DecisionVerdict.ALREADY}
        assert list_history(copy) == before
        at_home = apply_decisions(ours, file, who="ann")
        assert {outcome.verdict for outcome in at_home.outcomes} <= {DecisionVerdict.ALREADY}
        # What was passed on keeps its keys, so that it can come back.
        assert [decision.key for decision in collect(copy, who="bob").decisions] == [
            outcome.decision.key
            for outcome in report.outcomes
            if outcome.verdict is DecisionVerdict.APPLIED
        ]


@pytest.mark.parametrize(
    ("reverted", "later"),
    [
        (Exclude(rowids=(1,), reason="Dead"), Exclude(rowids=(1, 2), reason="Dead")),
        (PinApis(rowids=(1,)), PinApis(rowids=(1, 2))),
        (Move(rowids=(1,), to=FOOD), Merge(toolkits=(WEATHER,), into=MONEY, left_out=(2,))),
        (Move(rowids=(5,), to=None), Move(rowids=(5, 6), to=None)),
        (Rename(toolkit=FOOD, name="X"), Merge(toolkits=(MONEY,), into=FOOD, name="X")),
        (Link(rowids=(1, 2), link="cannot"), Link(rowids=(1, 2, 3), link="cannot")),
        (
            Regroup(title="R", rowids=(1,), toolkits=(FOOD,)),
            Regroup(title="R", rowids=(1, 2), toolkits=(FOOD, MONEY)),
        ),
    ],
)
def test_decisions_when_an_edit_was_reverted_that_a_later_one_repeated_then_it_stays_reverted(
    tmp_path: Path, reverted: Edit, later: Edit
) -> None:
    (tmp_path / "copy").mkdir()
    with curated_workspace(tmp_path) as ours, curated_workspace(tmp_path / "copy") as copy:
        history.do(ours, Move(rowids=(9,), to=PARCELS))
        first = history.do(ours, reverted)
        history.do(ours, later)
        history.revert(ours, first.head)
        report = apply_decisions(copy, collect(ours, who="ann"), who="bob")
        assert {outcome.verdict for outcome in report.outcomes} == {DecisionVerdict.APPLIED}
        assert without_numbers(state_of(copy)) == without_numbers(state_of(ours))


def test_decisions_when_a_person_named_what_was_proposed_then_the_file_keeps_the_author(
    tmp_path: Path,
) -> None:
    (tmp_path / "copy").mkdir()
    place = tmp_path / "all.decisions"
    with curated_workspace(tmp_path) as ours, curated_workspace(tmp_path / "copy") as copy:
        names = ("By a rule", "By a person")
        history.do(
            ours,
            Regroup(
                title="Accept", rowids=(1, 2), toolkits=(-1, -2), new_names=names,
                new_by_person=(False, True),
            ),
        )  # fmt: skip
        write_decisions(collect(ours, who="ann"), place)
        apply_decisions(copy, read_decisions(place), who="bob")
        authors = {t.name: t.name_author.value for t in list_toolkits(copy)}
        assert [authors[name] for name in names] == ["rule", "person"]
        assert without_numbers(state_of(copy)) == without_numbers(state_of(ours))
