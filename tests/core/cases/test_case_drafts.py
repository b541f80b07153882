"""A run saved as a case, cases run in a row, and how they stand before and after edits."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplanner_core.cases.case_drafts import draft_case
from toolplanner_core.cases.case_results import read_standing
from toolplanner_core.cases.case_runs import CaseResult, run_cases
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.marks import Exclude, PinToolkits
from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.domain.ids import RunId, ToolkitId
from toolplanner_core.errors import BadInput, Cancelled, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases, remove_case, save_cases
from toolplanner_core.workspace.toolkits import list_toolkits

QUERY = "Convert 26.2 miles to kilometres."


@pytest.fixture
def workspace(demo: Path) -> Iterator[Workspace]:
    """The demo with one case of its own."""
    with Workspace.open(demo) as opened:
        for case in list_cases(opened):
            remove_case(opened, case.id)
        save_cases(opened, [a_case()])
        yield opened


def a_case(**expected: object) -> Case:
    return Case(
        id="miles",
        title="Miles",
        query=QUERY,
        options={"provider": "demo"},
        expected=Expectation(**{"answer_contains": ("42.16",), **expected}),  # type: ignore[arg-type]
    )


def run_all(workspace: Workspace) -> list[CaseResult]:
    found = run_cases(workspace, list_cases(workspace), Progress())
    assert all(isinstance(each, CaseResult) for each in found), found
    return [each for each in found if isinstance(each, CaseResult)]


def test_case_when_one_call_is_too_many_then_told_in_the_singular(workspace: Workspace) -> None:
    save_cases(workspace, [a_case(max_api_calls=0)])
    assert run_all(workspace)[0].why == ("1 API call, at most 0 expected",)


def conversion(workspace: Workspace) -> tuple[ToolkitId, list[int]]:
    """The toolkit that converts units, and the row ids of its APIs."""
    toolkit = next(t for t in list_toolkits(workspace) if t.name == "Unit conversion")
    rows = workspace.reader().execute(
        "SELECT api_rowid FROM toolkit_members WHERE toolkit_id = ?",
        [toolkit.id],
    )
    return toolkit.id, [row[0] for row in rows]


def test_run_when_saved_as_case_then_the_case_is_run_in_the_same_way_and_passes(
    workspace: Workspace,
) -> None:
    first = run_all(workspace)[0].summary
    draft = draft_case(workspace, first.run)
    assert (draft.case.query, draft.case.expected.status) == (QUERY, "solved")
    assert draft.toolkits == ("Unit conversion",)
    assert len(draft.apis) == 1
    assert draft.case.options["provider"] == "demo"
    demanded = dataclasses.replace(draft.case.expected, succeeded_apis=draft.apis)
    save_cases(workspace, [dataclasses.replace(draft.case, expected=demanded)])
    assert draft_case(workspace, first.run).case.id == f"{draft.case.id}-2", "ids are not reused"
    assert [result.why for result in run_all(workspace)] == [(), ()]


def test_run_when_imported_or_not_there_then_it_is_no_case(workspace: Workspace) -> None:
    with pytest.raises(NotFound):
        draft_case(workspace, RunId(77))
    run = run_all(workspace)[0].summary.run
    workspace.writer.run(
        lambda db: db.conn.execute(
            "UPDATE runs SET options = json_set(options, '$.imported', 1) WHERE id = ?", [run]
        )
    )
    with pytest.raises(BadInput, match="cannot be saved"):
        draft_case(workspace, run)


def test_cases_when_an_edit_breaks_one_then_before_and_now_are_told_and_undo_brings_it_back(
    workspace: Workspace,
) -> None:
    assert read_standing(workspace).words == "1 case, none run with the toolkits as they are"
    run_all(workspace)
    assert read_standing(workspace).words == "1 of 1 pass now"
    toolkit, apis = conversion(workspace)
    history.do(workspace, Exclude(rowids=tuple(apis), reason="test"))
    assert read_standing(workspace).cases[0].word == "not run since"
    run_all(workspace)
    standing = read_standing(workspace)
    assert standing.words == "0 of 1 pass now · 1 of 1 before the last edits"
    assert [each.word for each in standing.changed] == ["fails now"]
    assert standing.cases[0].now is not None
    assert "42.16" in " ".join(standing.cases[0].now.why)
    assert len(standing.cases[0].results) == 2
    history.undo(workspace)
    assert read_standing(workspace).cases[0].word == "passes again"
    history.do(workspace, PinToolkits(toolkits=(toolkit,), is_pinned=True))
    assert read_standing(workspace).cases[0].word == "not run since"


def test_case_when_something_else_must_be_true_then_earlier_results_count_no_more(
    workspace: Workspace,
) -> None:
    run_all(workspace)
    save_cases(workspace, [a_case(answer_contains=("miles by ship",))])
    case = read_standing(workspace).cases[0]
    assert (case.word, case.n_former) == ("not run", 1)
    assert "miles by ship" in run_all(workspace)[0].why[0]
    save_cases(workspace, [a_case()])
    assert read_standing(workspace).cases[0].word == "passes", "judged as it is judged again"


def test_cases_when_one_cannot_begin_then_the_others_run(workspace: Workspace) -> None:
    broken = dataclasses.replace(a_case(), id="broken", options={"provider": "nowhere"})
    save_cases(workspace, [broken, dataclasses.replace(a_case(), id="last")])
    found = run_cases(workspace, list_cases(workspace), Progress())
    assert [isinstance(each, CaseResult) for each in found] == [True, False, True]


def test_cases_when_stopped_then_what_ran_is_kept_and_the_stopped_one_has_no_result(
    workspace: Workspace,
) -> None:
    save_cases(workspace, [dataclasses.replace(a_case(), id="second")])
    progress = Progress()
    with pytest.raises(Cancelled):
        run_cases(
            workspace,
            list_cases(workspace),
            progress,
            on_result=lambda _result: progress.cancel(),
        )
    words = {each.case.id: each.word for each in read_standing(workspace).cases}
    assert words == {"miles": "passes", "second": "not run"}
