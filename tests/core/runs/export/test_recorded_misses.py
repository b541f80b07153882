"""A run over recordings that meets a call that was never recorded: nobody was asked, no API is
blamed, and what is said does not sound as if a server had answered."""

import asyncio
from pathlib import Path

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.recorded import keep_recordings
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.node_report import read_report
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import read_attempts


def test_call_when_it_was_never_recorded_then_no_api_is_said_not_to_exist(demo: Path) -> None:
    with Workspace.open(demo) as opened:
        live = asyncio.run(run(opened, RunSpec(query="Convert 26.2 miles to kilometres.")))
        assert keep_recordings(opened, [live.run]).added == 1
        spec = RunSpec(query="Convert 300 miles to kilometres.", provider="recorded")
        done = asyncio.run(run(opened, spec))
        tree = load_tree(opened, done.run)
        calls = [node for node in tree.nodes.values() if node.is_call]
        missed = [node for node in calls if node.reason == "no such recording"]
        assert missed[0].title == "UnitWise · Convert units"
        assert "not found" not in run_headline(tree.nodes)
        why = read_report(opened, done.run, missed[0].path).why[0]
        rows = read_attempts(opened, runs=[done.run])
    assert why.title == "No such recording"
    assert why.text.endswith("there is none for this call: no API was asked.")
    assert "no such recording" in {row.uncounted for row in rows}
