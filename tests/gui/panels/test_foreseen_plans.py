"""Before an edit is made, staging tray and review say which saved queries it would replan."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.workspace.catalogue import api_names, rowids_of
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.plan_impact import PlanImpact
from toolplanner_gui.panels.review_panel import ReviewPanel
from toolplanner_gui.panels.staging_panel import StagingPanel
from toolplanner_gui.viewmodels.item_models import KEY_ROLE
from toolplanner_gui.windows.edit_dialogs import MoveDialog
from toolplanner_gui.windows.edit_effects_dialog import EditEffectsDialog
from toolplanner_gui.windows.main_window import MainWindow

MILES = "Reference/unitwise/convert_units"


def ids(context: AppContext, *names: str) -> tuple:
    by_name = {toolkit.name: toolkit.id for toolkit in context.catalogue.toolkits}
    return tuple(by_name[name] for name in names)


def test_merge_when_staged_then_says_which_saved_queries_it_would_replan(
    opened: AppContext, qtbot
) -> None:
    panel = StagingPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(900, 260)
    panel.show()
    assert panel.plans.isHidden()
    opened.staging.add(ids(opened, "Unit conversion", "Currency exchange"))
    qtbot.waitUntil(lambda: panel.is_idle)
    said = panel.plans.label.text()
    assert said.startswith("3 of 15 cases would be planned differently")
    assert said.count("with other fallbacks") == 2
    [other] = [line for line in said.splitlines() if "→" in line]
    assert "Convert 26.2 miles" in other
    opened.staging.clear()
    assert panel.plans.isHidden()


def test_plans_when_another_edit_is_asked_about_then_the_first_is_forgotten(
    opened: AppContext, qtbot
) -> None:
    plans = PlanImpact(opened)
    qtbot.addWidget(plans)
    (one,) = ids(opened, "Helicopters")
    plans.ask(PinToolkits(toolkits=(one,), is_pinned=False))
    qtbot.waitUntil(lambda: plans.is_idle)
    refused = plans.label.text()
    assert refused, "why it cannot be said stands there"
    plans.ask(PinToolkits(toolkits=(one,), is_pinned=True))
    plans.ask(None)
    assert plans.is_idle
    assert plans.isHidden()


def test_question_when_looked_at_then_says_what_accepting_does_to_plans(
    opened: AppContext, qtbot
) -> None:
    panel = ReviewPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(1000, 700)
    panel.show()
    qtbot.waitUntil(lambda: opened.review.current is not None and panel.is_idle)
    card = opened.review.cards.card
    if card is None or card.proposed is None or card.proposed.edit is None:
        pytest.fail("the first question of the demo proposes an edit")
    assert "would be planned differently" in panel.plans.label.text()


def write_tasks(demo: Path) -> Path:
    """A data set beside the workspace; of its first query the gold API is known."""
    queries = (
        Query(id="miles", text="Convert 26.2 miles to kilometres.", gold=(frozenset({MILES}),)),
        Query(id="euro", text="Convert 250 EUR to USD"),
        Query(id="weather", text="Will it rain in Lisbon tomorrow?"),
    )
    file = demo.with_name("tasks.jsonl")
    write_data_set(DataSet(name="tasks", queries=queries), file)
    return file


def test_merge_when_a_data_set_lies_beside_then_its_tasks_are_planned_too_and_lead_to_the_pairs(
    window: MainWindow, demo: Path, qtbot
) -> None:
    write_tasks(demo)
    context = window._context
    context.tasks.spawn(context.open_workspace(demo), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=30_000)
    panel = StagingPanel(context)
    qtbot.addWidget(panel)
    panel.resize(900, 300)
    panel.show()
    context.staging.add(ids(context, "Currency exchange", "Unit conversion"))
    qtbot.waitUntil(lambda: panel.is_idle)
    said = panel.plans.label.text().splitlines()
    assert "cases would be planned differently" in said[0]
    assert said[1] == (
        "tasks: 2 of 3 queries are planned otherwise; gold APIs nearer in 0, farther in 0"
    )
    qtbot.mouseClick(panel.plans.pairs_button, Qt.MouseButton.LeftButton)
    (dialog,) = window.findChildren(EditEffectsDialog)
    qtbot.waitUntil(lambda: dialog.is_idle)
    assert "Of 15 queries" in dialog.summary.text()
    dialog.queries.setCurrentIndex(dialog.queries.findText("tasks.jsonl"))
    dialog.queries.activated.emit(dialog.queries.currentIndex())
    qtbot.waitUntil(lambda: dialog.is_idle and dialog.model.rowCount() > 0)
    rows = {dialog.model.index(at, 0).data(KEY_ROLE): at for at in range(dialog.model.rowCount())}
    dialog.view.setCurrentIndex(dialog.model.index(rows["miles"], 0))
    now, then = (label.text().splitlines() for label in dialog.plans)
    assert now[0] == "1. Unit conversion"
    assert then[0] == "1. Currency exchange"
    assert "    then: ExchangeHub · Convert currency" in then, "a fallback for miles"
    assert "    then: ExchangeHub · Convert currency" not in now
    dialog.close()


def test_pairs_when_run_both_ways_then_each_says_whether_it_is_solved_and_nothing_is_written(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    context.tasks.spawn(context.open_workspace(demo), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=30_000)
    into, other = ids(context, "Currency exchange", "Unit conversion")
    runs = context.file.one_row("SELECT count(*) FROM runs")
    window.open(dialog_commands.edit_effects, edit=Merge(toolkits=(into, other), into=into))
    (dialog,) = window.findChildren(EditEffectsDialog)
    qtbot.waitUntil(lambda: dialog.is_idle and dialog.run_button.isEnabled())
    dialog.run_button.click()
    qtbot.waitUntil(lambda: dialog.is_idle, timeout=60_000)
    assert "run both ways" in dialog.summary.text()
    assert "(judge: expected)" in dialog.summary.text()
    cells = [dialog.model.index(at, 3).data() for at in range(dialog.model.rowCount())]
    assert "solved → not solved" in cells
    assert context.file.one_row("SELECT count(*) FROM runs") == runs
    dialog.close()


def test_move_when_its_dialog_is_open_then_says_what_it_would_replan(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    context.tasks.spawn(context.open_workspace(demo), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=30_000)
    by_key = {each.key: each.id for each in api_names(context.file)}
    rowid = rowids_of(context.file, [by_key[MILES]])[by_key[MILES]]
    context.selection.select_apis([rowid])
    qtbot.waitUntil(lambda: context.chosen.ids == (rowid,))
    dialog = MoveDialog(context, window)
    dialog.show()
    dialog.field.setText("Currency exchange")
    (into,) = ids(context, "Currency exchange")
    assert dialog.edit() == Move(rowids=(rowid,), to=into)
    qtbot.waitUntil(lambda: dialog.plans.is_idle)
    assert "would be planned differently" in dialog.plans.label.text()
    dialog.reject()
    assert dialog.plans.is_idle
