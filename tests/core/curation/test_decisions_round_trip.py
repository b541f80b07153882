"""Random edits, written to a file and made again on a copy of the start: the same toolkits."""

import os
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixtures.curated import curated_workspace, edits, state_of
from toolplanner_core.curation import history
from toolplanner_core.curation.curated_state import CuratedState
from toolplanner_core.curation.decisions.applying import apply_decisions
from toolplanner_core.curation.decisions.collecting import collect
from toolplanner_core.curation.decisions.file import read_decisions, write_decisions
from toolplanner_core.curation.decisions.outcome import Verdict
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT

_TIMES = 2_000 if os.environ.get("TOOLPLANNER_BENCH") else 25


def edit_at_random(workspace: Workspace, data: st.DataObject, most: int = 12) -> None:
    """Edits, undo, redo, jumps and reverts."""
    for _ in range(data.draw(st.integers(1, most))):
        action = data.draw(st.sampled_from(["edit"] * 6 + ["undo", "redo", "jump", "revert"]))
        entries = history.list_history(workspace)
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
                case _ if done:
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
        assert history.list_history(copy) == []
        report = apply_decisions(copy, file, who="bob")
        assert [o.verdict for o in foreseen.outcomes] == [o.verdict for o in report.outcomes]
        fine = {Verdict.APPLIED, Verdict.ALREADY}
        assert {outcome.verdict for outcome in report.outcomes} <= fine
        assert without_numbers(state_of(copy)) == without_numbers(state_of(ours))

        before = history.list_history(copy)
        again = apply_decisions(copy, file, who="bob")
        assert {outcome.verdict for outcome in again.outcomes} <= {Verdict.ALREADY}
        assert history.list_history(copy) == before
        at_home = apply_decisions(ours, file, who="ann")
        assert {outcome.verdict for outcome in at_home.outcomes} <= {Verdict.ALREADY}
        # What was passed on keeps its keys, so that it can come back.
        assert [decision.key for decision in collect(copy, who="bob").decisions] == [
            outcome.decision.key
            for outcome in report.outcomes
            if outcome.verdict is Verdict.APPLIED
        ]
