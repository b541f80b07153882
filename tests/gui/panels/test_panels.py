"""The panels over the real demo workspace: they show it and share the selection."""

import numpy as np
import pytest
from fixtures.map_hand import colour_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.details_panel import DetailsPanel
from toolplanner_gui.panels.inspector_panel import InspectorPanel
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.panels.map_trails import plan_trails
from toolplanner_gui.panels.run_tree_panel import RunTreePanel
from toolplanner_gui.panels.runs_panel import RunsPanel
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel
from toolplanner_gui.viewmodels.curate.toolkit_model import TOOLKIT_ROLE
from toolplanner_gui.viewmodels.debug.run_tree_model import CAUSE_ROLE

LEFT = Qt.MouseButton.LeftButton
FALLBACK_QUERY = "Find the cheapest petrol near Springfield, Illinois."


@pytest.fixture
def toolkits(opened: AppContext, qtbot) -> ToolkitsPanel:
    panel = ToolkitsPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(300, 600)
    panel.show()
    return panel


def run_query(context: AppContext, qtbot, query: str = FALLBACK_QUERY) -> None:
    context.run_view.start(RunSpec(query=query, provider="demo"))
    with qtbot.waitSignal(context.run_view.runs_changed, timeout=20_000):
        qtbot.waitUntil(lambda: not context.run_view.is_live, timeout=20_000)
    qtbot.waitUntil(
        lambda: (
            context.run_view.summary is not None
            and context.run_view.summary.status is not Status.RUNNING
        ),
        timeout=10_000,
    )


def test_toolkit_list_when_clicked_selects_the_toolkit(toolkits: ToolkitsPanel, qtbot) -> None:
    index = toolkits.model.index(3, 0)
    with qtbot.waitSignal(toolkits.context.selection.changed):
        toolkits.tree.setCurrentIndex(index)
    assert toolkits.context.selection.toolkit == index.data(TOOLKIT_ROLE)
    toolkits.tree.expand(index)
    with qtbot.waitSignal(toolkits.context.selection.changed):
        toolkits.tree.setCurrentIndex(toolkits.model.index(0, 0, index))
    assert len(toolkits.context.selection.apis) == 1


def test_toolkit_list_follows_the_selection_of_others(toolkits: ToolkitsPanel) -> None:
    wanted = toolkits.context.catalogue.toolkits[7].id
    toolkits.context.selection.select_toolkit(wanted)
    assert toolkits.tree.currentIndex().data(TOOLKIT_ROLE) == wanted
    assert toolkits.context.selection.toolkit == wanted


def test_search_when_several_toolkits_are_marked_then_all_of_them_are_selected(
    toolkits: ToolkitsPanel, qtbot
) -> None:
    toolkits.find()
    qtbot.keyClicks(toolkits.field, "weather")
    qtbot.waitUntil(lambda: toolkits.search.model.rowCount() > 3)
    found, view = toolkits.context.catalogue.named("weather"), toolkits.search.view
    assert len(found) > 1
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(0, 0)).center())
    second = view.visualRect(view.model().index(1, 0)).center()
    qtbot.mouseClick(view.viewport(), LEFT, Qt.KeyboardModifier.ControlModifier, pos=second)
    assert {t.id for t in toolkits.context.chosen.toolkits} == {t.id for t in found[:2]}


def test_search_finds_apis_and_clearing_shows_the_tree(toolkits: ToolkitsPanel, qtbot) -> None:
    toolkits.find()
    qtbot.keyClicks(toolkits.field, "currency exchange rate")
    qtbot.waitUntil(lambda: toolkits.search.model.rowCount() > 0, timeout=20_000)
    assert toolkits.pages.currentWidget() is toolkits.search
    found = toolkits.context.map_look.found
    assert found is not None
    listed = [hit.rowid for hit in toolkits.search._hits]
    assert int(found.sum()) == len({*listed, *toolkits.search._search.matching.tolist()}) > 0
    qtbot.keyClick(toolkits.field, Qt.Key.Key_Down)
    assert toolkits.context.selection.count >= 1
    qtbot.keyClick(toolkits.field, Qt.Key.Key_Escape)
    assert toolkits.pages.currentWidget() is toolkits.tree
    assert toolkits.context.map_look.found is None


def test_details_show_a_toolkit_then_one_of_its_apis(opened: AppContext, qtbot) -> None:
    panel = DetailsPanel(opened)
    qtbot.addWidget(panel)
    panel.show()
    toolkit = opened.catalogue.toolkits[0]
    opened.selection.select_toolkit(toolkit.id)
    model = panel.toolkit_page.members_model
    qtbot.waitUntil(lambda: model.rowCount() == toolkit.size)
    panel.toolkit_page.members.setCurrentIndex(model.index(0, 0))
    assert panel.pages.currentWidget() is panel.api_page
    shown = " ".join(x.text() for x in panel.api_page.findChildren(QLabel))
    assert "GET" in shown
    assert all(
        x.textFormat() is Qt.TextFormat.PlainText for x in panel.findChildren(QLabel) if x.text()
    )


