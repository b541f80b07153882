"""The tree is a pure fold: any split into batches, live or from disk, gives the same tree."""

import asyncio
import dataclasses
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import pytest
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts, ok
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.ids import ROOT, NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallReturned
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.log.stored_runs import load_records, load_tree
from toolplanner_core.runs.presentation.states import NODE_LOOKS
from toolplanner_core.runs.presentation.timeline import describe_bar
from toolplanner_core.runs.presentation.tree_text import node_figures, render_tree
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.words.formatting import duration
from toolplanner_core.workspace import Workspace

KITS = {f"Kit {i}": [make_api(f"kit{i}_{j}") for j in range(3)] for i in range(1, 5)}
NAMES = [api.name for members in KITS.values() for api in members]


@pytest.fixture(scope="module")
def module_workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace.create(tmp_path_factory.mktemp("tree") / "w.toolplanner") as opened:
        yield opened


@st.composite
def plans(draw: st.DrawFn) -> list[tuple[str, int, list[int]]]:
    count = draw(st.integers(0, 4))
    return [
        (
            draw(st.sampled_from(["a", "b", "c", "d" * 1500])),
            draw(st.integers(1, 4)),
            draw(st.lists(st.integers(1, i), unique=True, max_size=2)) if i else [],
        )
        for i in range(count)
    ]


def record_run(
    workspace: Workspace,
    plan_list: list[Any],
    failing: set[str],
    limit: int | None,
    hops: Sequence[int] = (0,),
) -> tuple[RunId, list[Record], list[list[Record]]]:
    batches: list[list[Record]] = []
    turns = cycle(hops)

    def reply_of(name: str) -> Any:
        """An answer that lets other branches go first so many times."""

        async def answer(arguments: Any) -> Any:
            for _ in range(next(turns)):
                await asyncio.sleep(0)
            return bad(500) if name in failing else ok({"name": name})

        return answer

    model = ScriptedModel(plans=list(plan_list))
    provider = ScriptedProvider({name: reply_of(name) for name in NAMES})
    parts = make_parts(KITS, model, provider)
    spec = RunSpec(query="q" * 2000, limits=Limits(max_api_calls=limit))
    summary = asyncio.run(run(workspace, spec, parts=parts, listener=batches.append))
    return summary.run, [record for batch in batches for record in batch], batches


def folded(batches: list[list[Record]]) -> dict[NodePath, Node]:
    tree = RunTree()
    for batch in batches:
        tree.apply(batch)
    return dict(tree.nodes)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    plan_list=st.lists(plans(), min_size=1, max_size=5),
    failing=st.sets(st.sampled_from(NAMES)),
    limit=st.none() | st.integers(0, 6),
    cuts=st.lists(st.integers(1, 5), max_size=60),
    hops=st.lists(st.integers(0, 6), min_size=1, max_size=9),
)
def test_tree_when_batches_are_split_anyhow_then_the_same_live_and_from_disk(
    module_workspace: Workspace,
    *,
    plan_list: list[Any],
    failing: set[str],
    limit: int | None,
    cuts: list[int],
    hops: list[int],
) -> None:
    run_id, records, batches = record_run(module_workspace, plan_list, failing, limit, hops)
    split: list[list[Record]] = []
    rest = records
    for cut in cuts:
        split.append(rest[:cut])
        rest = rest[cut:]
    split.append(rest)
    expected = folded([records])
    assert folded(split) == expected == folded(batches)
    assert dict(load_tree(module_workspace, run_id).nodes) == expected
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    for node in expected.values():
        assert node.state not in (NodeState.RUNNING, NodeState.WAITING), node
        assert (
            node.path == NodePath("") or node.path in expected[node.parent or NodePath("")].children
        )
        assert node.tokens >= sum(expected[child].tokens for child in node.children)


def test_apply_when_incremental_then_every_difference_is_reported(
    module_workspace: Workspace,
) -> None:
    _, records, _ = record_run(
        module_workspace,
        [[("a", 1, []), ("b", 2, [])], [("a", 1, []), ("b", 3, [])]],
        {"kit1_0", "kit2_0", "kit2_1", "kit2_2"},
        None,
    )
    tree = RunTree()
    before: dict[NodePath, Any] = {}
    for record in records:
        changed = tree.apply([record])
        after = {path: dataclasses.asdict(node) for path, node in tree.nodes.items()}
        assert {p for p in after if after[p] != before.get(p)} <= changed
        before = after
    assert tree.apply(records) == set()


