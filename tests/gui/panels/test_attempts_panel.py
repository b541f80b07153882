"""The table of calls over runs, and what is said of runs: label, star, delete, filters."""

from dataclasses import replace

import pytest

from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.presentation.search_filters import filter_choices, toggled
from toolplanner_core.runs.preview.health_check import health_check
from toolplanner_gui.actions.run_actions import bring_back_deleted, delete_these_runs, star_run
from toolplanner_gui.actions.run_context_menu import run_entries
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.attempts_panel import AttemptsPanel
from toolplanner_gui.panels.runs_panel import RunsPanel
from toolplanner_gui.windows.run_label_dialog import RunLabelDialog

MILES = RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo")


@pytest.fixture
def ran(opened: AppContext, qtbot) -> AppContext:
    """The demo with a run without failures and one with a failed call."""
    for spec in (MILES, replace(MILES, faults=("500:all,next=1",))):
        opened.run_view.start(spec)
        qtbot.waitUntil(lambda: not opened.run_view.is_live and opened.tasks.is_idle)
    return opened


@pytest.fixture
def panel(ran: AppContext, qtbot) -> AttemptsPanel:
    made = AttemptsPanel(ran)
    qtbot.addWidget(made)
    made.resize(1000, 260)
    made.show()
    qtbot.waitUntil(lambda: made.is_idle and made.model.rowCount() == 3)
    return made


def choose(panel: AttemptsPanel, value: str) -> None:
    panel.outcome.setCurrentIndex(panel.outcome.findData(value))
    panel.outcome.activated.emit(panel.outcome.currentIndex())


def test_calls_when_filtered_by_outcome_and_words_then_those_are_left(panel, qtbot) -> None:
    choose(panel, "failed")
    assert panel.count.text() == "1 of 3 calls, 1 failed · 0 count as health"
    assert "Does not count as health: made to fail" in panel.model.row(0).tooltip
    assert panel.model.row(0).cells[2] == "server error, by a fault"
    choose(panel, "ok")
    assert panel.count.text().startswith("2 of 3 calls")
    panel.search.setText("unit conversion")
    qtbot.waitUntil(lambda: panel.count.text() == "2 of 3 calls")
    panel.search.setText("lottery")
    qtbot.waitUntil(lambda: panel.count.text() == "0 of 3 calls")
    panel.clear_button.click()
    assert panel.count.text() == "3 of 3 calls, 1 failed · 2 count as health"


def test_count_when_the_panel_is_narrow_then_all_of_it_is_in_sight_and_says_what_was_not_sent(
    panel, qtbot
) -> None:
    panel._found = [*panel._found, replace(panel._found[0], was_sent=False, uncounted="not sent")]
    panel.resize(480, 260)
    panel._show()
    qtbot.waitUntil(lambda: "1 not sent" in panel.count.text())
    width = panel.count.fontMetrics().horizontalAdvance(panel.count.text())
    assert panel.count.width() >= width
    for box in (panel.outcome, panel.strategy):
        assert box.width() >= box.fontMetrics().horizontalAdvance(box.currentText())


def test_filters_when_the_panel_is_narrow_then_the_search_has_room_and_names_are_titles(
    panel, qtbot
) -> None:
    panel.resize(600, 260)
    assert panel.search.width() >= 140
    assert panel.strategy.findText("Tool-Planner") >= 0


def test_panel_when_as_wide_as_the_centre_then_filters_and_count_are_seen_whole(
    panel, qtbot
) -> None:
    panel.resize(690, 260)
    panel.count.setText("520 of 520 calls, 194 not sent, 162 failed · 249 count as health")
    width = panel.count.fontMetrics().horizontalAdvance(panel.count.text())
    qtbot.waitUntil(lambda: panel.count.width() >= width)
    for box in (panel.outcome, panel.strategy):
        assert box.width() >= box.sizeHint().width()


