"""What every strategy must do: solve, end, stop, replay, fork, and leave nothing behind.

Runs over the registry with the variants below; a new strategy is tested at birth.
"""

import asyncio
from typing import Any

import pytest
from fixtures.plain_model import PlainModel
from fixtures.scripted_run import ScriptedProvider, api_finder, bad, make_api, make_parts

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import NOT_REFUTED, Judgement, Status
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import OptionKind, describe_options
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.engine.run_parts import RunParts
from toolplanner_core.runs.engine.runner import prepare, run
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.strategies.interface.strategy import node_kinds, stop_points, strategies
from toolplanner_core.workspace import Workspace

KITS = {
    name: [make_api(f"{name.lower()}_{number}") for number in range(3)]
    for name in ("Alpha", "Beta", "Gamma")
}
CALLS_NOTHING = {"calls": "none"}
"""Of the one strategy that may answer from what a model knows: no failing call makes it fail."""
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "tool-planner": [
        {},
        {"parallel": False, "toolkits": False, "next_api": "rank", "member_order": "random"},
        {"next_api": "random"},
    ],
    "react": [{}, {"toolkits": True}],
    "dfsdt": [{}, {"rank": True, "depth_counts": "nodes"}],
    "toolchain-star": [{}, {"samples": 1, "remember": False}],
    "adaplanner": [{}, {"toolkits": True}, {"plans": "code"}],
    "reflexion": [{}, {"max_trials": 1, "success": "oracle"}],
    "toolnet": [
        {},
        {"reflexion": True, "start": 1, "mixed": 0},
        {"find_tools": False, "learn": False, "weights": "none"},
        *({"weights": scale} for scale in ("1", "10", "1000")),
    ],
    "anytool": [
        {},
        {"hierarchy": "categories", "solver": "react"},
        {"hierarchy": "toolkits"},
        {"structure": "flat"},
        {"woken": "tools"},
        {"woken": "categories"},
    ],
    "tptu": [
        {},
        {"planner": False, "leave_own_out": True},
        {"retriever": False, "demonstrations": False},
        {"call_examples": 0},
    ],
    "atc": [{}, {"probed": "all"}, {"probed": "none"}],
    "probe": [{}, {"writing": True}],
    "chain-of-thought": [{}, CALLS_NOTHING],
    "plain-agent": [
        {},
        {"solver": "dfsdt"},
        {"retriever": "groups", "group": 2},
        {"retriever": "groups", "told": "descriptions"},
        {"retriever": "groups", "told": "details"},
    ],
    "rag": [{}, {"solver": "dfsdt", "extract": False}],
    "codeact": [{}],
    "tot": [{}, {"evaluation": "vote"}],
}
"""Options to test beside the defaults, by strategy."""
CASES = [
    pytest.param(plugin.id, options, id=f"{plugin.id}-{n}")
    for plugin in strategies
    for n, options in enumerate(VARIANTS.get(plugin.id, [{}]))
]
NO_LIMITS = Limits(max_model_calls=None, max_api_calls=None, max_seconds=None)


def parts_of(strategy: str, options: dict[str, Any], **model: Any) -> RunParts:
    made = PlainModel(plans=[[("one", 1, []), ("two", 2, [1])]] * 9, **model)
    provider = model.pop("provider", None) or ScriptedProvider()
    return make_parts(KITS, made, provider, strategy=strategies.get(strategy), **options)


def go(workspace: Workspace, strategy: str, parts: RunParts, **company: Any) -> RunSummary:
    spec = RunSpec(query="do it", strategy=strategy, limits=NO_LIMITS)
    return asyncio.run(run(workspace, spec, parts=parts, oracle=knows, **company))


def knows(answer: str) -> Judgement:
    """For strategies that a person told to ask it."""
    return Judgement(solved=bool(answer), reason="an oracle said so")


@pytest.mark.parametrize(("strategy", "options"), CASES)
def test_strategy_when_all_is_well_then_solves_and_replays_strictly(
    workspace: Workspace, strategy: str, options: dict[str, Any]
) -> None:
    done = go(workspace, strategy, parts_of(strategy, options))
    assert done.status in NOT_REFUTED, done.reason
    assert done.answer
    assert (done.api_calls == 0) == (options == CALLS_NOTHING)
    tree = load_tree(workspace, done.run)
    left = [n.path for n in tree.nodes.values() if n.state in (NodeState.RUNNING, NodeState.PAUSED)]
    assert not left
    assert {node.kind for node in tree.nodes.values()} <= set(node_kinds())
    report = replay(workspace, done.run, api_of=api_finder(KITS))
    assert report.identical, report.divergence
    assert report.answer == done.answer


