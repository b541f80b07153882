"""Labels, stars, notes and deleted runs; the calls of many runs; which runs used an API."""

import asyncio
import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplanner_core.curation.looking.catalogue_report import catalogue_report, read_figures
from toolplanner_core.domain.observation import BY_PERSON, EXAMPLE_MODEL, HEALTH_CHECK
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.errors import NotFound
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.runs.log.stored_runs import get_summary, list_runs
from toolplanner_core.runs.searching.query import parse_run_query
from toolplanner_core.runs.searching.search import search_runs
from toolplanner_core.runs.searching.usage import uses_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import (
    OF_ABSENT,
    OF_COPY,
    OK,
    call_figures,
    read_attempts,
)
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.runs import bring_back_runs, delete_runs, put_mark, read_mark
from toolplanner_core.workspace.step_outcomes import step_outcomes

MILES = RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo")
FAILING = dataclasses.replace(MILES, faults=("500:all,next=1",))


@pytest.fixture
def workspace(demo: Path) -> Iterator[Workspace]:
    """The demo with two runs: one without failures, and one whose first call is made to fail."""
    with Workspace.open(demo) as opened:
        for spec in (MILES, FAILING):
            asyncio.run(run(opened, spec))
        yield opened


def found(workspace: Workspace, text: str) -> list[int]:
    words, filters = parse_run_query(text)
    return [hit.summary.run for hit in search_runs(workspace, words, filters)]


def test_run_when_labelled_and_starred_then_found_by_it_and_said_in_the_list(
    workspace: Workspace,
) -> None:
    newest, older = (summary.run for summary in list_runs(workspace))
    mark = dataclasses.replace(read_mark(workspace, older), label="  to  ask Ada ", note="Why?")
    put_mark(workspace, mark)
    put_mark(workspace, dataclasses.replace(read_mark(workspace, newest), is_starred=True))
    assert get_summary(workspace, older).label == "to ask Ada"
    assert [s.is_starred for s in list_runs(workspace)] == [True, False]
    assert found(workspace, 'label:"To Ask Ada"') == [older]
    assert found(workspace, "label:to") == [], "a label is meant whole"
    assert found(workspace, "is:starred miles") == [newest]
    assert get_summary(workspace, older).note == "Why?"


def test_run_when_a_copy_of_it_is_imported_then_its_calls_count_once(
    workspace: Workspace, tmp_path: Path
) -> None:
    runs = sorted(summary.run for summary in list_runs(workspace))
    figures, outcomes = call_figures(workspace), step_outcomes(workspace)
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(export_jsonl(workspace, runs)), encoding="utf-8")
    copies = [*import_runs(workspace, file).runs, *import_runs(workspace, file).runs]
    assert (call_figures(workspace), step_outcomes(workspace)) == (figures, outcomes)
    said = {row.uncounted for row in read_attempts(workspace, runs=copies)}
    assert said == {OF_COPY}
    delete_runs(workspace, runs)
    assert call_figures(workspace) == figures, "the first copy is all that is left of them"


def test_reply_when_what_was_asked_for_is_not_there_then_no_ill_health_but_in_a_check(
    demo: Path,
) -> None:
    with Workspace.open(demo) as workspace:
        asyncio.run(run(workspace, RunSpec(query="What is the weather in Atlantis?")))
        absent = {row.api for row in read_attempts(workspace) if row.uncounted == OF_ABSENT}
        assert absent
        figures = call_figures(workspace)
        errors = {each.last_error for each in figures.values()}
        assert "empty result" not in errors
        apis = apis_by_rowid(workspace, [*figures])
        of_absent = [each for rowid, each in figures.items() if apis[rowid].id in absent]
        assert {each.health for each in of_absent} == {None}
        told = sum(each.n_absent for each in of_absent)
        n_absent = sum(row.uncounted == OF_ABSENT for row in read_attempts(workspace))
        assert told == n_absent, "all are told of their API, and so of its toolkit"
        workspace.writer.run(lambda db: db.execute("UPDATE runs SET strategy = ?", [HEALTH_CHECK]))
        checked = call_figures(workspace)
        apis = apis_by_rowid(workspace, [*checked])
        assert absent <= {apis[rowid].id for rowid, each in checked.items() if each.n}
        assert not [row for row in read_attempts(workspace) if row.uncounted == OF_ABSENT]