def test_details_of_several_apis_count_their_toolkits(opened: AppContext, qtbot) -> None:
    panel = DetailsPanel(opened)
    qtbot.addWidget(panel)
    opened.selection.select_apis(opened.catalogue.rowids[:40])
    assert panel.pages.currentWidget() not in (panel.api_page, panel.toolkit_page)


def test_map_and_selection_follow_each_other(opened: AppContext, qtbot) -> None:
    panel = MapPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(600, 400)
    panel.show()
    qtbot.waitUntil(lambda: panel.is_idle, timeout=10_000)
    toolkit = opened.catalogue.toolkits[2]
    opened.selection.select_toolkit(toolkit.id)
    assert np.array_equal(panel.canvas.selected, opened.catalogue.points_of_toolkit(toolkit.id))
    assert opened.selection.toolkit == toolkit.id
    mask = panel.canvas.points.selection.mask_of(np.array([3]))
    panel.canvas.select_by_hand(mask, "replace", {"by": "click"})
    assert list(opened.selection.apis) == [opened.catalogue.rowids[3]]
    assert opened.colours[toolkit.id] == colour_of(panel.canvas, 2).name()


def test_run_is_shown_live_with_fallbacks_and_their_causes(opened: AppContext, qtbot) -> None:
    tree = RunTreePanel(opened)
    runs = RunsPanel(opened)
    inspector = InspectorPanel(opened)
    for panel in (tree, runs, inspector):
        qtbot.addWidget(panel)
        panel.resize(700, 500)
        panel.show()
    run_query(opened, qtbot)
    assert runs.model.rowCount() == 1
    facts = tree.head.facts.text()
    told = "Tool-Planner with offline planner on Demo world, where it is Friday, 2026-11-20 · "
    assert told in facts
    tree.resize(420, 500)
    label, line = tree.head.facts, tree.head.facts.fontMetrics()
    qtbot.waitUntil(lambda: label.height() >= 2 * line.height())
    assert label.height() >= label.heightForWidth(label.width()), "no fact is cut"
    tree.resize(700, 500)
    qtbot.waitUntil(lambda: inspector.report is not None)
    assert inspector.report.facts.endswith(
        " · offline planner · Demo world, where it is Friday, 2026-11-20"
    )
    assert inspector.report.facts.count("planner") == 1
    view = opened.run_view
    assert view.node == "", "the run itself is looked at until somebody chooses"
    caused = [n for n in view.nodes.values() if n.kind == "attempt" and n.cause is not None]
    assert caused, "this query needs a fallback in the demo world"
    index = tree.model.index_of(caused[0].path)
    assert index.data(CAUSE_ROLE).startswith("↰ because")

    view.select_node(caused[0].path)
    qtbot.waitUntil(lambda: inspector.report is not None and bool(inspector.report.cause_text))
    assert inspector.pages.minimumSizeHint().width() < 360, "it does not widen the window"
    assert tree.tree.currentIndex() == index
    place = tree.tree.visualRect(index)
    hover = tree._link_hover
    for x in range(place.left(), place.right(), 8):
        qtbot.mouseMove(tree.tree.viewport(), QPoint(x, place.center().y()))
        if hover.hovered is not None:
            break
    assert hover.hovered == caused[0].path
    assert hover.target is not None
    cause = view.node_of_event(caused[0].cause)
    assert cause is not None
    assert cause.startswith(hover.target), "or the row above it, when it is folded away"
    tree._on_cause_clicked(index)
    assert view.node == cause
    failed = view.nodes[cause]
    assert failed.state == "failed"

    tree._on_activated(tree.model.index_of(failed.path))
    assert len(opened.selection.apis) == 1


def test_run_tree_after_reopening_is_the_same(opened: AppContext, qtbot) -> None:
    tree = RunTreePanel(opened)
    qtbot.addWidget(tree)
    run_query(opened, qtbot)
    view = opened.run_view
    run = view.run
    assert run is not None
    live = {p: (n.title, n.state, n.reason, n.cause_text) for p, n in view.nodes.items()}
    view._look_at(RunId(0), RunTree(), clock=None)
    view.show_run(run)
    qtbot.waitUntil(lambda: bool(view.nodes))
    stored = {p: (n.title, n.state, n.reason, n.cause_text) for p, n in view.nodes.items()}
    assert stored == live


def test_run_with_a_model_that_is_not_there_is_reported(opened: AppContext, qtbot) -> None:
    with qtbot.waitSignal(opened.problem_reported, timeout=10_000) as reported:
        opened.run_view.start(RunSpec(query="x", model="no-such-model"))
    assert "no-such-model" in reported.args[0].what
    qtbot.waitUntil(lambda: not opened.run_view.is_live)


def test_plan_of_a_run_is_a_path_over_the_map(opened: AppContext, qtbot) -> None:
    panel = MapPanel(opened)
    qtbot.addWidget(panel)
    run_query(opened, qtbot)
    picture = plan_trails(opened.run_view.nodes, panel._place_of)
    (trail,) = picture.trails
    (stop,) = trail.stops
    assert (stop.label, stop.token, stop.is_active, trail.is_old) == ("1", "ok", False, False)
    assert picture.words == "Plan 1 · 1 step: 1 ok"
    assert stop.lines[0].startswith("Step 1 · ")
    assert plan_trails({}, panel._place_of) == ([], "")