@pytest.mark.parametrize(("strategy", "options"), CASES)
def test_strategy_when_the_model_never_stops_and_all_calls_fail_then_ends_within_its_caps(
    workspace: Workspace, strategy: str, options: dict[str, Any]
) -> None:
    parts = parts_of(
        strategy, options, never_stops=True,
    )  # fmt: skip
    failing = {api.name: bad(500) for kit in KITS.values() for api in kit}
    parts = make_parts(KITS, parts.outside.model, ScriptedProvider(failing),
                       strategy=strategies.get(strategy), **options)  # fmt: skip
    done = go(workspace, strategy, parts)
    if options != CALLS_NOTHING:
        assert done.status is Status.UNSOLVED
        assert done.reason
    assert done.model_calls <= 260
    assert replay(workspace, done.run, api_of=api_finder(KITS)).identical


@pytest.mark.parametrize(("strategy", "options"), CASES)
def test_strategy_when_stopped_then_every_node_ends_and_no_task_is_left(
    workspace: Workspace, strategy: str, options: dict[str, Any]
) -> None:
    async def stop_it() -> tuple[RunSummary, int]:
        cancel = asyncio.Event()
        parts = parts_of(strategy, options, hangs=True)
        spec = RunSpec(query="do it", strategy=strategy, limits=NO_LIMITS)
        running = asyncio.ensure_future(
            run(workspace, spec, parts=parts, cancel=cancel, oracle=knows)
        )
        await asyncio.sleep(0.05)
        cancel.set()
        done = await asyncio.wait_for(running, 30)
        return done, len(asyncio.all_tasks())

    done, tasks = asyncio.run(stop_it())
    # The check of health asks no model, which is what hangs: it may have ended before.
    assert done.status is Status.CANCELLED or strategy == "health"
    assert tasks == 1
    tree = load_tree(workspace, done.run)
    assert all(node.state is not NodeState.RUNNING for node in tree.nodes.values())
    assert replay(workspace, done.run, api_of=api_finder(KITS)).identical


@pytest.mark.parametrize(("strategy", "options"), CASES)
def test_strategy_when_forked_at_every_node_then_nothing_of_the_prefix_is_done_again(
    workspace: Workspace, strategy: str, options: dict[str, Any]
) -> None:
    done = go(workspace, strategy, parts_of(strategy, options))
    records = read_run(workspace, done.run)
    for path in [node.path for node in load_tree(workspace, done.run).nodes.values()][1:]:
        spec = fork(workspace, done.run, path)
        assert spec.fork is not None
        prefix = [r for r in records if r.seq <= spec.fork.seq]
        sent = sum(record.type == "call.sent" for record in prefix)
        asked = sum(record.type == "model.asked" for record in prefix)
        parts = parts_of(strategy, options)
        model: Any = parts.outside.model
        model.plans = model.plans[sum(_is_plan(r) for r in prefix) :]
        child = asyncio.run(run(workspace, spec, parts=parts, oracle=knows))
        assert child.status in NOT_REFUTED, (path, child.reason)
        provider: Any = parts.outside.provider
        assert child.api_calls - sent == len(provider.calls), path
        assert child.model_calls - asked == len(model.asked), path
        assert replay(workspace, child.run, api_of=api_finder(KITS)).identical, path


def _is_plan(record: Any) -> bool:
    return record.type == "model.replied" and "plan" in record.path.rpartition("/")[2]


@pytest.mark.parametrize("strategy", [plugin.id for plugin in strategies])
def test_strategy_when_listed_then_says_what_it_is_and_declares_all_it_uses(strategy: str) -> None:
    plugin = strategies.get(strategy)
    assert plugin.title
    assert plugin.description.count(".") >= 2
    assert plugin.paper in plugin.explanation != ""
    assert plugin.description.count(". ") + 1 == 2, "two sentences"
    assert ("Needs a language model" in plugin.explanation) == plugin.needs_model
    assert ("sandbox" in plugin.explanation) == plugin.needs_sandbox
    assert plugin.options() == plugin.options()
    for kind in plugin.kinds:
        assert node_kinds()[kind.id] == kind
    for point in plugin.points:
        assert stop_points()[point.id] == point
        assert parse_breakpoint(f"at={point.id}").parts == {"at": point.id}


@pytest.mark.parametrize("strategy", [plugin.id for plugin in strategies])
def test_strategy_when_it_has_switches_and_choices_then_every_one_is_walked_here(
    strategy: str,
) -> None:
    walked = VARIANTS.get(strategy, [{}])
    for described in describe_options(strategies.get(strategy).options):
        values = [choice.value for choice in described.choices]
        values += [True, False] if described.kind is OptionKind.BOOL else []
        tried = {described.default, *(each.get(described.name) for each in walked)}
        assert set(values) <= tried, described.name


def test_strategy_when_it_needs_a_model_then_refused_on_the_offline_planner(
    workspace: Workspace,
) -> None:
    for plugin in strategies:
        spec = RunSpec(query="x", strategy=plugin.id, provider="simulated")
        catalogue = WorkspaceCatalogue(workspace)
        if plugin.needs_model:
            with pytest.raises(BadInput, match="needs a language model"):
                prepare(workspace, spec, catalogue)
        else:
            prepare(workspace, spec, catalogue)
        catalogue.close()