def test_run_when_imported_from_elsewhere_then_its_calls_count(
    workspace: Workspace, demo_file: Path, tmp_path: Path
) -> None:
    file = tmp_path / "runs.jsonl"
    runs = [summary.run for summary in list_runs(workspace)]
    file.write_text("".join(export_jsonl(workspace, runs)), encoding="utf-8")
    other = Path(shutil.copy(demo_file, tmp_path / "other.toolplanner"))
    with Workspace.open(other) as there:
        import_runs(there, file)
        assert call_figures(there).keys() == call_figures(workspace).keys()


def test_run_when_deleted_then_out_of_lists_search_and_health_until_brought_back(
    workspace: Workspace,
) -> None:
    runs = [summary.run for summary in list_runs(workspace)]
    put_mark(workspace, dataclasses.replace(read_mark(workspace, runs[0]), label="kept"))
    n_calls = sum(each.n for each in call_figures(workspace).values())
    delete_runs(workspace, runs)
    assert list_runs(workspace) == []
    assert found(workspace, "miles") == []
    assert read_attempts(workspace) == []
    assert call_figures(workspace) == {}
    assert n_calls > 0
    assert bring_back_runs(workspace, [runs[0]]) == [runs[0]]
    assert [s.label for s in list_runs(workspace)] == ["kept"], "what was said of it is back, too"
    assert bring_back_runs(workspace) == [runs[1]]
    with pytest.raises(NotFound):
        bring_back_runs(workspace, [runs[1]])


def test_attempts_when_read_then_each_call_says_toolkit_outcome_and_time(
    workspace: Workspace,
) -> None:
    newest, older = (summary.run for summary in list_runs(workspace))
    rows = read_attempts(workspace)
    assert [row.run for row in rows] == sorted((row.run for row in rows), reverse=True)
    failed, mended = [row for row in rows if row.run == newest][::-1]
    assert failed.outcome == "server_error"
    assert (mended.outcome, mended.toolkit) == (OK, "Unit conversion")
    assert failed.toolkit == "Unit conversion"
    assert failed.path != mended.path
    assert [row.outcome for row in read_attempts(workspace, runs=[older])] == [OK]


def test_report_and_table_when_they_count_calls_then_the_same_are_told(
    workspace: Workspace,
) -> None:
    rows = read_attempts(workspace)
    counting = [row for row in rows if not row.uncounted]
    assert sum(each.n for each in call_figures(workspace).values()) == len(counting)
    assert [row.uncounted for row in rows if row.uncounted] == ["made to fail"]
    text = catalogue_report(read_figures(workspace), name="x")
    assert f"{len(counting)} of {len(counting)} calls brought a usable reply" in text
    assert "also lists 1 other that does not count: 1 made to fail." in text
    workspace.writer.run(lambda db: db.execute("UPDATE runs SET model = ?", [EXAMPLE_MODEL]))
    assert {row.uncounted for row in read_attempts(workspace)} == {"of example runs"}
    assert call_figures(workspace) == {}
    assert f"No call counts yet: {len(rows)} of example runs." in catalogue_report(
        read_figures(workspace), name="x"
    )


def test_reply_when_a_person_replaced_it_then_health_and_table_still_count_the_api_itself(
    demo: Path,
) -> None:
    fails = dataclasses.replace(MILES, query="What is the cheapest petrol near Springfield?")
    debugger = Debugger(
        [parse_breakpoint("kind=call,at=after_call")],
        on_change=lambda: (
            debugger.resume(decision=StopDecision(choice=Choice.ANSWER, value={"price": 1.23}))
            if debugger.held
            else None
        ),
    )
    with Workspace.open(demo) as workspace:
        asyncio.run(run(workspace, fails, debugger=debugger))
        rows = read_attempts(workspace)
        assert {row.origin for row in rows} == {BY_PERSON}
        counting = sum(not row.uncounted for row in rows)
        assert sum(each.n for each in call_figures(workspace).values()) == counting > 0


def test_api_when_asked_then_says_which_runs_used_it_and_how_that_went(
    workspace: Workspace,
) -> None:
    newest, older = (summary.run for summary in list_runs(workspace))
    (first,) = read_attempts(workspace, runs=[older])
    uses = uses_of(workspace, [first.api])
    assert [(use.summary.run, use.n_calls, use.n_failed) for use in uses] == [
        (newest, 1, 1),
        (older, 1, 0),
    ]
    assert uses[0].words == "1 of 1 call failed: server error, by a fault"
    assert uses[0].path == read_attempts(workspace, runs=[newest])[-1].path
    everything = {row.api for row in read_attempts(workspace)}
    assert uses_of(workspace, everything)[0].words.startswith("1 of 2 calls failed")
    assert uses_of(workspace, ["nobody"]) == []  # type: ignore[list-item]
