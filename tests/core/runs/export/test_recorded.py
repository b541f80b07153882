"""Runs as recorded calls: kept in the workspace, or a file for another one."""

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path

from fixtures.command_line import command_here
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_parts

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.observation import SIMULATED, RawResult
from toolplanner_core.domain.plan import Status
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.providers.classify import observe
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.providers.recorded import RecordedOptions, RecordedProvider
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.recorded import (
    describe_recordings,
    export_recorded,
    keep_recordings,
    recordings_of,
)
from toolplanner_core.runs.log.stored_runs import get_summary, list_runs
from toolplanner_core.sources.recordings import import_recordings
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid

QUERY = "Convert 26.2 miles to kilometres."
FIRST = RunId(1)


def test_run_when_recorded_then_another_run_is_answered_by_it_without_the_provider(
    demo_file: Path, tmp_path: Path
) -> None:
    file = Path(shutil.copy(demo_file, tmp_path / "w.toolplanner"))
    assert command_here("run", file, QUERY, "--provider", "demo").status == 0
    kept = command_here("runs", "record", file, 1)
    assert kept.out.startswith("1 call recorded.")
    assert command_here("runs", "record", file, 1).out.startswith("1 call recorded; 1 of them")
    assert command_here("run", file, QUERY, "--provider", "recorded").status == 0
    with Workspace.open(file) as workspace:
        live, recorded = (get_summary(workspace, RunId(n)) for n in (1, 2))
        assert (recorded.status, recorded.answer) == (Status.SOLVED, live.answer)
        assert recorded.provider == "recorded"


def test_file_when_imported_elsewhere_then_the_same_replies(
    demo_file: Path, tmp_path: Path
) -> None:
    file = Path(shutil.copy(demo_file, tmp_path / "w.toolplanner"))
    other = Path(shutil.copy(demo_file, tmp_path / "other.toolplanner"))
    assert command_here("run", file, QUERY, "--provider", "demo").status == 0
    calls = tmp_path / "calls.jsonl"
    written = command_here("runs", "export", file, 1, "--format", "recorded", "--output", calls)
    assert written.status == 0
    assert command_here("import", other, calls).status == 0
    assert command_here("run", other, QUERY, "--provider", "recorded").status == 0
    with Workspace.open(other) as workspace, Workspace.open(file) as first:
        [summary] = list_runs(workspace)
        assert summary.answer == get_summary(first, FIRST).answer


def test_calls_when_they_failed_or_were_made_up_then_class_kept_and_made_up_left_out(
    demo_file: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(demo_file, tmp_path / "w.toolplanner"))
    with Workspace.open(path) as workspace:
        found = apis_by_rowid(workspace, [1, 2, 3]).values()
        one, two, three = (replace(api, parameters={}) for api in found)
        replies = {
            one.name: bad(503),
            two.name: RawResult(status=200, body='{"n": 1}', origin=SIMULATED),
        }
        provider = ScriptedProvider(replies)
        kits = {"Kit": [one, two, three]}
        model = ScriptedModel(plans=[[("kit", 1, [])], []])
        asyncio.run(run(workspace, RunSpec(query="q"), parts=make_parts(kits, model, provider)))
        made = recordings_of(workspace, [FIRST])
        assert {each.api_key: each.error for each in made.recordings} == {one.key: "server_error"}
        assert made.left_out == 1
        assert "1 left out, whose replies were made up" in describe_recordings(made)
        keep_recordings(workspace, [FIRST])
        recorded = RecordedProvider(workspace, RecordedOptions())
        raw = asyncio.run(recorded.call(one, made.recordings[0].values(), CallLimits()))
        assert observe(raw, one).error is ErrorClass.SERVER_ERROR


def test_key_without_a_category_when_written_and_read_then_the_same(
    workspace: Workspace, tmp_path: Path
) -> None:
    line = {"category": "tool", "tool": "", "fn": "name", "calls": [{"input": {}, "response": 1}]}
    file = tmp_path / "calls.jsonl"
    file.write_text(json.dumps(line))
    assert import_recordings(workspace, file, progress=Progress()).added == 1
    [row] = workspace.reader().execute("SELECT api_key FROM recordings").fetchall()
    assert row[0] == "tool/name"
    assert list(export_recorded(workspace, [])) == []
