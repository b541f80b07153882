"""Which calls are an example of how it is done: those whose step took their result."""

import asyncio

from fixtures.own_strategy import KITS, do
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts

from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.demonstrations import demonstration_of
from toolplanner_core.runs.graph.trajectories import trajectory_of
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.tree.served import served_calls
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace

USELESS, GOOD, OTHER = make_api("a_1"), make_api("a_2"), make_api("b_1")
BRANCH = NodeKind(id="way", word="way")


def test_calls_when_results_are_rejected_then_they_are_no_example(workspace: Workspace) -> None:
    model = ScriptedModel(plans=[[("get one", 1, []), ("get two", 2, [])]], useless={"a_1", "b_1"})
    kits = {"One": [USELESS, GOOD], "Two": [OTHER]}
    parts = make_parts(kits, model, ScriptedProvider(), max_replans=0)
    done = asyncio.run(run(workspace, RunSpec(query="get one and two"), parts=parts))
    tree = load_tree(workspace, done.run)
    assert sum(node.is_call and node.state is NodeState.OK for _, node in tree.walk()) == 3
    assert trajectory_of(tree) == [GOOD.id], "its plan failed for the other step"
    assert [step.title for step in demonstration_of(workspace, done.run).steps] == ["a · a_2"]


def test_calls_when_a_search_goes_on_below_a_failure_then_what_is_below_serves(
    workspace: Workspace,
) -> None:
    api = KITS["One"][0]

    async def work(scope: RunScope) -> str:
        async with scope.node(BRANCH, 1, "failed") as upper:
            await scope.call(api, {"q": "upper"})
            async with scope.node(BRANCH, 1, "went well"):
                await scope.call(api, {"q": "lower"})
            upper.end(NodeState.FAILED)
        async with scope.node(BRANCH, 2, "left") as left:
            await scope.call(api, {"q": "left"})
            left.end(NodeState.PRUNED)
        return "done"

    done = do(workspace, work)
    found = [call.path for call in served_calls(load_tree(workspace, done.run))]
    assert found == ["way.1/way.1/call.1"]
