"""The way from a step of a run to the questions about its toolkit."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_gui.actions.action import Action, Separator
from toolplanner_gui.actions.context_menu import entries_of
from toolplanner_gui.actions.review_menu import SELECTED, node_review_entries
from toolplanner_gui.context import AppContext


@dataclass
class Opened:
    """A node as far as the menu looks."""

    parent: NodePath | None
    data: dict[str, Any] = field(default_factory=dict)


@pytest.fixture
def run(opened: AppContext, monkeypatch: pytest.MonkeyPatch) -> AppContext:
    """A step of the first toolkit with a call, and a step of a toolkit that is no more."""
    toolkit = int(opened.catalogue.toolkits[0].id)
    nodes = {
        NodePath("plan.1"): Opened(None),
        NodePath("plan.1/step.1"): Opened(NodePath("plan.1"), {"toolkit": toolkit}),
        NodePath("plan.1/step.1/attempt.1"): Opened(NodePath("plan.1/step.1")),
        NodePath("plan.1/step.2"): Opened(NodePath("plan.1"), {"toolkit": 99_999}),
    }
    monkeypatch.setattr(type(opened.run_view), "nodes", property(lambda _view: nodes))
    return opened


def test_review_of_a_step_when_its_toolkit_lives_then_its_questions_are_shown(
    run: AppContext,
) -> None:
    for path in ("plan.1/step.1", "plan.1/step.1/attempt.1"):
        (entry,) = node_review_entries(run, NodePath(path))
        assert isinstance(entry, Action)
    entry.run(run)
    assert run.review.choice.toolkit == run.catalogue.toolkits[0].id
    assert run.shell is not None
    assert "call_panel" in run.shell.asked  # type: ignore[attr-defined] - the fake one
    run.jobs.cancel_all()()


@pytest.mark.parametrize("path", ["plan.1", "plan.1/step.2"])
def test_review_of_a_step_when_there_is_no_such_toolkit_then_not_offered(
    run: AppContext, path: str
) -> None:
    assert node_review_entries(run, NodePath(path)) == ()


def test_review_of_the_selection_when_one_toolkit_then_offered_else_says_why_not(
    opened: AppContext,
) -> None:
    entries = entries_of(opened, "selection", None)
    assert SELECTED in entries
    assert any(isinstance(entry, Separator) for entry in entries)
    assert SELECTED.refused_when(opened).startswith("Select a toolkit")
    opened.selection.select_toolkit(ToolkitId(opened.catalogue.toolkits[0].id))
    assert SELECTED.is_enabled(opened)
