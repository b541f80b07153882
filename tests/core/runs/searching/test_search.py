"""Search in all runs: words, fields, and an index that follows the runs."""

from pathlib import Path

import pytest
from fixtures.command_line import toolplanner
from fixtures.recorded_runs import NAMES, record_run, stored_event, stored_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.events.call import CallFailed, CallSent
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.searching.search import RunFilters, index_stale_runs, search_runs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import append_events
from toolplanner_core.workspace.run_search import stale_runs
from toolplanner_core.workspace.runs import add_runs


def found(workspace: Workspace, text: str = "", **fields: object) -> list[RunId]:
    return [hit.summary.run for hit in search_runs(workspace, text, RunFilters(**fields))]  # type: ignore[arg-type]


def test_search_when_a_run_has_ended_then_it_is_in_the_index_already(workspace: Workspace) -> None:
    record_run(workspace, query="the weather in Zagreb")
    assert stale_runs(workspace) == []


def test_search_when_words_stand_anywhere_in_a_run_then_finds_it(workspace: Workspace) -> None:
    run = record_run(
        workspace,
        plans=[[("learn the temperature", 1, [])]],
        query="How warm is it in Zürich",
        failing=["kit1_0"],
        arguments={"q": "Limmatquai"},
        replies={"kit1_1": {"sky": "cloudless", "text": "x" * 5000}},
    )
    other = record_run(workspace, query="Which currency does Japan use")
    for words in (
        "zurich", "warm zür", "temperature", "limmatquai", "cloudless", "kit1_1", "server error",
        '"how warm"', "ZÜRICH cloudless", "Kit 1",
    ):  # fmt: skip
        assert run in found(workspace, words), words
    assert found(workspace, "zurich") == [run]
    assert found(workspace, "currencies") == [other]
    assert found(workspace, "zurich currency") == []
    assert found(workspace, '"warm how"') == []
    snippet = search_runs(workspace, "cloudless")[0].snippet
    assert "cloudless" in snippet
    assert "\n" not in snippet


def test_search_when_fields_are_given_then_all_must_hold(workspace: Workspace) -> None:
    plain = record_run(workspace, query="one")
    fell_back = record_run(workspace, query="two", failing=["kit1_0"])
    replanned = record_run(
        workspace, query="three", failing=NAMES[:3],
        plans=[[("a", 1, [])], [("a", 2, [])]],
    )  # fmt: skip
    assert found(workspace) == [replanned, fell_back, plain]
    assert found(workspace, min_fallbacks=1) == [replanned, fell_back]
    assert found(workspace, min_replans=1) == [replanned]
    assert found(workspace, error="server_error") == [replanned, fell_back]
    assert found(workspace, api="KIT1 · kit1_1") == [replanned, fell_back]
    assert found(workspace, toolkit="kit 2") == [replanned]
    assert found(workspace, status="answered", strategy="tool-planner", provider="scripted") == [
        replanned, fell_back, plain,
    ]  # fmt: skip
    assert found(workspace, status="unsolved") == []
    assert found(workspace, "two", min_fallbacks=1) == [fell_back]
    assert found(workspace, model="offline", min_tokens=1) == [replanned, fell_back, plain]


def test_search_when_dates_are_given_then_from_and_before(workspace: Workspace) -> None:
    first, second = add_runs(workspace, [stored_run(started_us=10), stored_run(started_us=20)])
    assert found(workspace, since_us=20) == [second]
    assert found(workspace, before_us=20) == [first]


def test_search_when_runs_came_without_an_index_then_builds_it_once(workspace: Workspace) -> None:
    runs = add_runs(workspace, [stored_run(query=f"question {n}") for n in range(3)])
    assert stale_runs(workspace) == runs
    assert set(found(workspace, "question")) == set(runs)
    assert index_stale_runs(workspace) == 0


def test_search_when_a_run_goes_on_then_its_new_events_are_found(workspace: Workspace) -> None:
    (run,) = add_runs(workspace, [stored_run()])
    workspace.writer.run(
        lambda db: db.conn.execute("UPDATE runs SET ended_us = NULL WHERE id = ?", [run])
    )
    assert found(workspace, "remark") == []
    event = stored_event(3, "note", Noted(text="a remark").to_body())._replace(run=run)
    workspace.writer.run(lambda db: append_events(db, [event]))
    assert found(workspace, "remark") == [run]
    assert index_stale_runs(workspace) == 0


def test_search_when_results_are_huge_then_the_index_stays_small(workspace: Workspace) -> None:
    sent = CallSent(
        api="a", title="T", arguments={"text": "y" * 100_000}, bindings={}, provider="p",
        risk="read", fingerprint="", occurrence=1, retry=0,
    )  # fmt: skip
    failed = CallFailed(
        error="timeout", message="slow", status=None, body="z" * 1_000_000, content_type="",
        headers={}, origin="", elapsed_ms=1.0,
    )  # fmt: skip
    events = [(event, f"call.{n}") for n in range(1, 30) for event in (sent, failed)]
    add_runs(workspace, [stored_run(*events)])
    index_stale_runs(workspace)
    size = workspace.reader().execute("SELECT sum(length(block)) FROM runs_fts_data").fetchone()[0]
    stored = workspace.reader().execute("SELECT length(results) FROM runs_fts").fetchone()[0]
    assert stored <= 12_100
    assert size < 100_000


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    text=st.text()
    | st.sampled_from(
        [
            '"',
            "a OR b",
            "NEAR(a b)",
            "query: x",
            "*",
            "^a",
            "-a",
            'a "b',
            "a*b",
            "\0",
            "\ud800",
            "AND",
            "{a b}: c",
        ]
    )
)
def test_search_when_text_holds_operators_then_they_mean_nothing(
    workspace: Workspace, text: str
) -> None:
    assert search_runs(workspace, text) == []


def test_search_when_operators_are_words_then_they_are_looked_for(workspace: Workspace) -> None:
    run = record_run(workspace, query="this or that")
    assert found(workspace, "this OR that") == [run]
    assert found(workspace, "this OR nothing") == []


def test_command_when_searching_then_prints_rows_and_json(tmp_path: Path) -> None:
    path = tmp_path / "w.toolplanner"
    with Workspace.create(path) as workspace:
        record_run(workspace, query="the weather in Zagreb", failing=["kit1_0"])
        record_run(workspace, query="a currency")
    data = toolplanner("runs", "search", path, "weath", "--json").data
    assert [row["run"] for row in data] == [1]
    assert data[0]["fallbacks"] == 1
    assert "weather" in data[0]["snippet"]
    assert "Zagreb" in toolplanner("runs", "search", path, "--min-fallbacks", 1).out
    assert "No run fits" in toolplanner("runs", "search", path, "nowhere").out
    assert toolplanner("runs", "search", path, "--since", "2999-01-01", "--json").data == []
    assert toolplanner("runs", "search", path, "--error", "bogus").status == 2


@pytest.mark.parametrize("text", ["", "   ", '""'])
def test_search_when_there_are_no_words_then_newest_first_or_none(
    workspace: Workspace, text: str
) -> None:
    run = record_run(workspace)
    assert found(workspace, text) == ([run] if not text.strip() else [])
