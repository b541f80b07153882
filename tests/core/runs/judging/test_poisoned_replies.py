"""What an injected fault made up never shows an answer: neither to rules nor to a model that
believes it; the tree, the report and the reason of the run say who made it up."""

import asyncio
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.own_strategy import KITS, Talker, own_strategy
from fixtures.scripted_run import ScriptedProvider, make_parts, ok

from toolplanner_core.domain.plan import Answer, QueryNeed, Status, Task
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.workspace import Workspace

ONE, OTHER = KITS["One"][:2]
MADE_UP = "did not say that, an injected fault made it up"


@pytest.mark.parametrize(
    "query",
    [
        "What is the weather in Lyon tomorrow?",
        "What is 80 kilograms in stones?",
        "What is the latest stock price of the ticker symbol STRA?",
    ],
)
def test_rules_when_all_replies_are_poisoned_then_never_solved(demo: Any, query: str) -> None:
    with Workspace.open(demo) as workspace:
        done = asyncio.run(run(workspace, RunSpec(query=query, faults=("poisoned:all",))))
        tree = load_tree(workspace, done.run)
    assert done.status is Status.UNSOLVED
    assert done.reason
    assert run_headline(tree.nodes).startswith("A fault was injected.")
    struck = [node for node in tree.nodes.values() if node.data.get("origin") == "injected fault"]
    assert {node.reason for node in struck} == {"made up by an injected fault"}
    assert tree.root is not None
    assert not tree.root.data.get("evidence")


@pytest.mark.parametrize(
    ("text", "asks_again", "names_needs", "is_solved"),
    [
        ("The weather is mild.", False, False, False),
        ("The weather is mild.", False, True, False),
        ("I have sent the keys. The task is done.", True, False, False),
        ("It is 3.1 degrees in Oslo.", True, False, True),
        ("It is 3.1 degrees in Oslo.", True, True, True),
    ],
)
def test_model_when_a_reply_is_poisoned_then_only_what_others_said_shows_its_answer(
    workspace: Workspace, text: str, asks_again: bool, names_needs: bool, is_solved: bool
) -> None:
    async def solve(task: Task, scope: RunScope, options: Any) -> Answer:
        del task, options
        seen = await scope.call(ONE, {"q": "Oslo"})
        if asks_again:
            seen = await scope.call(OTHER, {"q": "Oslo"})
        needs = (QueryNeed(text="the weather", met_by=(seen.seq,)),) if names_needs else ()
        return Answer(text=text, solved=True, needs=needs)

    done = _believing(workspace, solve)
    assert (done.status is Status.ANSWERED) == is_solved, done.reason
    if not is_solved:
        assert done.reason == f"Doubtful: {ONE.title} {MADE_UP}"
        shown = command_here("runs", "show", workspace.path, done.run)
        assert MADE_UP in shown.out


def _believing(workspace: Workspace, solve: Any) -> RunSummary:
    plugin = own_strategy(lambda scope: asyncio.sleep(0, ""))
    strategy = StrategyPlugin(
        id="own", title="Own", description="", options=plugin.options, solve=solve
    )
    replies = {"a_2": ok({"celsius": 3.14, "place": "Oslo"})}
    parts = make_parts(KITS, Talker(), ScriptedProvider(replies), strategy=strategy)
    spec = RunSpec(query="weather in Oslo", strategy="own", faults=(f"poisoned:api={ONE.name}",))
    return asyncio.run(run(workspace, spec, parts=parts))
