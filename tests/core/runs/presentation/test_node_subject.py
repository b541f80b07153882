"""What a node is about, and what "break here" means there, for strategies with and without
toolkits."""

from typing import Any

from toolplanner_core.domain.ids import ApiId, NodePath
from toolplanner_core.domain.nodes import CALL, QUESTION, RUN, NodeState
from toolplanner_core.runs.presentation.node_subject import Subject, breakpoint_parts, subject_of
from toolplanner_core.runs.tree.node import Node


def nodes(strategy: str, **below: tuple[str, dict[str, Any]]) -> dict[NodePath, Node]:
    """A run with a thought, and what is below it by name: kind and data."""
    paths = {"": (RUN.id, {"strategy": strategy}), "thought.1": ("thought", {}), **below}
    made: dict[NodePath, Node] = {}
    for name, (kind, data) in paths.items():
        path = NodePath(name if not name or "thought" in name else f"thought.1/{name}")
        parent = NodePath(path.rpartition("/")[0]) if path else None
        title = "Meteo · now" if kind == CALL.id else name
        made[path] = Node(
            path=path, parent=parent, kind=kind, title=title, state=NodeState.OK, data=data
        )
        if parent is not None:
            made[parent].children.append(path)
    return made


def test_thought_when_it_called_an_api_then_it_is_about_that_api() -> None:
    tree = nodes("react", call=(CALL.id, {"api": "a1"}))
    tree[NodePath("thought.1")].data = {"api": "a1"}
    about = Subject(api=ApiId("a1"), api_title="Meteo · now")
    assert subject_of(tree, NodePath("thought.1")) == about
    assert breakpoint_parts(tree, NodePath("thought.1"))["at"] == "before_call"


def test_thought_when_it_called_nothing_then_its_question_is_where_to_break() -> None:
    tree = nodes("react", act=(QUESTION.id, {"question": "act"}))
    parts = {"at": "before_question", "if": 'question == "act"'}
    assert breakpoint_parts(tree, NodePath("thought.1")) == parts
    assert breakpoint_parts(nodes("react"), NodePath("thought.1")) == {"failure": "always"}


def test_run_when_its_strategy_declares_a_failure_then_that_is_where_to_break() -> None:
    assert breakpoint_parts(nodes("tool-planner"), NodePath("")) == {"failure": "exhausted"}
    assert breakpoint_parts(nodes("dfsdt"), NodePath("")) == {"failure": "always"}
    assert breakpoint_parts(nodes("unknown"), NodePath("")) == {"failure": "always"}
