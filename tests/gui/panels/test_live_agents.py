"""The run tree while many agents work at the same time: what is looked at stays where it is, and
the view does not jump from one agent to the other."""

from pathlib import Path

import pytest
from fixtures.catalogues import add_apis
from fixtures.debug_desk import DebugDesk
from fixtures.wild_agents import ENDLESS, WildAgents, many_apis

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.llm.model import ModelPlugin, models
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext

SPEC = RunSpec(
    query="weather and money", strategy="anytool", model="wild", provider="simulated",
    options={**ENDLESS, "hierarchy": "categories"},
    limits=Limits(max_model_calls=None, max_api_calls=None, max_seconds=None),
)  # fmt: skip
WATCHED = 60
"""Rows that come while somebody looks at an agent."""


@pytest.fixture
def live(context: AppContext, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DebugDesk:
    """A run in which more than ten agents work."""
    model = WildAgents(seed=3, delay_s=0.05, finds_enough=0)
    wild = ModelPlugin(id="wild", title="Wild", description="", make=lambda *_: model)
    monkeypatch.setitem(models.plugins, "wild", wild)
    path = tmp_path / "many.toolplanner"
    with Workspace.create(path) as workspace:
        add_apis(workspace, many_apis())
    context.tasks.spawn(context.open_workspace(path), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    desk = DebugDesk(context, qtbot)
    context.run_view.start(SPEC)
    qtbot.waitUntil(lambda: len(running(context)) > 10)
    return desk


def running(context: AppContext) -> list[NodePath]:
    nodes = context.run_view.nodes.values()
    return [n.path for n in nodes if "_agent" in n.kind and n.state is NodeState.RUNNING]


@pytest.mark.parametrize("where", ["tree", "elsewhere"])
def test_tree_when_an_agent_is_selected_then_it_stays_in_its_place_while_others_grow(
    live: DebugDesk, qtbot, where: str
) -> None:
    panel, view = live.tree, live.context.run_view
    chosen = running(live.context)[6]
    index = panel.model.index_of(chosen)
    panel.tree.scrollTo(index, panel.tree.ScrollHint.PositionAtCenter)
    if where == "tree":
        panel.tree.setCurrentIndex(index)
    else:
        view.select_node(chosen, live.inspector)
    place, rows = panel.tree.visualRect(index).top(), len(view.nodes)
    places: set[int] = set()

    def has_grown() -> bool:
        places.add(panel.tree.visualRect(panel.model.index_of(chosen)).top())
        return len(view.nodes) > rows + WATCHED

    qtbot.waitUntil(has_grown)
    assert places == {place}
    assert view.node == chosen == panel.model.path_of(panel.tree.currentIndex())
    live.settle()
    assert live.inspector.report is not None
    assert live.inspector.report.title == view.nodes[chosen].title
    live.until_over()
    assert view.node == chosen


def test_tree_when_nobody_selects_then_the_view_stays_with_an_agent_until_its_end(
    live: DebugDesk, qtbot
) -> None:
    view, following = live.context.run_view, live.tree._following
    rows, seen = len(view.nodes), [following._followed]

    def has_grown() -> bool:
        if following._followed != seen[-1]:
            left = view.nodes[seen[-1]]
            into = following._followed.startswith(f"{seen[-1]}/")
            assert into or left.state is not NodeState.RUNNING, (seen[-1], following._followed)
            seen.append(following._followed)
        return len(view.nodes) > rows + WATCHED

    qtbot.waitUntil(has_grown)
    live.until_over()
