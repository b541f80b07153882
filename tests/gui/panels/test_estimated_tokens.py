"""Tokens that no endpoint has counted, as the window tells them."""

from dataclasses import replace

import pytest
from fixtures.scripted_endpoint import USAGE, Turn
from fixtures.spoken_run import speak_run

from toolplanner_core.domain.ids import ROOT
from toolplanner_core.runs.compare.diff import diff_runs
from toolplanner_core.runs.log.stored_runs import get_summary, load_tree
from toolplanner_core.workspace import Workspace
from toolplanner_gui.panels.run_header import describe_run_facts
from toolplanner_gui.viewmodels.debug.compare_model import totals_line


@pytest.mark.parametrize(("usage", "told"), [(USAGE, "18 tokens"), (None, "about ")])
def test_tokens_when_the_endpoint_says_nothing_of_them_then_the_window_says_about(
    workspace: Workspace, usage: dict[str, int] | None, told: str
) -> None:
    turn = Turn("", [("give_answer", {"final_answer": "7 degrees"})], usage=usage)
    run = speak_run(workspace, "react", [replace(turn)]).summary.run
    root = load_tree(workspace, run).nodes[ROOT]
    for text in (
        describe_run_facts(root, get_summary(workspace, run)),
        totals_line(diff_runs(workspace, run, run)),
    ):
        assert told in text
        assert ("about" in text) == (usage is None)
