"""Model calls are requests, everywhere: a question that is asked again counts again, as is said."""

import asyncio

from fixtures.scripted_run import (
    QuickClock,
    ScriptedModel,
    ScriptedProvider,
    make_api,
    make_parts,
    transient,
)

from toolplanner_core.cli.run import describe_summary
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.log.stored_runs import get_summary, load_tree
from toolplanner_core.runs.presentation.run_list import describe_run
from toolplanner_core.runs.presentation.tree_text import render_tree
from toolplanner_core.workspace import Workspace

KITS = {"Kit 1": [make_api("kit1_0")]}


def test_model_calls_when_a_question_is_asked_again_then_each_place_says_the_same(
    workspace: Workspace,
) -> None:
    model = ScriptedModel(plans=[[("a", 1, [])]], answers={"make_plan": [transient()]})
    parts = make_parts(KITS, model, ScriptedProvider())
    spec = RunSpec(query="q")
    done = asyncio.run(run(workspace, spec, parts=parts, clock=QuickClock()))
    tree = load_tree(workspace, done.run)
    asked = [int(node.data["tries"]) for node in tree.nodes.values() if node.is_question]
    assert done.model_calls == sum(asked) == len(asked) + 1
    words = f"{done.model_calls} model calls, 1 of them again"
    stored = get_summary(workspace, done.run)
    assert words in describe_summary(stored)
    assert words in describe_run(stored)
    assert f"{done.model_calls}, 1 of them again" in export_html(workspace, done.run)
    assert [line for line in render_tree(tree) if "2 tries" in line]
