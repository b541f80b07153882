"""Which rows of the run tree open and fold by themselves."""

import pytest

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import RUN, NodeState
from toolplanner_core.runs.presentation.tree_rows import MOST_OPEN, OpenRows
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.toolkits.plan_nodes import ATTEMPT, PLAN, STEP

FIRST = NodePath("plan.1")


def make_nodes(*states: NodeState) -> dict[NodePath, Node]:
    """A run with a plan and a step of each state, each with one attempt of the same state."""
    nodes: dict[NodePath, Node] = {}

    def add(path: str, kind: str, state: NodeState) -> None:
        above = NodePath(path.rpartition("/")[0]) if path else None
        node = Node(path=NodePath(path), parent=above, kind=kind, title=path, state=state)
        nodes[node.path] = node
        if above is not None:
            nodes[above].children.append(node.path)

    add("", RUN.id, NodeState.RUNNING)
    add(FIRST, PLAN.id, NodeState.RUNNING)
    for number, state in enumerate(states, 1):
        add(f"{FIRST}/step.{number}", STEP.id, state)
        add(f"{FIRST}/step.{number}/attempt.1", ATTEMPT.id, state)
    return nodes


def test_steps_are_open_attempts_only_below_a_failed_step() -> None:
    nodes = make_nodes(NodeState.OK, NodeState.FAILED)
    changes = OpenRows().decide(nodes, nodes)
    step = f"{FIRST}/step."
    assert changes.opened == ["", FIRST, f"{step}1", f"{step}2", f"{step}2/attempt.1"]
    assert changes.folded == []


def test_finished_steps_fold_by_choice_and_a_second_look_changes_nothing() -> None:
    nodes = make_nodes(NodeState.RUNNING)
    rows = OpenRows(folds_finished=True)
    step = NodePath(f"{FIRST}/step.1")
    assert step in rows.decide(nodes, nodes).opened
    nodes[step].state = NodeState.OK
    assert rows.decide([step], nodes).folded == [step]
    assert rows.decide([step], nodes) == ([], [])


@pytest.mark.parametrize("folds_finished", [True, False])
def test_stored_run_with_the_choice_leaves_finished_steps_folded(folds_finished: bool) -> None:
    nodes = make_nodes(NodeState.OK, NodeState.OK)
    rows = OpenRows(folds_finished=folds_finished)
    assert (f"{FIRST}/step.1" in rows.decide(nodes, nodes).opened) is not folds_finished
    rows.folds_finished = not folds_finished
    changes = rows.refold(nodes)
    assert len(changes.opened if folds_finished else changes.folded) == 2


def test_long_run_opens_a_bounded_number_of_steps() -> None:
    nodes = make_nodes(*[NodeState.OK] * (2 * MOST_OPEN))
    rows = OpenRows()
    assert len(rows.decide(nodes, nodes).opened) == MOST_OPEN + 2
    rows.begin()
    assert len(rows.decide(nodes, nodes).opened) == MOST_OPEN + 2