def test_totals_when_folded_from_records_then_equal_the_summary(
    module_workspace: Workspace,
) -> None:
    parts = make_parts(KITS, ScriptedModel(plans=[[("a", 1, [])]]), ScriptedProvider())
    records: list[Record] = []
    summary = asyncio.run(
        run(module_workspace, RunSpec(query="q"), parts=parts, listener=records.extend)
    )
    totals = Totals()
    totals.apply(records)
    assert totals.to_json().items() <= dataclasses.asdict(summary).items()


def test_node_when_loaded_then_holds_its_own_events_with_all_texts(
    module_workspace: Workspace,
) -> None:
    provider = ScriptedProvider({"kit1_0": ok({"text": "long " * 2000})})
    parts = make_parts(KITS, ScriptedModel(plans=[[("a", 1, [])]]), provider)
    summary = asyncio.run(run(module_workspace, RunSpec(query="q"), parts=parts))
    call = NodePath("plan.1/step.1/attempt.1/call.1")
    records = load_records(module_workspace, summary.run, call)
    assert [record.event.type for record in records] == ["call.sent", "call.returned"]
    assert "long " * 2000 in records[1].event.to_body()["body"]
    asked = load_records(module_workspace, summary.run, NodePath("make_plan.1"))[0]
    assert asked.event.to_body()["messages"][0]["role"] == "system"


def test_render_when_a_run_failed_and_fell_back_then_words_signs_and_causes(
    module_workspace: Workspace,
) -> None:
    run_id, _, _ = record_run(
        module_workspace,
        [[("find it", 1, []), ("use it", 2, [1])], [("find it", 3, []), ("use it", 2, [1])]],
        {"kit1_0", "kit1_1", "kit1_2"},
        None,
    )
    lines = render_tree(load_tree(module_workspace, run_id))
    text = "\n".join(lines)
    assert "  answered, not checked" in lines[0]
    assert (
        "✗ Step 1 · find it [Kit 1]  failed: toolkit exhausted, none of 3 APIs could do it" in text
    )
    assert "↷ kit1 · kit1_0  failed: server error 500" in text
    assert "⊘ Step 2 · use it [Kit 2]  abandoned" in text
    assert "↰ because no API of Kit 1 could do the step" in text
    assert len(render_tree(load_tree(module_workspace, run_id), questions=False)) < len(lines)


def test_signs_when_looked_up_then_every_state_has_its_own() -> None:
    assert set(NODE_LOOKS) == set(NodeState)
    assert len({look.sign for look in NODE_LOOKS.values()}) == len(NodeState)


def test_time_of_a_call_when_the_log_took_longer_then_it_is_that_of_the_reply(
    workspace: Workspace,
) -> None:
    run_id, records, _ = record_run(workspace, [[("a", 1, [])]], set(), None)
    tree = load_tree(workspace, run_id)
    replies = {r.path: r.event for r in records if isinstance(r.event, CallReturned)}
    assert replies
    for path, reply in replies.items():
        node = tree.nodes[path]
        assert node.started_ns is not None and node.ended_ns is not None
        took_ns = node.took_ns
        assert took_ns is not None
        assert took_ns == round(reply.elapsed_ms * 1e6)
        assert took_ns <= node.ended_ns - node.started_ns
        assert duration(reply.elapsed_ms / 1000) in node_figures(node)
        assert f"{duration(reply.elapsed_ms / 1000)}, from" in describe_bar(node)


def test_time_of_a_run_when_shown_in_the_tree_then_it_is_that_of_its_totals(
    workspace: Workspace,
) -> None:
    run_id, records, _ = record_run(workspace, [[("a", 1, [])]], set(), None)
    totals = Totals()
    totals.apply(records)
    took_ns = load_tree(workspace, run_id).nodes[ROOT].took_ns
    assert took_ns == round(totals.seconds * 1e9)