def test_calls_when_not_sent_or_without_a_step_then_told_so_and_with_their_toolkit(
    ran: AppContext, qtbot
) -> None:
    ran.run_view.start(replace(MILES, limits=Limits(max_api_calls=0)))
    qtbot.waitUntil(lambda: not ran.run_view.is_live and ran.tasks.is_idle)
    toolkit = next(kit for kit in ran.catalogue.toolkits if kit.name == "Unit conversion")
    rowids = ran.catalogue.rowids[ran.catalogue.points_of_toolkit(toolkit.id)]
    check = health_check(ran.file, [int(rowid) for rowid in rowids])
    ran.run_view.start(replace(check.spec, provider="demo"))
    qtbot.waitUntil(lambda: not ran.run_view.is_live and ran.tasks.is_idle)
    panel = AttemptsPanel(ran)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(lambda: panel.is_idle and panel.model.rowCount() > 3)
    unsent = [row for row in panel._found if not row.was_sent]
    assert f" calls, {len(unsent)} not sent, " in panel.count.text()
    assert {row.toolkit for row in panel._found if row.run == 4} == {"Unit conversion"}


def test_call_when_opened_then_its_run_is_shown_at_it(panel, qtbot) -> None:
    choose(panel, "failed")
    run, path = panel.model.row(0).key
    panel.view.activated.emit(panel.model.index(0, 0))
    view = panel.context.run_view
    qtbot.waitUntil(lambda: (view.run, view.node) == (run, path))


def test_run_when_labelled_then_runs_and_calls_can_be_filtered_by_it(panel, qtbot) -> None:
    context = panel.context
    newest = context.run_view.summaries[0].run
    dialog = RunLabelDialog(context, context.shell.window_widget, run=newest)
    qtbot.addWidget(dialog)
    dialog.label.setText("to ask")
    dialog.note.setPlainText("Ask Ada.")
    dialog.save_button.click()
    qtbot.waitUntil(lambda: panel.is_idle and panel.label.count() == 2)
    panel.label.setCurrentIndex(1)
    panel.label.activated.emit(1)
    assert panel.count.text().startswith("2 of 3 calls")
    runs = RunsPanel(context)
    qtbot.addWidget(runs)
    runs.show()
    assert "to ask" in runs.model.row(0).cells[0]
    assert "Ask Ada." in runs.model.row(0).tooltip
    labels = dict(filter_choices(context.run_view.summaries))["Label"]
    runs.field.setText(toggled("", labels[0].term))
    qtbot.waitUntil(lambda: runs.is_idle and runs.model.rowCount() == 1)
    assert runs.model.row(0).key == newest
    checked = [a for m in runs.filters().actions() for a in m.menu().actions() if a.isChecked()]
    assert [action.text() for action in checked] == ["to ask (1)"]


def test_run_when_deleted_then_gone_from_the_list_and_can_be_brought_back(ran, qtbot) -> None:
    newest, older = (summary.run for summary in ran.run_view.summaries)
    star_run(ran, older)
    qtbot.waitUntil(lambda: ran.tasks.is_idle and ran.run_view.summaries[1].is_starred)
    assert "Take the &star away" in [getattr(e, "title", "") for e in run_entries(ran, older)]
    delete_these_runs(ran, (newest,))
    qtbot.waitUntil(lambda: ran.tasks.is_idle and len(ran.run_view.summaries) == 1)
    bring_back_deleted(ran)
    qtbot.waitUntil(lambda: ran.tasks.is_idle and len(ran.run_view.summaries) == 2)
    qtbot.waitUntil(lambda: ran.run_view.run == newest)


def test_run_when_deleted_while_it_is_looked_at_then_the_next_one_is_shown(ran, qtbot) -> None:
    view = ran.run_view
    newest, older = (summary.run for summary in view.summaries)
    view.show_run(newest)
    qtbot.waitUntil(lambda: view.run == newest and ran.tasks.is_idle)
    view.compare(older, newest)
    delete_these_runs(ran, (newest,))
    qtbot.waitUntil(lambda: ran.tasks.is_idle and view.run == older)
    assert view.compared is None
    delete_these_runs(ran, (older,))
    qtbot.waitUntil(lambda: ran.tasks.is_idle and not view.summaries)
    assert view.run is None
    assert not view.nodes


def test_search_when_a_filter_is_chosen_again_then_it_goes_and_another_value_takes_its_place() -> (
    None
):
    text = toggled('petrol toolkit:"Fuel prices"', "status:solved")
    assert text == 'petrol toolkit:"Fuel prices" status:solved'
    assert toggled(text, "status:unsolved") == 'petrol toolkit:"Fuel prices" status:unsolved'
    assert toggled(text, "status:solved") == 'petrol toolkit:"Fuel prices"'
    assert toggled(text, 'toolkit:"Fuel prices"') == "petrol status:solved"
