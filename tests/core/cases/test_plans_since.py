"""What a person's edits changed in the plans of saved queries, and whether that is better."""

from fixtures.saved_plans import outlines, toolkit

from toolplanner_core.cases.case_runs import run_cases
from toolplanner_core.cases.plans_since import PAUSE_US, last_sitting, plans_since
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history_reading import HistoryEntry
from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.domain.ids import EditId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_core.workspace.edit_history import ROOT, read_head
from toolplanner_core.workspace.runs import run_count

MILES = "Convert 26.2 miles to kilometres."


def head(workspace: Workspace) -> EditId:
    return read_head(workspace.reader())


def test_plans_when_toolkits_were_merged_then_both_are_those_of_then_and_now(
    workspace: Workspace,
) -> None:
    then, since = outlines(workspace), head(workspace)
    one, other = toolkit(workspace, "Unit conversion"), toolkit(workspace, "Currency exchange")
    history.do(workspace, Merge(toolkits=(one, other), into=other))
    now = outlines(workspace)
    found = plans_since(workspace, since, progress=Progress())
    queries = [each.saved.spec.query for each in found.changed]
    assert set(queries) == {query for query in now if now[query] != then[query]} != set()
    assert {each.saved.spec.query: (each.before, each.now) for each in found.changed} == {
        query: (then[query], now[query]) for query in queries
    }
    assert {each.better for each in found.changed} == {None}, "no run has answered yet"
    assert found.lines()[0] == f"{len(queries)} of {len(now)} saved queries planned otherwise now"
    history.undo(workspace)
    again = plans_since(workspace, since, progress=Progress())
    assert again.lines() == [f"None of {len(now)} saved queries is planned otherwise"]


def test_plan_when_the_api_that_answered_was_taken_out_then_worse_and_leads_to_its_run(
    workspace: Workspace,
) -> None:
    case = next(case for case in list_cases(workspace) if case.query == MILES)
    run_cases(workspace, [case], Progress())
    [first] = [steps for query, steps in outlines(workspace).items() if query == MILES]
    answered = first[0].tried[0]  # type: ignore[attr-defined]
    since, runs = head(workspace), run_count(workspace)
    history.do(workspace, Exclude(rowids=tuple(rowids_of(workspace, [answered]).values())))
    found = plans_since(workspace, since, progress=Progress())
    [worst] = [each for each in found.changed if each.saved.spec.query == MILES]
    assert found.changed[0] is worst
    assert worst.better == -1
    assert worst.evidence == "What answered: tried first → not in the plan"
    assert worst.run is not None
    assert found.lines()[0].endswith("0 better, 1 worse")
    assert run_count(workspace) == runs, "nothing was called"


def test_plans_when_a_toolkit_was_only_renamed_then_none_is_otherwise(
    workspace: Workspace,
) -> None:
    since = head(workspace)
    history.do(workspace, Rename(toolkit=toolkit(workspace, "Unit conversion"), name="Measures"))
    found = plans_since(workspace, since, progress=Progress())
    assert found.n_renamed > 0
    assert "with other names of toolkits alone" in found.lines()[1]
    assert not found.changed


def entry(number: int, parent: int, hours: float, *, is_head: bool = False) -> HistoryEntry:
    return HistoryEntry(
        id=EditId(number),
        parent=EditId(parent),
        kind="pin",
        label="Pin",
        asked={},
        origin={},
        actor=Author.PERSON,
        who="",
        made_us=int(hours * PAUSE_US / 2),
        is_done=True,
        is_on_line=True,
        is_head=is_head,
        is_reverted=False,
    )


def test_sitting_when_edits_had_a_long_pause_then_begins_after_it() -> None:
    edits = [entry(1, 0, 0), entry(2, 1, 1), entry(3, 2, 5), entry(4, 3, 6.5, is_head=True)]
    assert last_sitting(edits) == EditId(2)
    assert last_sitting(edits[:1]) == ROOT
    assert last_sitting([]) == ROOT
    assert last_sitting([entry(1, 0, 0), entry(2, 1, 1.5, is_head=True)]) == ROOT
