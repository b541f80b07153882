"""Which nodes are marked in the tree of a run."""

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.presentation.tree_rows import active_rows
from toolplanner_core.runs.tree.node import Node

FIRST, TRIED = NodePath("plan.1/step.1"), NodePath("plan.1/step.1/attempt.1")


def make_nodes(**states: NodeState) -> dict[NodePath, Node]:
    paths = {"root": "", "plan": "plan.1", "step": FIRST, "attempt": TRIED}
    return {
        NodePath(paths[name]): Node(
            path=NodePath(paths[name]), parent=None, kind="step", title="", state=state
        )
        for name, state in states.items()
    }


RUNNING = NodeState.RUNNING


def test_rows_when_nodes_run_inside_each_other_then_the_innermost_is_marked() -> None:
    nodes = make_nodes(root=RUNNING, plan=RUNNING, step=RUNNING, attempt=RUNNING)
    assert active_rows(nodes, (), nodes) == {TRIED: "running"}


def test_rows_when_the_innermost_ends_then_the_one_around_it_is_marked() -> None:
    nodes = make_nodes(root=RUNNING, plan=RUNNING, step=RUNNING, attempt=NodeState.OK)
    assert active_rows(nodes, (TRIED,), (TRIED,)) == {FIRST: "running"}


def test_rows_when_a_node_is_held_then_it_is_marked_beside_what_runs() -> None:
    nodes = make_nodes(root=RUNNING, plan=RUNNING, step=NodeState.PAUSED, attempt=RUNNING)
    assert active_rows(nodes, (), nodes) == {FIRST: "paused", TRIED: "running"}


def test_rows_when_nothing_runs_then_none_is_marked() -> None:
    assert active_rows(make_nodes(root=NodeState.OK, step=NodeState.OK), (FIRST,), ()) == {}
