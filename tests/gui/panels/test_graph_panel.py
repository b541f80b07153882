"""The graph panel over the demo workspace: edges of what is selected, decided and taken back."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from fixtures.command_line import command_here
from fixtures.recorded_runs import record_run

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.runs.config.presets import remember_choice
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.graph.tool_graph import build_graph, graph_now
from toolplanner_core.strategies.techniques.tool_graph import GRAPH_MEMORY
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, ids_by_rowid
from toolplanner_core.workspace.memories import decide_memory
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.graph_panel import GraphPanel
from toolplanner_gui.panels.map_trails import transition_trails


@pytest.fixture
def panel(opened: AppContext, qtbot) -> GraphPanel:
    made = GraphPanel(opened)
    qtbot.addWidget(made)
    made.resize(1000, 400)
    made.show()
    qtbot.waitUntil(lambda: made.is_idle)
    return made


@pytest.fixture
def apis(opened: AppContext) -> list[ApiId]:
    """Three APIs; the first is mostly followed by the second."""
    rowids = all_rowids(opened.file)[:3]
    ids = ids_by_rowid(opened.file, rowids)
    first, second, third = (ids[rowid] for rowid in rowids)
    built = build_graph(opened.file, [[first, second]] * 3 + [[first, third]])
    scored = built.with_scores({second: (-2, "no data")})
    decide_memory(opened.file, GRAPH_MEMORY, scored.to_json())
    return [first, second, third]


def select(panel: GraphPanel, place: int, qtbot) -> None:
    rowids = all_rowids(panel.context.file)
    panel.context.selection.select_apis([rowids[place]], None)
    qtbot.waitUntil(lambda: panel.is_idle and panel.pages.currentIndex() == 1)


def choose(panel: GraphPanel, spec: RunSpec) -> None:
    """How the next run is made, as it stands in the file."""
    remember_choice(panel.context.file, spec)
    panel.context.file.writer.run(lambda db: None)


def cells(panel: GraphPanel) -> list[tuple[str, str, str]]:
    """Weight, score, decided of each row."""
    model = panel.model
    return [
        tuple(model.index(row, column).data() for column in (1, 3, 4))
        for row in range(model.rowCount())
    ]


def wait(panel: GraphPanel, qtbot, decided: list[str]) -> None:
    qtbot.waitUntil(lambda: [d for _, _, d in cells(panel)] == decided)


def test_graph_when_nothing_is_known_then_says_what_to_do(panel, qtbot):
    assert panel.pages.currentIndex() == 0
    assert "nothing is known yet" in panel.empty.sentence


def test_graph_when_an_api_is_selected_then_shows_its_neighbours_and_why(panel, apis, qtbot):
    select(panel, 0, qtbot)
    # f(-2) = exp(-1) = 0.37; with the API itself and the end 3.37 in all
    assert cells(panel) == [("43", "-2", ""), ("27", "0", ""), ("15", "0", ""), ("15", "0", "")]
    assert "= 0.5 × 75.0 from trajectories + 0.5 × 10.9 from scores" in panel.how.text()
    qtbot.waitUntil(lambda: "scored -2: no data" in panel.changes.text())
    assert "50.0 → 43.0" in panel.changes.text()
    select(panel, 1, qtbot)
    assert panel.words.text() == "Scores over runs: -2, together -2"
    assert cells(panel)[-1] == ("43", "-2", ""), "the first one comes before it"


def test_graph_when_the_next_run_goes_by_another_formula_then_its_weights_are_shown(
    panel, apis, qtbot
):
    choose(panel, RunSpec(query="", strategy="toolnet", options={"alpha": 1.0, "beta": 0.25}))
    select(panel, 0, qtbot)
    # f(-2) = exp(-2) = 0.14; with the API itself and the end 3.14 in all
    assert cells(panel)[-1] == ("22", "-2", "")
    assert {weight for weight, *_ in cells(panel)} == {"30", "24", "22"}
    choose(panel, RunSpec(query="", strategy="react"))
    select(panel, 1, qtbot)
    select(panel, 0, qtbot)
    assert cells(panel)[0] == ("43", "-2", "")


def test_graph_when_edges_are_decided_then_kept_and_undone_step_by_step(panel, apis, qtbot):
    select(panel, 0, qtbot)
    panel.weight.setValue(5)
    panel.set_button.click()
    wait(panel, qtbot, ["", "", "", "set"])
    first, second, _ = apis
    assert graph_now(panel.context.file).decided == {first: {second: 0.05}}
    panel.view.setCurrentIndex(panel.model.index(0, 0))
    panel.cut_button.click()
    wait(panel, qtbot, ["", "", "set", "cut"])
    panel.undo_button.click()
    wait(panel, qtbot, ["", "", "", "set"])
    panel.undo_button.click()
    wait(panel, qtbot, ["", "", "", ""])
    assert not graph_now(panel.context.file).decided


def test_graph_when_an_edge_is_activated_then_its_other_end_is_selected(panel, apis, qtbot):
    select(panel, 0, qtbot)
    panel.view.setFocus()
    panel.view.setCurrentIndex(panel.model.index(0, 0))
    panel.view.activated.emit(panel.model.index(0, 0))
    rowids = all_rowids(panel.context.file)
    assert panel.context.selection.rowids().tolist() == [rowids[1]]
    qtbot.waitUntil(lambda: panel.heading.text() != "" and panel.words.text().endswith("-2"))


def test_graph_when_built_from_runs_of_the_workspace_then_says_how_many_and_who_added_nothing(
    panel, qtbot, tmp_path
):
    """An imported run whose calls name no API of this workspace."""
    file = tmp_path / "runs.jsonl"
    with Workspace.create(tmp_path / "there.toolplanner") as there, ThreadPoolExecutor() as aside:
        run = aside.submit(record_run, there).result()
        file.write_text("".join(export_jsonl(there, [run])), encoding="utf-8")
    assert command_here("runs", "import", panel.context.file.path, file).status == 0
    told: list[str] = []
    panel.context.message_shown.connect(told.append)
    panel.empty.findChild(type(panel.set_button)).click()
    qtbot.waitUntil(lambda: any("The graph was built from" in text for text in told))
    assert "1 run that answered added nothing" in told[-1]


def test_graph_when_a_weight_does_not_fit_then_it_is_said_and_not_cut(panel, apis, qtbot):
    select(panel, 0, qtbot)
    panel.weight.setFocus()
    panel.weight.lineEdit().selectAll()
    qtbot.keyClicks(panel.weight.lineEdit(), "500")
    assert panel.weight.value() == 500
    assert panel.problem.text() == "A weight is a number from 0 to 100"
    assert not panel.set_button.isEnabled()
    panel.weight.setValue(50)
    assert panel.problem.isHidden()
    assert panel.set_button.isEnabled()


def test_graph_when_an_api_was_scored_then_a_chart_shows_its_score_over_runs(panel, apis, qtbot):
    select(panel, 0, qtbot)
    assert panel.switch.isHidden()
    select(panel, 1, qtbot)
    qtbot.waitUntil(panel.switch.isVisible)
    panel.switch.choose(1)
    assert panel.chart.isVisible()
    assert [(bar.height, bar.tooltip) for bar in panel.chart._bars] == [
        (-2, "-2, together -2: no data")
    ]
    select(panel, 0, qtbot)
    qtbot.waitUntil(panel.how.isVisible)
    assert not panel.chart.isVisible(), "this one has no scores"


def test_graph_when_the_panel_is_small_then_names_of_apis_and_the_chart_have_room(
    panel, apis, qtbot
):
    panel.resize(600, 180)
    select(panel, 1, qtbot)
    assert panel.view.columnWidth(0) >= 110
    assert panel.view.isColumnHidden(4), "nothing is decided"
    panel.switch.choose(1)
    assert panel.chart.height() >= 90


def test_graph_when_seen_then_its_transitions_are_given_to_the_map_until_it_is_hidden(
    panel, apis, qtbot
):
    select(panel, 0, qtbot)
    first, second, third = apis
    shown = panel.context.transitions
    found = {(a.before, a.after): a.weight for a in shown.arrows}
    assert found == {(first, second): 43, (first, third): 27, (first, first): 15}
    places = {first: (0.0, 0.0), second: (1.0, 0.0)}
    picture = transition_trails(shown.arrows, shown.words, places.get)
    assert [[stop.label for stop in trail.stops] for trail in picture.trails] == [["", "43"]]
    panel.hide()
    assert not shown.arrows
    panel.show()
    qtbot.waitUntil(lambda: bool(shown.arrows))
