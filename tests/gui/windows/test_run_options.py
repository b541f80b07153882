"""The button of the query bar: what is chosen in its form is run, saved and chosen again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from toolplanner_core.domain.ids import RunId
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.config.presets import (
    paper_preset_names,
    preset_names,
    read_preset,
    remembered_choice,
    save_preset,
)
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.settings import EndpointSettings, Settings, save_settings
from toolplanner_core.workspace.catalogue import all_rowids, ids_by_rowid
from toolplanner_core.workspace.runs import get_run
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.run_options import RunOptionsButton, RunOptionsPopup


def trigger(window: MainWindow, action: str) -> None:
    found = window.findChild(QAction, action)
    assert found is not None and found.isEnabled()
    found.trigger()


@pytest.fixture
def shown(window: MainWindow, demo, qtbot) -> MainWindow:
    """A window with the demo and everything that can be chosen."""
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)
    qtbot.waitUntil(lambda: window.workspace_view.query_bar.options.form is not None)
    return window


@pytest.fixture
def popup(shown: MainWindow, qtbot) -> RunOptionsPopup:
    """Its form, opened by keyboard: by the button and by the menu."""
    button = shown.workspace_view.query_bar.options
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert button.popup is not None and button.popup.isVisible()
    button.popup.close()
    trigger(shown, "run.options")
    assert button.popup.isVisible()
    return button.popup


def saved(qtbot, shown: MainWindow, popup: RunOptionsPopup, name: str) -> None:
    """Write a name and press Return."""
    line = popup.presets.lineEdit()
    line.clear()
    qtbot.keyClicks(line, name)
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown._context.tasks.is_idle)


def test_form_when_changed_then_the_run_is_made_like_that(
    shown: MainWindow, popup: RunOptionsPopup, qtbot
) -> None:
    options: RunOptionsButton = shown.workspace_view.query_bar.options
    form = options.form
    assert form is not None
    for name, value in {"max_replans": "1", "max_steps": "5"}.items():
        field = form.strategy.form.editors[name].field
        field.selectAll()  # type: ignore[union-attr]
        qtbot.keyClicks(field, value)
    form.others[Role.JUDGING].put("offline", {})
    form.limits.editors["max_api_calls"].put(7)
    form.judge.click()
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    shown.workspace_view.query_bar.query.setText("Convert 26.2 miles to kilometres.")
    qtbot.keyClick(shown.workspace_view.query_bar.query, Qt.Key.Key_Return)
    view = shown._context.run_view
    qtbot.waitUntil(lambda: not view.is_live and any(s.answer for s in view.summaries))
    assert shown._context.workspace is not None
    row = get_run(shown._context.workspace, RunId(1))
    assert row.options["options"] == {"max_replans": 1, "max_steps": 5}
    assert row.options["roles"] == {"judging": "offline"}
    assert row.options["limits"]["max_api_calls"] == 7
    [summary] = view.summaries
    assert summary.status == "solved", "it cannot be judged: the offline planner is no judge"
    assert form.spec().judge


def test_candidates_when_only_selected_apis_are_to_be_seen_then_the_run_has_these(
    shown: MainWindow, popup: RunOptionsPopup, qtbot
) -> None:
    context, bar = shown._context, shown.workspace_view.query_bar
    popup.only_selected.click()
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    assert bar.options.text().startswith("Selected APIs · ")
    bar.query.setText("Convert 26.2 miles to kilometres.")
    context.selection.select_apis([], None)
    assert not shown.workspace_view.start_run(is_stepping=False), "nothing is selected"
    rowids = all_rowids(context.file)[:3]
    context.selection.select_apis(rowids, None)
    qtbot.keyClick(bar.query, Qt.Key.Key_Return)
    view = context.run_view
    qtbot.waitUntil(lambda: not view.is_live and len(view.summaries) == 1)
    given = get_run(context.file, RunId(1)).options["candidates"]
    assert set(given) == set(ids_by_rowid(context.file, rowids).values())
    popup.usual.click()
    assert not bar.options.is_over_selected
    qtbot.keyClick(bar.query, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not view.is_live and len(view.summaries) == 2)
    assert "candidates" not in get_run(context.file, RunId(2)).options


def test_form_when_the_model_does_not_fit_or_has_no_name_then_said_at_once_and_not_run(
    shown: MainWindow, popup: RunOptionsPopup, qtbot
) -> None:
    form = shown.workspace_view.query_bar.options.form
    assert form is not None
    form.strategy.combo.setCurrentIndex(form.strategy.combo.findData("react"))
    assert "ReAct needs a language model" in form.acting.problem
    assert form.acting._problem.isVisible()
    shown.workspace_view.query_bar.query.setText("Convert 26.2 miles to kilometres.")
    assert not shown.workspace_view.query_bar.run.isEnabled()
    form.acting.combo.setCurrentIndex(form.acting.combo.findData("openai"))
    assert form.problem == "Write the name of the model, such as gpt-4o-mini"
    qtbot.keyClicks(form.acting.name, "small")
    assert (form.problem, form.acting._problem.isVisible()) == ("", False)
    assert shown.workspace_view.query_bar.run.isEnabled()


def test_preset_when_saved_then_listed_chosen_replaced_and_deleted(
    shown: MainWindow, popup: RunOptionsPopup, qtbot
) -> None:
    workspace = shown._context.workspace
    assert workspace is not None
    form = shown.workspace_view.query_bar.options.form
    assert form is not None
    assert not popup.save.isEnabled()
    save_preset(workspace, "seeded", RunSpec(query="", seed=7))
    popup.list_presets()
    popup.presets.setCurrentIndex(0)
    popup.presets.activated.emit(0)
    assert (form.spec().seed, popup.save.isEnabled()) == (7, False)
    popup.delete.click()
    qtbot.waitUntil(lambda: shown._context.tasks.is_idle)
    popup.usual.click()
    form.provider.put("simulated", {"failure_rate": 0.5})
    saved(qtbot, shown, popup, "fragile")
    assert preset_names(workspace) == ["fragile"]
    assert (popup.presets.currentText(), popup.save.isEnabled()) == ("fragile", False)
    popup.usual.click()
    assert form.spec() == RunSpec(query="")
    popup.presets.activated.emit(popup.presets.findText("fragile"))
    assert form.spec().provider_options == {"failure_rate": 0.5}
    form.limits.editors["max_cost"].put(0.5)
    form.edited.emit()
    assert popup.save.text() == "Replace"
    popup.save.click()
    qtbot.waitUntil(lambda: shown._context.tasks.is_idle)
    assert read_preset(workspace, "fragile").limits.max_cost == 0.5
    popup.delete.click()
    qtbot.waitUntil(lambda: shown._context.tasks.is_idle)
    assert preset_names(workspace) == []
    assert popup.presets.count() == len(paper_preset_names())


def test_preset_of_a_paper_when_chosen_then_its_settings_are_put_and_it_cannot_be_replaced(
    shown: MainWindow, popup: RunOptionsPopup
) -> None:
    form = shown.workspace_view.query_bar.options.form
    popup.presets.setCurrentIndex(popup.presets.findText("paper:toolnet"))
    popup.presets.activated.emit(popup.presets.currentIndex())
    assert (form.spec().strategy, form.spec().options["start"]) == ("toolnet", 1)
    assert not popup.save.isEnabled()
    assert not popup.delete.isEnabled()
    told = popup.presets.itemData(popup.presets.currentIndex(), Qt.ItemDataRole.ToolTipRole)
    assert "Start: 1 instead of 5 (one wrong start ends a run)" in told
    # The same in the form itself, for what is chosen there; its tooltip says what is different.
    form.strategy.put("dfsdt", {})
    assert "Depth counts: nodes instead of turns (" in form.strategy.paper.toolTip()
    assert "A reply may hold several calls" in form.strategy.paper.toolTip()
    form.strategy.paper.click()
    assert form.spec().options == {"depth_counts": "nodes"}
    form.strategy.put("health", {})
    assert not form.strategy.paper.isVisibleTo(form)


def test_form_when_something_does_not_fit_then_nothing_is_run(
    shown: MainWindow, popup: RunOptionsPopup, qtbot
) -> None:
    bar = shown.workspace_view.query_bar
    form = bar.options.form
    assert form is not None
    bar.query.setText("Say hello")
    assert bar.run.isEnabled()
    form.provider.put("simulated", {})
    field = form.provider.form.editors["failure_classes"].field
    qtbot.keyClicks(field, "x")
    assert not bar.run.isEnabled()
    assert not bar.step.isEnabled()
    assert "Choose a list" in bar.options.toolTip()
    popup.close()
    assert not popup.isVisible()
    shown.start_run()
    assert popup.isVisible(), "it shows what does not fit"
    assert not shown._context.run_view.is_live
    popup.usual.click()
    assert bar.run.isEnabled()


def test_usual_models_when_saved_then_shown_unless_others_were_chosen(
    shown: MainWindow,
    popup: RunOptionsPopup,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def prefer(**roles: str) -> None:
        save_settings(Settings(endpoint=EndpointSettings(roles=roles)))
        shown._context.preferences_changed.emit()

    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    options = shown.workspace_view.query_bar.options
    workspace = shown._context.workspace
    assert options.form is not None and workspace is not None
    popup.close()  # what is as usual is not kept as a choice
    workspace.writer.run(lambda _db: None)
    assert remembered_choice(workspace).model == "offline"
    save_settings(Settings(endpoint=EndpointSettings(model="usual")))
    shown._context.preferences_changed.emit()
    assert options.spec("x").model == "openai:usual" and "usual" in options.text()
    prefer(acting="small", judging="strict")
    assert options.spec("x").model == "openai:small"
    assert options.spec("x").roles == {"judging": "openai:strict"}
    assert remembered_choice(workspace).model == "openai:small"
    options.form.acting.put("openai:mine", {})
    prefer(acting="other")
    assert options.spec("x").model == "openai:mine"
    popup.usual.click()
    assert (options.spec("x").model, options.spec("x").roles) == ("openai:other", {})


def test_popup_when_walked_through_by_tab_then_every_field_is_reached(
    popup: RunOptionsPopup, qtbot
) -> None:
    wanted = [
        editor.field for form in (popup._form.strategy.form, popup._form.limits)
        for editor in form.editors.values()
    ]  # fmt: skip
    reached: set[QWidget] = set()
    now: Callable[[], QWidget | None] = popup.focusWidget
    for _ in range(60):
        at = now()
        assert at is not None
        reached.add(at)
        qtbot.keyClick(at, Qt.Key.Key_Tab)
    assert reached >= set(wanted)
    assert popup.presets.lineEdit() in reached or popup.presets in reached
