"""One click says what a sitting of edits changed in the plans of saved queries."""

from pathlib import Path

from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.graph.trajectories import trajectory_of
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.panels.history_panel import HistoryPanel
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.plans_since_dialog import PlansSinceDialog

QUERY = "Convert 26.2 miles to kilometres."


def test_edits_when_asked_what_they_changed_then_each_query_shows_both_plans_and_leads_to_its_run(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    context.run_view.start(RunSpec(query=QUERY, provider="demo"))
    qtbot.waitUntil(lambda: context.run_view.run is not None and not context.run_view.is_live)
    run = context.run_view.run
    assert run is not None
    [answered] = trajectory_of(load_tree(context.file, run))
    rowids = tuple(rowids_of(context.file, [answered]).values())
    context.curation.do(Exclude(rowids=rowids))
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle)
    window.show_layout("curate")
    panel = window.workspace_view.docks.panel("history")
    assert isinstance(panel, HistoryPanel)
    panel.plans_button.click()
    [dialog] = window.findChildren(PlansSinceDialog)
    qtbot.waitUntil(lambda: dialog.is_idle and dialog.model.rowCount() > 0)
    assert dialog.since.currentText().startswith("Before the last sitting, begun")
    query, way, why = dialog.model.row(0).cells
    assert (query, way) == (QUERY, "worse")
    assert why == "What answered: tried first → not in the plan"
    then, now = (label.text() for label in dialog.plans)
    assert then != now and "first:" in then and "first:" in now
    dialog.run_button.click()
    assert window.current_layout() == "debug"
    assert context.run_view.run == run
