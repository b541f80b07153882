"""Two runs as one aligned tree."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fixtures.command_line import command_here, toolplanner
from fixtures.debugged_run import Session
from fixtures.recorded_runs import NAMES, record_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.errors import NotFound
from toolplanner_core.runs.compare.diff import (
    DiffNode,
    Pair,
    Relation,
    RunDiff,
    TotalPair,
    align_children,
    diff_runs,
    total_words,
)
from toolplanner_core.runs.compare.side_by_side import diff_rows, render_diff, way_words
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.debugger import Debugger, Held
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.engine import runner as engine
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.toolkits.plan_nodes import ATTEMPT
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

MIRROR = {
    Relation.SAME: Relation.SAME,
    Relation.CHANGED: Relation.CHANGED,
    Relation.ONLY_LEFT: Relation.ONLY_RIGHT,
    Relation.ONLY_RIGHT: Relation.ONLY_LEFT,
}


@pytest.fixture(scope="module")
def module_workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace.create(tmp_path_factory.mktemp("diff") / "w.toolplanner") as opened:
        yield opened


@st.composite
def recipes(draw: st.DrawFn) -> dict[str, object]:
    def plan() -> list[tuple[str, int, list[int]]]:
        goals = draw(st.lists(st.sampled_from("abc"), max_size=3))
        return [(goal, draw(st.integers(1, 4)), []) for goal in goals]

    return {
        "plans": [plan() for _ in range(draw(st.integers(1, 3)))],
        "failing": draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=8)),
        "limit": draw(st.none() | st.integers(0, 5)),
        "query": draw(st.sampled_from(["q", "other", "long " * 500])),
    }


def all_apis(workspace: Workspace) -> dict[int, Api]:
    return apis_by_rowid(workspace, all_rowids(workspace))


def by_path(diff: RunDiff) -> dict[NodePath, DiffNode]:
    return {node.left if node.left is not None else node.right: node for node in diff.nodes}  # type: ignore[misc]


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(one=recipes(), other=recipes())
def test_diff_when_sides_are_swapped_then_is_mirrored_and_covers_both_trees(
    module_workspace: Workspace, one: dict[str, object], other: dict[str, object]
) -> None:
    left = record_run(module_workspace, **one)  # type: ignore[arg-type]
    right = record_run(module_workspace, **other)  # type: ignore[arg-type]
    there = diff_runs(module_workspace, left, right)
    back = diff_runs(module_workspace, right, left)
    assert {(n.left, n.right, n.relation) for n in there.nodes} == {
        (n.right, n.left, MIRROR[n.relation]) for n in back.nodes
    }
    for run, paths in (
        (left, [n.left for n in there.nodes]),
        (right, [n.right for n in there.nodes]),
    ):
        known = [path for path in paths if path is not None]
        assert len(known) == len(set(known))
        assert set(known) == set(load_tree(module_workspace, run).nodes)
    assert (there.first is None) == all(n.relation is Relation.SAME for n in there.nodes)
    for index, node in enumerate(there.nodes):
        assert node.parent is None or node.parent < index
        assert bool(node.changes) == (node.relation is Relation.CHANGED)
    itself = diff_runs(module_workspace, left, left)
    assert {n.relation for n in itself.nodes} == {Relation.SAME}
    assert itself.first is None
    assert [(n.left, n.right) for n in itself.nodes] == [(n.left, n.left) for n in itself.nodes]


def test_diff_when_one_call_fails_then_it_is_the_first_difference(workspace: Workspace) -> None:
    plans = [[("first", 1, []), ("second", 2, [1])]]
    left = record_run(workspace, plans=plans)
    right = record_run(workspace, plans=plans, failing=["kit1_0"])
    diff = diff_runs(workspace, left, right)
    assert diff.first is not None
    assert diff.first.path == "plan.1/step.1/attempt.1/call.1"
    assert diff.first.sentence == (
        f"“kit1 · kit1_0”: ok in run {left}, failed (server error) in run {right}."
    )
    nodes = by_path(diff)
    assert nodes[NodePath("plan.1/step.1/attempt.1")].relation is Relation.CHANGED
    assert nodes[NodePath("plan.1/step.1/attempt.2")].relation is Relation.ONLY_RIGHT
    # What came after it went as in the other run, though the model was told of the failure.
    assert nodes[NodePath("plan.1/step.2")].relation is Relation.SAME
    assert nodes[NodePath("plan.1/step.2/attempt.1/call.1")].relation is Relation.SAME
    totals = {pair.name: (pair.left, pair.right) for pair in diff.totals}
    assert totals["fallbacks"] == (0, 1)
    assert totals["failed_calls"] == (0, 1)


def test_diff_when_arguments_differ_then_both_are_shown_and_come_before_the_result(
    workspace: Workspace,
) -> None:
    left = record_run(workspace, arguments={"q": "Zagreb"})
    right = record_run(workspace, arguments={"q": "Split " * 900})
    diff = diff_runs(workspace, left, right)
    call = by_path(diff)[NodePath("plan.1/step.1/attempt.1/call.1")]
    assert [change.what for change in call.changes] == ["arguments", "result"]
    assert call.changes[0].left == {"q": "Zagreb"}
    assert "Split" in str(call.changes[0].right)
    assert len(str(call.changes[0].right)) <= 2000
    # The model chose them, so its answer is where the runs parted.
    assert diff.first is not None
    assert diff.first.path == "plan.1/step.1/attempt.1/fill_arguments.1"


def test_diff_when_a_run_is_missing_then_says_which(workspace: Workspace) -> None:
    left = record_run(workspace)
    with pytest.raises(NotFound, match="99"):
        diff_runs(workspace, left, RunId(99))


def attempt(number: int, api: str, parent: str = "step.1") -> Node:
    return Node(
        path=NodePath(f"{parent}/attempt.{number}"),
        parent=NodePath(parent),
        kind=ATTEMPT.id,
        title=api,
        state=NodeState.OK,
        data={"api": api},
    )


def aligned(left: str, right: str) -> list[tuple[str, str]]:
    """Attempts named by one letter each, as pairs of letters; "-" where there is none."""
    ours = {n.path: n for n in (attempt(i, api) for i, api in enumerate(left, start=1))}
    theirs = {n.path: n for n in (attempt(i, api) for i, api in enumerate(right, start=1))}
    pairs = align_children(ours, theirs, list(ours), list(theirs))
    return [
        (ours[p.left].title if p.left else "-", theirs[p.right].title if p.right else "-")
        for p in pairs
    ]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("ABC", "ABC", "AA BB CC"),
        ("ABC", "XABC", "-X AA BB CC"),
        ("ABC", "AXBC", "AA -X BB CC"),
        ("AAB", "XAAB", "-X AA AA BB"),
        ("ABC", "AC", "AA B- CC"),
        ("ABC", "AXC", "AA BX CC"),
        ("AB", "AXY", "AA BX -Y"),
        ("", "AB", "-A -B"),
    ],
)
def test_align_when_attempts_are_inserted_then_the_others_keep_their_partners(
    left: str, right: str, expected: str
) -> None:
    assert aligned(left, right) == [tuple(pair) for pair in expected.split()]
    assert sorted(aligned(right, left)) == sorted((b, a) for a, b in aligned(left, right))


def test_align_when_parallel_steps_came_in_another_order_then_pairs_by_path() -> None:
    nodes = {n.path: n for n in (attempt(1, "A"), attempt(2, "B"))}
    one, two = nodes
    assert align_children(nodes, nodes, [one, two], [two, one]) == [Pair(one, one), Pair(two, two)]


def test_diff_when_an_api_was_excluded_that_nobody_called_then_the_candidates_differ(
    demo: Path,
) -> None:
    with Workspace.open(demo) as opened:
        spec = RunSpec(query="Find the cheapest petrol near Springfield, Illinois.")
        left = asyncio.run(engine.run(opened, spec)).run
        again = asyncio.run(engine.run(opened, spec)).run
        assert diff_runs(opened, left, again).first is None
        titles = {api.title: rowid for rowid, api in all_apis(opened).items()}
        history.do(opened, Exclude(rowids=(titles["TankTicker · Diesel only"],)))
        right = asyncio.run(engine.run(opened, spec)).run
        diff = diff_runs(opened, left, right)
        back = diff_runs(opened, right, left)
    [changed] = [node for node in diff.nodes if node.relation is Relation.CHANGED]
    assert changed.left == "plan.1/step.1"
    [change] = changed.changes
    assert change.what == "candidates"
    assert (change.left, change.right) == ("also TankTicker · Diesel only", "no others")
    assert diff.first is not None
    assert diff.first.sentence == (
        f"“Find the cheapest petrol near Springfield, Illinois” could choose: in run {left} also"
        f" TankTicker · Diesel only; in run {right} no others."
    )
    assert {(c.left, c.right) for node in back.nodes for c in node.changes} == {
        ("no others", "also TankTicker · Diesel only")
    }


def test_diff_when_a_fault_was_injected_then_it_is_not_told_as_a_failure_of_the_api(
    demo: Path,
) -> None:
    with Workspace.open(demo) as opened:
        spec = RunSpec(query="Convert 26.2 miles to kilometres.")
        left = asyncio.run(engine.run(opened, spec)).run
        right = asyncio.run(engine.run(opened, replace(spec, faults=("500:all,next=1",)))).run
        diff = diff_runs(opened, left, right)
    call, attempt = "plan.1/step.1/attempt.1/call.1", "plan.1/step.1/attempt.1"
    for path in (call, attempt):
        change = by_path(diff)[NodePath(path)].changes[0]
        assert (change.what, change.left, change.right) == (
            "state",
            "ok",
            "made to fail by a fault",
        )
    assert diff.first is not None
    assert diff.first.sentence == (
        f"“UnitWise · Convert units”: ok in run {left}, made to fail by a fault (server"
        f" error) in run {right}."
    )


def test_diff_when_a_person_skipped_a_call_then_no_rule_is_said_to_have_blocked_it(
    workspace: Workspace,
) -> None:
    def skip(debugger: Debugger, _held: Held) -> None:
        debugger.resume(decision=StopDecision(choice=Choice.SKIP))

    left = Session(workspace, skip, breakpoints=("api=kit1_0,at=before_call",)).summary.run
    right = Session(workspace, skip).summary.run
    diff = diff_runs(workspace, left, right)
    assert diff.first is not None
    assert diff.first.sentence == (
        f"“kit1 · kit1_0”: skipped by you in run {left}, ok in run {right}."
    )
    attempt = NodePath("plan.1/step.1/attempt.1")
    for path in (attempt, NodePath(f"{attempt}/call.1")):
        changes = {each.what: each.left for each in by_path(diff)[path].changes}
        assert changes["state"] == "skipped by you"
        assert "error" not in changes


def test_diff_when_strategies_differ_then_says_where_the_call_is_in_the_other_run(
    workspace: Workspace, shared_data: Path
) -> None:
    path = shared_data / "toolbench" / "stabletoolbench_examples.jsonl.gz"
    runs = import_runs(workspace, path).runs
    chain, search = runs[1], runs[4]
    diff = diff_runs(workspace, chain, search)
    root = diff.nodes[0]
    assert {"strategy", "status", "answer"} <= {change.what for change in root.changes}
    assert diff.counts[Relation.SAME] >= 3
    assert any(node.elsewhere for node in diff.nodes)
    assert diff.first is not None
    assert diff.first.path != ""


def test_render_when_printed_then_marks_the_first_difference_once(workspace: Workspace) -> None:
    left, right = record_run(workspace), record_run(workspace, failing=["kit1_0"])
    diff = diff_runs(workspace, left, right)
    lines = render_diff(diff)
    assert "1 same" not in lines[0]
    assert sum("◆" in line for line in lines) == 1
    assert any("+ kit1 · kit1_1" in line for line in lines)
    assert len(render_diff(diff, everything=True)) == len(diff.nodes) + 3
    rows = diff_rows(diff)
    assert len(rows["nodes"]) == len(diff.nodes)
    assert rows["first"]["sentence"] in lines[1]


def test_render_when_only_a_question_was_put_otherwise_then_says_so(workspace: Workspace) -> None:
    diff = diff_runs(workspace, record_run(workspace), record_run(workspace))
    assert way_words(diff) == "The runs went the same way."
    questions = [at for at, node in enumerate(diff.nodes) if node.is_prompt_same]
    asked = list(diff.nodes)
    asked[questions[0]] = replace(asked[questions[0]], is_prompt_same=False)
    (line,) = render_diff(replace(diff, nodes=tuple(asked)))[1:2]
    assert line == "The runs went the same way, though 1 of their questions was put otherwise."


def test_command_when_two_runs_are_compared_then_prints_text_and_json(tmp_path: Path) -> None:
    path = tmp_path / "w.toolplanner"
    with Workspace.create(path) as workspace:
        record_run(workspace)
        record_run(workspace, failing=["kit1_0"])
    text = toolplanner("runs", "diff", path, 1, 2)
    assert text.status == 0
    assert "First difference: “kit1 · kit1_0”: ok in run 1" in text.out
    data = toolplanner("runs", "diff", path, 1, 2, "--json").data
    assert data["first"]["path"] == "plan.1/step.1/attempt.1/call.1"
    assert toolplanner("runs", "diff", path, 1, 7).status == 2
    assert "different queries" not in text.err


def test_command_when_queries_differ_then_warns_that_most_differences_say_nothing(
    demo: Path,
) -> None:
    for query in ("Convert 26.2 miles to kilometres.", "What is the weather in Oslo?"):
        command_here("run", demo, query)
    numbers = [row["run"] for row in command_here("runs", "list", demo, "--json").data][:2]
    compared = command_here("runs", "diff", demo, *numbers)
    assert "Warning: these runs are of different queries" in compared.err


def test_totals_when_told_to_people_then_money_is_money_and_ends_are_words(
    workspace: Workspace,
) -> None:
    runs = [record_run(workspace, plans=[[("first", 1, [])]]) for _ in range(2)]
    diff = diff_runs(workspace, *runs)
    dear = replace(diff.left, cost=0.012267499999999999)
    diff = replace(diff, left=dear)
    words = {pair.name: total_words(diff, pair) for pair in diff.totals}
    assert total_words(diff, TotalPair("cost", dear.cost, None)) == ("$0.0123", "–")
    assert words["status"] == ("answered, not checked",) * 2
    said = command_here("runs", "diff", workspace.path, *runs).out
    assert "evidence" in said and "ended" in said
