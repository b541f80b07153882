"""The line of facts above the run tree."""

import pytest

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import RUN, NodeState
from toolplanner_core.runs.tree.node import Node
from toolplanner_gui.panels.run_tree.head import describe_run_facts


@pytest.mark.parametrize(
    ("status", "reason", "begin"),
    [
        ("cancelled", "The run was stopped", "The run was stopped · "),
        ("unsolved", "Not answered: How many days", "Not answered: How many days · "),
        ("unsolved", "Doubtful: “Hamburg” reached no call", "Not solved · Doubtful: "),
        ("solved", "", "Solved · Tool-Planner with "),
    ],
)
def test_facts_when_the_reason_tells_how_it_ended_then_it_is_not_said_twice(
    status: str, reason: str, begin: str
) -> None:
    data = {"status": status, "strategy": "tool-planner", "model": "m", "provider": "demo"}
    root = Node(
        path=NodePath(""), parent=None, kind=RUN.id, title="q", state=NodeState.OK, reason=reason,
        data=data,
    )  # fmt: skip
    assert describe_run_facts(root, None).startswith(begin)
