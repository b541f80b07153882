"""Bars on lanes: packed by time, merged when narrow, the same live as from disk."""

import random

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import CALL, QUESTION, NodeState
from toolplanner_core.runs.presentation.timeline import Timeline, describe_bar, ticks
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.toolkits.plan_nodes import ATTEMPT

MS = 1_000_000


def call(path: str, begin: int, end: int | None, state: NodeState = NodeState.OK) -> Node:
    parent, _, name = path.rpartition("/")
    return Node(
        path=NodePath(path),
        parent=NodePath(parent),
        kind=CALL.id if name.startswith("call") else QUESTION.id,
        title=name,
        state=state,
        opened_seq=begin + 1,
        started_ns=begin * MS,
        ended_ns=None if end is None else end * MS,
    )


def made(*nodes: Node) -> Timeline:
    timeline = Timeline()
    timeline.set_nodes({node.path: node for node in nodes})
    return timeline


def test_calls_that_overlap_stand_on_lanes_of_their_own() -> None:
    timeline = made(
        call("plan.1/step.1/call.1", 0, 10),
        call("plan.1/step.2/call.1", 5, 20),
        call("plan.1/step.1/call.2", 12, 30),
        call("plan.1/make_plan.1", 0, 3),
    )
    assert [(x.title, len(x.nodes)) for x in timeline.lanes] == [
        ("Model", 1), ("Calls", 2), ("Branch 2", 1),
    ]  # fmt: skip
    assert timeline.lane_of(NodePath("plan.1/step.1/call.2")) == 1


def test_call_when_it_was_never_sent_then_it_has_no_bar() -> None:
    sent, unsent = call("a/call.1", 0, 10, NodeState.FAILED), call("a/call.2", 10, 10)
    unsent.error, unsent.data = "missing_parameter", {"is_refused": True}
    assert [node.path for node in made(sent, unsent).lanes[1].nodes] == [sent.path]


def test_bar_when_its_reply_has_come_then_begins_when_it_was_sent() -> None:
    node = call("plan.1/step.1/call.1", 0, 100)
    timeline = made(node)
    node.reply_ns = 40 * MS  # the rest was writing the log
    [strip] = timeline.strips(
        timeline.lanes[1], left_ns=0, ns_per_px=MS, width_px=200, now_ns=100 * MS
    )
    assert (strip.begin_px, strip.end_px) == (60, 100)
    assert describe_bar(node).endswith("40 ms, from 60 ms after the start")


def test_no_two_bars_of_a_lane_overlap_whatever_the_times() -> None:
    rng = random.Random(3)
    nodes = []
    for number in range(300):
        begin = rng.randrange(1000)
        nodes.append(call(f"s.{number}/call.1", begin, begin + rng.randrange(40)))
    for lane in made(*nodes).lanes:
        for before, after in zip(lane.nodes, lane.nodes[1:], strict=False):
            assert before.ended_ns is not None
            assert after.started_ns is not None
            assert before.ended_ns <= after.started_ns


def test_lanes_grown_live_equal_those_of_the_stored_run() -> None:
    nodes: dict[NodePath, Node] = {}
    live = Timeline()
    live.set_nodes(nodes)
    first, second = call("s.1/call.1", 0, None), call("s.2/call.1", 5, None)
    third = call("s.1/call.2", 12, None)
    for node in (first, second, third):
        if node is third:
            first.ended_ns = 10 * MS
        nodes[node.path] = node
        live.add([node.path])
    second.ended_ns, third.ended_ns = 20 * MS, 30 * MS
    stored = made(first, second, third)
    assert [[n.path for n in x.nodes] for x in live.lanes] == [
        [n.path for n in x.nodes] for x in stored.lanes
    ]


def test_narrow_bars_are_merged_and_a_failure_among_them_is_not_lost() -> None:
    nodes = [call(f"s.1/call.{i}", i, i + 1) for i in range(5000)]
    nodes[777].state = NodeState.FAILED
    timeline = made(*nodes)
    lane = timeline.lanes[1]
    drawn = timeline.strips(lane, left_ns=0, ns_per_px=5 * MS, width_px=1000, now_ns=5000 * MS)
    assert len(drawn) < 1000
    assert sum(strip.n_bars for strip in drawn) == 5000
    assert any(strip.look.token == "failed" for strip in drawn)


def test_strips_hold_only_what_is_in_view() -> None:
    timeline = made(*(call(f"s.1/call.{i}", 10 * i, 10 * i + 8) for i in range(100)))
    drawn = timeline.strips(
        timeline.lanes[1], left_ns=505 * MS, ns_per_px=MS / 10, width_px=200, now_ns=0
    )
    assert [strip.node.title for strip in drawn] == ["call.50", "call.51", "call.52"]


def test_failed_call_of_an_attempt_that_fell_back_looks_like_it() -> None:
    attempt = Node(
        path=NodePath("a.1"), parent=None, kind=ATTEMPT.id, title="A",
        state=NodeState.FELL_BACK,
    )  # fmt: skip
    failed = call("a.1/call.1", 0, 1, NodeState.FAILED)
    timeline = made(attempt, failed)
    look = timeline.look(failed)
    assert look.word == "failed"
    assert describe_bar(failed).splitlines()[1] == "API call, failed"


def test_next_and_last_bar_in_order_of_time() -> None:
    timeline = made(call("s.1/ask.1", 0, 1), call("s.1/call.1", 2, 3), call("s.2/ask.1", 4, 5))
    after = timeline.beside(NodePath("s.1/call.1"), 1)
    assert after is not None
    assert after.path == "s.2/ask.1"
    assert timeline.beside(after.path, 1) is None
    below = timeline.first_below(NodePath("s.1"))
    assert below is not None
    assert below.path == "s.1/ask.1"


def test_ticks_are_round_and_far_enough_apart() -> None:
    assert [t.label for t in ticks(0, 1e6 / 10, 1000)] == [
        "0", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms", "60 ms", "70 ms", "80 ms", "90 ms",
        "100 ms",
    ]  # fmt: skip
    for exponent in range(3, 12):
        shown = ticks(0, 10.0**exponent, 900)
        assert 2 <= len(shown) <= 11
        assert len({t.label for t in shown}) == len(shown)
