"""Nodes of any kind, going back to one, and choices at points of any strategy."""

import asyncio
from collections.abc import Iterator

import pytest
from fixtures.own_strategy import KITS, again, do, own_parts, own_strategy
from fixtures.scripted_run import api_finder

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.stop_points import Alternative, Choice, StopPoint
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.stops import StepCommand, StopDecision
from toolplanner_core.runs.engine.runner import EngineThread, run
from toolplanner_core.runs.events.decision import Decided
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.presentation.tree_text import render_tree
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.strategies.interface import strategy as declared
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

IDEA = NodeKind(id="idea", word="idea", is_unit=False, shown=(ShownField("score", "Score", True),))
CHILD = StopPoint(
    id="which_child",
    kind="child",
    word="Before a child:",
    event="a child is about to be chosen",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Take it",
    chosen_word="Child chosen",
    counted="children",
)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Declared as a plug-in declares them."""
    plugin = own_strategy(search, kinds=(IDEA,), points=(CHILD,))
    monkeypatch.setitem(strategies.plugins, plugin.id, plugin)
    for known_ones in (declared.node_kinds, declared.stop_points):
        known_ones.cache_clear()
    yield
    for known_ones in (declared.node_kinds, declared.stop_points):
        known_ones.cache_clear()


async def search(run: RunScope) -> str:
    """Two thoughts; goes back to the first, prunes the second, chooses between two children."""
    async with run.node(IDEA, 1, "first", data={"score": 0.1}) as first:
        await run.call(KITS["One"][0], {"q": "a"})
    first.tell(score=0.9)
    async with run.node(IDEA, 2, "second", cause=first.seq) as second:
        second.end(NodeState.PRUNED, "it led nowhere", data={"rank": 2})
    async with run.again(first):
        await run.call(KITS["One"][1], {"q": "b"})
        async with run.node(IDEA, 1, "below", cause=second.seq):
            pass
        children = [Alternative(id="x", title="X", score=0.7), Alternative(id="y", title="Y")]
        made = await run.decide(CHILD, children, title="Take X", cause=second.seq)
        return made.chosen.title if made.chosen else "none"


def test_nodes_when_told_pruned_and_gone_back_to_then_the_tree_shows_it(
    workspace: Workspace,
) -> None:
    done = do(workspace, search)
    tree = load_tree(workspace, done.run)
    first, second = tree.nodes[NodePath("idea.1")], tree.nodes[NodePath("idea.2")]
    assert first.data["score"] == 0.9
    assert render_tree(tree)[1].startswith("├─ ✓ first  score 0.9")
    assert first.children == ["idea.1/call.1", "idea.1/call.2", "idea.1/idea.1"]
    assert (second.state, second.reason, second.data["rank"]) == (
        NodeState.PRUNED, "it led nowhere", 2,
    )  # fmt: skip
    assert second.cause_text == "because of first"
    below = tree.nodes[NodePath("idea.1/idea.1")]
    assert below.cause_text == "because idea 2 was pruned: it led nowhere"
    assert done.answer == "X"
    assert done.counts == {"children": 1}
    assert again(workspace, done, search).identical


def test_node_when_it_waits_and_the_run_ends_then_abandoned(workspace: Workspace) -> None:
    async def work(run: RunScope) -> str:
        async with run.node(IDEA, 1, "later") as later:
            later.end(NodeState.WAITING)
        return "ok"

    node = load_tree(workspace, do(workspace, work).run).nodes[NodePath("idea.1")]
    assert (node.state, node.reason) == (NodeState.ABANDONED, "its run never went back to it")


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (StopDecision(choice=Choice.TAKE, taken="y"), "Y"),
        (StopDecision(choice=Choice.SKIP), "none"),
        (None, "X"),
    ],
)
def test_choice_when_a_person_makes_another_then_it_is_followed_replayed_and_forked(
    workspace: Workspace, decision: StopDecision | None, answer: str
) -> None:
    held: list[str] = []

    def on_change() -> None:
        for item in debugger.held:
            held.append(item.stop.point.id)
            debugger.resume(decision=decision)

    debugger = Debugger([parse_breakpoint("at=which_child")], on_change=on_change)
    with EngineThread(workspace) as engine:
        parts = own_parts(search)
        done = engine.start(
            RunSpec(query="q", strategy="own"), parts=parts, debugger=debugger
        ).result(120)
    assert held == ["which_child"]
    assert done.answer == answer
    events = [r.event for r in read_run(workspace, done.run) if isinstance(r.event, Decided)]
    assert [event.chosen for event in events] == ([] if answer == "none" else [answer.lower()])
    assert again(workspace, done, search).identical
    spec = fork(workspace, done.run, NodePath("idea.2"))
    forked = asyncio.run(run(workspace, spec, parts=own_parts(search)))
    assert forked.answer == "X"  # what was decided behind the fork point is decided anew


def test_choice_when_what_a_person_takes_is_not_there_then_refused(workspace: Workspace) -> None:
    said: list[str] = []

    def on_change() -> None:
        if debugger.held:
            try:
                debugger.resume(decision=StopDecision(choice=Choice.TAKE, taken="z"))
            except BadInput as error:
                said.append(error.what)
                debugger.resume()

    debugger = Debugger([parse_breakpoint("kind=child")], on_change=on_change)
    with EngineThread(workspace) as engine:
        engine.start(
            RunSpec(query="q", strategy="own"), parts=own_parts(search), debugger=debugger
        ).result(120)
    assert said == ["'z' is not among what can be chosen here"]


def test_step_over_when_the_node_is_no_unit_then_stops_in_the_next_node_below(
    workspace: Workspace,
) -> None:
    async def nested(run: RunScope) -> str:
        async with run.node(IDEA, 1, "outer"):
            await run.call(KITS["One"][0], {})
            async with run.node(IDEA, 1, "inner"):
                await run.call(KITS["One"][1], {})
        return "done"

    places: list[str] = []

    def on_change() -> None:
        if debugger.held:
            places.append(debugger.held[0].stop.path)
            debugger.resume(StepCommand.STEP_OVER)

    debugger = Debugger(step=True, on_change=on_change)
    with EngineThread(workspace) as engine:
        engine.start(
            RunSpec(query="q", strategy="own"), parts=own_parts(nested), debugger=debugger
        ).result(120)
    assert places == ["idea.1/call.1", "idea.1/idea.1/call.1"]


def test_kind_when_nobody_declares_it_then_shown_by_its_id(workspace: Workspace) -> None:
    odd = NodeKind(id="odd_thing", word="odd thing")

    async def work(run: RunScope) -> str:
        async with run.node(odd, 1, "an odd one", data={"toolkit_name": "K"}):
            return "ok"

    done = do(workspace, work)
    node = load_tree(workspace, done.run).nodes[NodePath("odd_thing.1")]
    assert declared.node_kind(node.kind).word == "odd thing"
    assert again(workspace, done, work).identical


def test_api_when_sent_changed_then_the_observation_says_what_was_sent(
    workspace: Workspace,
) -> None:
    seen: list[object] = []

    async def work(run: RunScope) -> str:
        observation = await run.call(KITS["One"][0], {"q": "Oslo"})
        seen.append((observation.api, observation.arguments))
        return "ok"

    other = KITS["One"][1]

    def on_change() -> None:
        if debugger.held:
            debugger.resume(
                decision=StopDecision(choice=Choice.EDIT, api=other.id, arguments={"q": "Bergen"})
            )

    debugger = Debugger([parse_breakpoint("at=before_call")], on_change=on_change)
    parts = own_parts(work)
    assert api_finder(KITS)(other.id) is other
    with EngineThread(workspace) as engine:
        done = engine.start(
            RunSpec(query="q", strategy="own"), parts=parts, debugger=debugger
        ).result(120)
    assert again(workspace, done, work).identical
    assert seen == [(other, {"q": "Bergen"})] * 2
