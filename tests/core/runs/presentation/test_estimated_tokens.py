"""Tokens that no endpoint has counted are told as an estimate, wherever they are told."""

from typing import Any

import pytest
from fixtures.scripted_endpoint import USAGE, Turn
from fixtures.spoken_run import Spoken, speak_run

from toolplanner_core.cli.run import describe_summary, summary_row
from toolplanner_core.domain.ids import ROOT
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.log.stored_runs import get_summary, load_tree
from toolplanner_core.runs.presentation.run_again import describe_estimate
from toolplanner_core.runs.presentation.run_list import describe_run
from toolplanner_core.runs.presentation.tree_text import node_figures
from toolplanner_core.runs.replay.fork import estimate_rerun
from toolplanner_core.workspace import Workspace


def spoken(workspace: Workspace, usage: Any) -> Spoken:
    """A run of two turns, the second with this usage."""
    turns = [
        Turn("I look.", [("meteo_now_for_meteo", {"q": "Oslo"})]),
        Turn("", [("give_answer", {"final_answer": "7 degrees"})], usage=usage),
    ]
    return speak_run(workspace, "react", turns)


def told(workspace: Workspace, usage: Any) -> list[str]:
    """All that is told of the tokens of a run."""
    run = spoken(workspace, usage).summary.run
    summary = get_summary(workspace, run)
    return [
        describe_summary(summary),
        describe_run(summary),
        " ".join(node_figures(load_tree(workspace, run).nodes[ROOT])),
        describe_estimate(estimate_rerun(workspace, run)),
        _facts_of(export_html(workspace, run)),
    ]


def test_tokens_when_an_endpoint_says_nothing_of_one_reply_then_all_say_about(
    workspace: Workspace,
) -> None:
    for text in told(workspace, None):
        assert "about " in text, text
    summary = spoken(workspace, None).summary
    row = summary_row(summary)
    assert 0 < row["estimated_tokens"] < row["tokens"]
    assert row["tokens"] - row["estimated_tokens"] == USAGE["total_tokens"]


def test_tokens_when_the_endpoint_counts_them_all_then_none_says_about(
    workspace: Workspace,
) -> None:
    for text in told(workspace, USAGE):
        assert "about " not in text
        assert "36" in text


def _facts_of(page: str) -> str:
    """What a page says of the tokens of its run."""
    return page[page.index("Tokens<") :][:80]


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 0, "completion_tokens": 0}])
def test_tokens_when_usage_is_empty_then_they_are_estimated(
    workspace: Workspace, usage: Any
) -> None:
    assert spoken(workspace, usage).summary.estimated_tokens > 0
