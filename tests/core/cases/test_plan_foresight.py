"""What an edit would do to the plans of saved queries is what it does when it is made."""

import pytest
from fixtures.saved_plans import outlines, toolkit

from toolplanner_core.cases.plan_foresight import PlanForesight, foresee_plans
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.domain.cases import Case
from toolplanner_core.domain.curated import Changes, Functionality
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases, save_cases
from toolplanner_core.workspace.runs import run_count
from toolplanner_core.workspace.toolkits import list_toolkits, plannable_members
from toolplanner_core.workspace.what_if import WhatIf


def merge(workspace: Workspace) -> Merge:
    one, other = toolkit(workspace, "Unit conversion"), toolkit(workspace, "Currency exchange")
    return Merge(toolkits=(one, other), into=other)


def foreseen(workspace: Workspace, edit: Edit) -> PlanForesight:
    changes = history.preview(workspace, edit).changes
    return foresee_plans(workspace, changes, progress=Progress())


def test_edit_when_foreseen_then_plans_are_those_that_come_when_it_is_made(
    workspace: Workspace,
) -> None:
    before, edit = outlines(workspace), merge(workspace)
    found = foreseen(workspace, edit)
    assert outlines(workspace) == before, "nothing was changed"
    history.do(workspace, edit)
    after = outlines(workspace)
    really = {query for query in after if after[query] != before[query]}
    assert {each.saved.title for each in found.changed} == really != set()
    assert {each.saved.title: each.after for each in found.changed} == {
        query: after[query] for query in really
    }
    assert found.n_planned == len(before)


def test_edit_when_an_api_is_excluded_then_another_one_is_tried_first(
    workspace: Workspace,
) -> None:
    member = plannable_members(workspace, toolkit(workspace, "Unit conversion"))
    query = "Convert 26.2 miles to kilometres."
    first = outlines(workspace)[query]
    found = [foreseen(workspace, Exclude(rowids=(edit,))).changed for edit in member]
    others = [changed for (changed,) in filter(None, found)]
    assert all(changed.before == first != changed.after for changed in others)
    assert all(len(changed.after[0].tried) < len(first[0].tried) for changed in others)
    [new_first] = [changed for changed in others if "→" in changed.words]
    assert new_first.after[0].tried == first[0].tried[1:]
    assert {changed.words[-20:] for changed in others if changed is not new_first} == {
        "with other fallbacks"
    }


def test_foresight_when_nothing_changes_or_nobody_knows_then_says_so(workspace: Workspace) -> None:
    spare = toolkit(workspace, "Helicopters")
    rowids = tuple(plannable_members(workspace, spare)[:1])
    extra = [
        Case(id="acting", title="a", query="How far?", options={"strategy": "react"}),
        Case(id="model", title="b", query="Convert 3 miles.", options={"model": "openai:x"}),
    ]
    save_cases(workspace, extra)
    quiet = foreseen(workspace, Exclude(rowids=rowids))
    assert quiet.lines()[0] == "None of 16 cases would be planned differently"
    assert "plan as they go" in quiet.lines()[1]
    loud = foreseen(workspace, merge(workspace))
    assert any("language model would be offered other toolkits" in each for each in loud.lines())
    with pytest.raises(BadInput, match="embedded"):
        texts = {rowids[0]: Functionality("other", Author.PERSON)}
        foresee_plans(workspace, Changes(texts=texts), progress=Progress())


def test_count_when_queries_are_of_cases_and_of_runs_then_says_how_many_of_each() -> None:
    said = [
        PlanForesight(n_planned=planned, n_same=same, n_of_cases=cases).lines()[0]
        for planned, same, cases in ((16, 1, 16), (16, 0, 16), (1, 0, 0))
    ]
    assert said == [
        "None of 17 saved queries (16 cases, 1 of runs) would be planned differently",
        "None of 16 cases would be planned differently",
        "None of 1 query of runs would be planned differently",
    ]


def test_workspace_when_looked_at_as_it_would_be_then_the_file_is_as_it_was(
    workspace: Workspace,
) -> None:
    edit, n_runs = merge(workspace), run_count(workspace)
    with WhatIf(workspace, history.preview(workspace, edit).changes) as then:
        assert len(list_toolkits(then)) == len(list_toolkits(workspace)) - 1
        assert len(plannable_members(then, edit.into)) == 14
        assert list_cases(then) == list_cases(workspace)
    assert len(plannable_members(workspace, edit.into)) == 8
    assert run_count(workspace) == n_runs
