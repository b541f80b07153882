"""At 800x570, the least that the window is used at: nothing that a person needs is cut."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.panels.details_panel import DetailsPanel
from toolplanner_gui.panels.inspector_panel import InspectorPanel
from toolplanner_gui.panels.review_panel import ReviewPanel
from toolplanner_gui.panels.runs_panel import RunsPanel
from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.widgets.tab_order import is_in_sight
from toolplanner_gui.windows.main_window import MainWindow

SMALLEST = QSize(800, 570)


@pytest.fixture
def small(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    """The demo in the smallest window."""
    window.resize(SMALLEST)
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)
    qtbot.waitUntil(lambda: window.workspace_view.query_bar.options.form is not None)
    return window


def test_decide_when_the_tray_is_open_then_all_of_it_but_its_buttons_scrolls(
    small: MainWindow, qtbot
) -> None:
    context = small._context
    context.debug.breakpoints.put("kind=call,at=before_call")
    small.workspace_view.query_bar.query.setText("Convert 26.2 miles to kilometres.")
    small.start_run()
    qtbot.waitUntil(lambda: context.debug.is_paused and small.is_idle)
    small.workspace_view.docks.reveal("attempts")
    inspector = small.workspace_view.docks.reveal("inspector")
    assert isinstance(inspector, InspectorPanel)
    inspector.decide()
    stop = inspector.stop
    qtbot.waitUntil(lambda: stop.isVisible() and small.is_idle)
    assert stop._area.viewport().height() >= stop.height() * 0.7
    for part in (stop.buttons.send, stop.buttons.step, stop.switches):
        assert is_in_sight(part)
    for word in reversed(stop.offered):
        stop.choose(word)
        for button in (stop.buttons.send, stop.buttons.step):
            assert button.width() >= button.sizeHint().width(), button.text()
    field = next(iter(stop.call.form.findChildren(QLineEdit)))
    stop._area.ensureWidgetVisible(field)
    qtbot.waitUntil(lambda: field.visibleRegion().boundingRect().height() == field.height())
    assert small.size() == SMALLEST
    field.clear()
    qtbot.keyClicks(field, "27")
    button = stop.buttons.send
    assert button.text() in ("Send with changes", "Send edited")
    assert button.width() >= button.sizeHint().width()
    context.debug.breakpoints.remove([rule.text for rule in context.debug.breakpoints.items])
    stop.send()
    qtbot.waitUntil(lambda: not context.run_view.is_live)

    runs = small.workspace_view.docks.reveal("runs")
    assert isinstance(runs, RunsPanel)
    assert runs.view.isColumnHidden(1), "what tells runs apart comes before their times"
    assert "Began " in runs.model.row(0).tooltip
    small.resize(1280, 720)
    qtbot.waitUntil(lambda: not runs.view.isColumnHidden(1))


def test_details_of_several_when_narrow_then_no_word_on_a_button_is_cut(
    small: MainWindow, qtbot
) -> None:
    context = small._context
    details = small.workspace_view.docks.reveal("details")
    assert isinstance(details, DetailsPanel)
    context.selection.select_toolkits([t.id for t in context.catalogue.toolkits[:3]])
    qtbot.waitUntil(lambda: bool(details.group_page.buttons) and small.is_idle)
    for size, style in (
        (SMALLEST, Qt.ToolButtonStyle.ToolButtonIconOnly),
        (QSize(1440, 900), Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
    ):
        small.resize(size)
        QApplication.processEvents()
        qtbot.waitUntil(lambda: small.is_idle)
        for button in details.group_page.buttons:
            assert button.toolButtonStyle() is style
            is_named = style is Qt.ToolButtonStyle.ToolButtonTextBesideIcon
            needed = button.sizeHint().width() if is_named else button.iconSize().width() + SPACE
            assert button.width() >= needed
            assert button.text() and button.toolTip()


def test_questions_when_the_list_is_narrow_then_they_come_before_their_worth(
    small: MainWindow, qtbot
) -> None:
    small.show_layout("review")
    review = small.workspace_view.docks.panel("review")
    assert isinstance(review, ReviewPanel)
    qtbot.waitUntil(lambda: review.list.model.rowCount() > 0 and small.is_idle)
    assert review.list.tree.isColumnHidden(1)
    assert review.list.tree.columnWidth(0) >= 130
    small.resize(1440, 900)
    qtbot.waitUntil(lambda: not review.list.tree.isColumnHidden(1))
