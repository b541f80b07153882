"""The panels at the bottom: folded until used, then as a person left them."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QTabBar

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.debugger import StepCommand
from toolplanner_gui import panel_commands
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.apis_panel import ApisPanel
from toolplanner_gui.widgets.tab_order import is_in_sight
from toolplanner_gui.windows.docks import BottomPanels
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def shown(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)
    return window


def bottom_of(window: MainWindow) -> BottomPanels:
    return window.workspace_view.docks.bottom


def tabs_of(window: MainWindow, qtbot) -> QTabBar:
    qtbot.waitUntil(lambda: bottom_of(window).tabs is not None)
    tabs = bottom_of(window).tabs
    assert tabs is not None
    return tabs


def trigger(window: MainWindow, action: str) -> None:
    found = window.findChild(QAction, action)
    assert found is not None and found.isEnabled()
    found.trigger()


@pytest.mark.parametrize("size", [QSize(800, 600), QSize(1280, 720)])
@pytest.mark.parametrize("layout", ["curate", "debug"])
def test_bottom_when_nothing_was_used_then_only_its_tabs_are_seen_and_no_panel_is_made(
    shown: MainWindow, size: QSize, layout: str, qtbot
) -> None:
    shown.resize(size)
    shown.show_layout(layout)
    qtbot.waitUntil(lambda: tabs_of(shown, qtbot).isVisible() and shown.is_idle)
    docks, middle = shown.workspace_view.docks, shown.centralWidget()

    def is_told_whole() -> bool:
        tabs = bottom_of(shown).tabs
        return tabs is not None and tabs.elideMode() is Qt.TextElideMode.ElideNone

    def has_nothing_between() -> bool:
        return tabs_of(shown, qtbot).y() - middle.geometry().bottom() <= 4

    qtbot.waitUntil(lambda: is_told_whole() and has_nothing_between())
    tabs = tabs_of(shown, qtbot)
    assert bottom_of(shown).is_folded
    assert tabs.geometry().bottom() < shown.statusBar().geometry().top()
    assert all("…" not in tabs.tabText(i) for i in range(tabs.count()))
    assert {"apis", "history", "timeline", "event_log"}.isdisjoint(docks._panels)
    assert not any(is_in_sight(dock) for dock in bottom_of(shown)._shown())


def test_bottom_when_a_tab_is_clicked_then_opens_and_its_button_folds_it(
    shown: MainWindow, qtbot
) -> None:
    tabs = tabs_of(shown, qtbot)
    place = tabs.tabRect([tabs.tabText(i) for i in range(tabs.count())].index("APIs")).center()
    qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=place)
    panel = shown.workspace_view.docks.panel("apis")
    qtbot.waitUntil(lambda: panel.is_seen and shown.is_idle)
    assert panel.height() > 80
    dock = shown.workspace_view.docks._docks["apis"]
    qtbot.mouseClick(dock._title.fold, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.is_seen)
    assert bottom_of(shown).is_folded


def test_bottom_when_reached_by_f6_then_return_opens_it(shown: MainWindow, qtbot) -> None:
    tabs = tabs_of(shown, qtbot)
    reached: list[object] = []
    for _ in range(5):
        trigger(shown, "view.next_pane")
        reached.append(QApplication.focusWidget())
    assert tabs in reached
    tabs.setFocus()
    qtbot.keyClick(tabs, Qt.Key.Key_Right)
    assert bottom_of(shown).is_folded and tabs.currentIndex() == 1
    qtbot.keyClick(tabs, Qt.Key.Key_Return)
    assert not bottom_of(shown).is_folded
    panel = shown.workspace_view.docks.panel("staging")
    qtbot.waitUntil(lambda: panel.is_seen)
    trigger(shown, "view.bottom")
    assert bottom_of(shown).is_folded


@pytest.mark.parametrize("was_folded_by_hand", [False, True])
def test_bottom_when_something_is_run_then_opens_unless_it_was_folded_by_hand(
    shown: MainWindow, was_folded_by_hand: bool, qtbot
) -> None:
    shown.show_layout("debug")
    if was_folded_by_hand:
        trigger(shown, "view.bottom")
        trigger(shown, "view.bottom")
    shown.workspace_view.query_bar.query.setText("Convert 26.2 miles to kilometres.")
    shown.start_run()
    qtbot.waitUntil(lambda: not shown._context.run_view.is_live)
    assert bottom_of(shown).is_folded is was_folded_by_hand
    qtbot.waitUntil(lambda: shown.is_idle)
    panel = shown.workspace_view.docks._panels.get("timeline")
    assert (panel is not None and panel.is_seen) is not was_folded_by_hand


def test_bottom_when_a_search_shows_what_it_found_then_lists_it(shown: MainWindow, qtbot) -> None:
    context = shown._context
    mask = context.catalogue.mask_of_toolkit(context.catalogue.toolkits[0].id)
    context.map_look.show_only(mask, "found")
    panel = shown.workspace_view.docks.panel("apis")
    assert isinstance(panel, ApisPanel)
    qtbot.waitUntil(lambda: panel.is_seen and panel.is_idle)
    assert panel.model.rowCount() == int(mask.sum())


def test_bottom_when_a_panel_of_it_is_asked_for_then_opens_whatever_was_before(
    shown: MainWindow, qtbot
) -> None:
    trigger(shown, "view.bottom")
    trigger(shown, "view.bottom")
    shown.call_panel(panel_commands.focus_history)
    panel = shown.workspace_view.docks.panel("history")
    qtbot.waitUntil(lambda: panel.is_seen)


def test_bottom_when_closed_and_opened_again_then_stands_as_it_was_left(
    shown: MainWindow, context: AppContext, demo: Path, qtbot
) -> None:
    trigger(shown, "view.bottom")
    qtbot.waitUntil(lambda: shown.is_idle)
    [seen] = [dock for dock in bottom_of(shown)._shown() if is_in_sight(dock)]
    before = seen.height()
    shown.resizeDocks([seen], [190], Qt.Orientation.Vertical)
    qtbot.waitUntil(lambda: seen.height() != before)
    height = seen.height()
    shown.show_layout("review")
    assert shown.is_bottom_folded is None
    action = shown.findChild(QAction, "view.bottom")
    assert action is not None and not action.isEnabled()
    shown.show_layout("curate")
    assert not bottom_of(shown).is_folded
    open_later(shown._context, demo)
    before = shown.workspace_view
    qtbot.waitUntil(lambda: shown._desk is not None and shown.workspace_view is not before)
    qtbot.waitUntil(lambda: shown.is_idle)
    assert not bottom_of(shown).is_folded
    again = [dock.height() for dock in bottom_of(shown)._shown() if is_in_sight(dock)]
    assert [abs(each - height) <= 2 for each in again] == [True]
    shown.reset_windows()
    assert bottom_of(shown).is_folded


def test_window_when_made_narrow_and_wide_again_then_its_tab_and_the_bar_of_a_held_run_stay(
    shown: MainWindow, qtbot
) -> None:
    context, docks = shown._context, shown.workspace_view.docks
    shown.resize(1280, 800)
    shown.show_layout("debug")
    context.debug.breakpoints.put("kind=call,at=before_call")
    context.run_view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    qtbot.waitUntil(lambda: context.debug.is_paused and shown.workspace_view.step_bar.isVisible())
    docks.reveal("timeline")
    docks.toggle("event_log")
    docks.reveal("cases")
    qtbot.waitUntil(lambda: shown.is_idle)
    for width in (800, 1280, 800):
        shown.resize(width, 800)
        qtbot.waitUntil(lambda w=width: docks._is_narrow == (w < 1000) and shown.is_idle)
        assert shown.workspace_view.step_bar.isVisible()
        assert docks._docks["event_log"].isHidden()
        qtbot.waitUntil(lambda: is_in_sight(docks._docks["cases"]))
        tabs = tabs_of(shown, qtbot)
        assert tabs.tabText(tabs.currentIndex()) == docks._docks["cases"].windowTitle()
    context.debug.resume(StepCommand.CONTINUE)
    qtbot.waitUntil(lambda: not context.run_view.is_live)
