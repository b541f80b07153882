"""Where the view of a growing run goes: within one branch of many, to its end."""

from toolplanner_core.domain.ids import ROOT, NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.presentation.tree_rows import row_to_follow
from toolplanner_core.runs.tree.node import Node


def nodes_of(states: dict[str, NodeState]) -> dict[NodePath, Node]:
    return {
        NodePath(path): Node(
            path=NodePath(path), parent=None, kind="agent", title=path, state=state
        )
        for path, state in {"": NodeState.RUNNING, **states}.items()
    }


RUNS, OK = NodeState.RUNNING, NodeState.OK


def test_view_when_steps_follow_each_other_then_goes_with_the_innermost_that_runs() -> None:
    nodes = nodes_of({"plan.1": RUNS, "plan.1/step.1": RUNS, "plan.1/step.2": OK})
    assert row_to_follow(nodes, [*nodes], ROOT) == "plan.1/step.1"
    nodes = nodes_of({"plan.1": RUNS, "plan.1/step.1": OK, "plan.1/step.2": RUNS})
    assert row_to_follow(nodes, [NodePath("plan.1/step.2")], NodePath("plan.1/step.1")) == (
        "plan.1/step.2"
    )


def test_view_when_branches_run_at_the_same_time_then_stays_with_one_until_it_ends() -> None:
    one, two = NodePath("agent.1"), NodePath("agent.2/agent.1")
    nodes = nodes_of({"agent.1": RUNS, "agent.2": RUNS, "agent.2/agent.1": RUNS})
    assert row_to_follow(nodes, [two], one) is None
    assert row_to_follow(nodes, [one, two], one) == one
    nodes = nodes_of({"agent.1": OK, "agent.2": RUNS, "agent.2/agent.1": RUNS})
    assert row_to_follow(nodes, [two], one) == two


def test_view_when_nothing_runs_or_what_it_followed_is_gone_then_stays_or_begins_anew() -> None:
    assert row_to_follow(nodes_of({"agent.1": OK}), [NodePath("agent.1")], ROOT) is None
    nodes = nodes_of({"plan.1": RUNS})
    assert row_to_follow(nodes, [NodePath("plan.1")], NodePath("agent.9/x.1")) == "plan.1"
