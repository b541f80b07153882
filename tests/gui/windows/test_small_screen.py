"""The window fits a small screen, whatever it shows."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui import panel_commands
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.bridge.errors import Problem
from toolplanner_gui.context import AppContext
from toolplanner_gui.layouts import LAYOUTS
from toolplanner_gui.theme.tokens import ROW_HEIGHT
from toolplanner_gui.widgets.tab_order import is_in_sight
from toolplanner_gui.windows.docks import PanelDock
from toolplanner_gui.windows.main_window import MainWindow

_LEAST_HEIGHT = 600


def assert_fits(window: MainWindow, qtbot) -> None:
    for layout in LAYOUTS:
        window.show_layout(layout.id)
        for panel in window.workspace_view.docks.shown():
            window.workspace_view.docks.reveal(panel.id)
        qtbot.waitUntil(lambda: window.is_idle)
        assert window.minimumSizeHint().height() <= _LEAST_HEIGHT, layout.id


def test_window_when_edited_run_and_in_trouble_then_fits_a_small_screen(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    asyncio._set_running_loop(context.tasks.loop)
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    assert_fits(window, qtbot)
    window.show_layout("curate")
    context.selection.select_toolkit(context.catalogue.toolkits[0].id)
    window._menus.refresh()
    next(a for a in window.actions() if a.objectName() == "curate.pin").trigger()
    qtbot.waitUntil(lambda: context.curation.is_idle and bool(context.curation.undo_label))
    assert_fits(window, qtbot)
    options = window.workspace_view.query_bar.options
    qtbot.waitUntil(lambda: options.form is not None)
    window.workspace_view.query_bar.query.setText("Convert 26.2 miles to kilometres.")
    window.start_run()
    qtbot.waitUntil(lambda: not context.run_view.is_live)
    assert_fits(window, qtbot)
    words = "What was sent is not what was expected. " * 30
    trouble = Problem(what=words, why=words, todo=words, details=words * 9)
    context.problem_reported.emit(trouble)
    window.banner._more.click()
    assert_fits(window, qtbot)
    assert window.size() == QSize(1280, 720)
    banner = window.banner
    assert banner.height() < 220
    assert banner._area.verticalScrollBar().maximum() > 0
    context.problem_reported.emit(Problem(what="It is broken", why="It fell", todo="Mend it"))
    qtbot.waitUntil(lambda: banner.height() < 100)
    assert banner._area.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize("size", [QSize(800, 600), QSize(1280, 720)])
def test_window_when_small_then_query_names_and_map_tools_are_seen(
    size: QSize, window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    window.resize(size)
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    bar = window.workspace_view.query_bar
    qtbot.waitUntil(lambda: bar.options.form is not None)
    for layout in LAYOUTS:
        window.show_layout(layout.id)
        qtbot.waitUntil(lambda: window.is_idle)
        QApplication.processEvents()
        assert window.size() == size, layout.id
        assert bar.run.isVisible() and bar.query.width() >= 160, layout.id
        tools = window.workspace_view.docks.panel("map").canvas._overlays.tools
        assert tools.geometry().bottom() <= tools.parentWidget().height(), layout.id
    window.show_layout("curate")
    tree = window.workspace_view.docks.panel("toolkits").tree
    assert tree.columnWidth(0) >= 120
    assert window.statusBar().geometry().bottom() <= window.height()
    window.resize(1440, 900)
    dock = window.findChild(PanelDock, "dock-toolkits")
    window.resizeDocks([dock], [360], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: not tree.isColumnHidden(ToolkitColumn.MARKS))
    assert not tree.isColumnHidden(ToolkitColumn.COHESION)


def test_review_when_the_window_is_small_then_no_word_of_its_head_is_cut(
    window: MainWindow, demo: Path, qtbot
) -> None:
    window.resize(800, 600)
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)
    window.show_layout("review")
    qtbot.waitUntil(lambda: window.is_idle)
    QApplication.processEvents()
    review = window.workspace_view.docks.panel("review")
    answers = review.answer_bar.findChildren(QPushButton)
    for part in (*answers, review.kinds, review.next_box, review.map_box, review.batch_button):
        assert part.width() >= part.sizeHint().width(), part
    assert window.size() == QSize(800, 600)


def test_tray_when_the_window_gets_narrow_then_has_its_whole_width_and_wide_again_then_not(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context, docks = window._context, lambda: window.workspace_view.docks
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    context.curation.do(Rename(toolkit=context.catalogue.toolkits[0].id, name="Clean air"))
    qtbot.waitUntil(lambda: context.curation.is_idle and bool(context.curation.undo_label))
    window.resize(800, 600)
    history = docks().reveal("history")
    qtbot.waitUntil(lambda: history.width() > 750 and window.is_idle)
    buttons = [b for b in history.findChildren(QPushButton) if b.isVisible()]
    assert len(buttons) == 6
    assert all(b.width() >= b.sizeHint().width() for b in buttons), "no word is cut"
    window.show_layout("debug")
    qtbot.waitUntil(lambda: window.is_idle)
    assert not docks().panel("map").is_seen, "behind the inspector, not below it"
    assert docks().panel("inspector").height() > 250
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: docks().panel("map").is_seen)
    window.show_layout("curate")
    qtbot.waitUntil(lambda: window.is_idle and history.width() < 700)


def test_debug_when_the_window_is_small_and_faults_are_shown_then_rows_of_the_tree_have_room(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    window.resize(800, 600)
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    context.debug.faults.put('500:toolkit="Fuel prices",next=1')
    window.show_layout("debug")
    query = "Find the cheapest petrol near Springfield, Illinois."
    for spec in (RunSpec(query=query, faults=("500:all,next=1",)), RunSpec(query=query)):
        context.run_view.start(spec)
        qtbot.waitUntil(lambda: not context.run_view.is_live and window.is_idle)
    window.call_panel(panel_commands.focus_faults)
    context.run_view.show_run(RunId(1))
    tree, compare = (window.workspace_view.docks.panel(each) for each in ("run_tree", "compare"))
    qtbot.waitUntil(lambda: context.run_view.run == 1 and window.is_idle)
    assert not tree.head.evidence.isVisible()
    qtbot.waitUntil(lambda: tree.tree.viewport().height() >= 5 * ROW_HEIGHT)
    faults = window.workspace_view.docks.panel("rules").faults.view
    header = faults.header()
    shown = [at for at in range(header.count()) if not faults.isColumnHidden(at)]
    assert shown == [0, 1, 3]
    assert all(header.sectionSize(at) >= header.sectionSizeHint(at) for at in shown)
    context.compare_runs(1, 2)
    qtbot.waitUntil(lambda: compare.isVisible() and compare.is_idle and window.is_idle)
    qtbot.waitUntil(lambda: compare.tree.viewport().height() >= 3 * ROW_HEIGHT)
    window.resize(1280, 640)
    qtbot.waitUntil(compare.brief.isVisible)
    assert not compare.totals.isVisible()
    told = [f"un {run} solved, " in compare.brief.text() for run in (1, 2)]
    assert all(told), compare.brief.text()
    window.resize(1280, 900)
    qtbot.waitUntil(compare.totals.isVisible)
    assert not compare.brief.isVisible()


def test_names_of_toolkits_when_the_window_is_1280_wide_then_none_is_cut(
    window: MainWindow, demo: Path, qtbot
) -> None:
    window.resize(1280, 720)
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)
    tree = window.workspace_view.docks.panel("toolkits").tree
    QApplication.processEvents()
    assert tree.sizeHintForColumn(0) <= tree.columnWidth(0)
    assert tree.textElideMode() is Qt.TextElideMode.ElideMiddle


@pytest.mark.parametrize("remembered", [None, QSize(4000, 3000)])
def test_window_when_larger_than_the_screen_then_is_shown_within_it(
    remembered: QSize | None, context: AppContext, qtbot
) -> None:
    if remembered is not None:
        first = MainWindow(context)
        first.resize(remembered)
        first.close()
        first.deleteLater()
    window = MainWindow(context)
    room = QApplication.primaryScreen().availableGeometry().size()
    assert window.size().boundedTo(room) == window.size()
    window.deleteLater()


@pytest.mark.parametrize(
    "before",
    [(2600, 1700, 1400, 880), (300, 200, 2500, 1400), (500, 400, 700, 700), (0, 0, 3000, 2000)],
)
def test_window_when_it_was_on_a_larger_screen_then_it_is_seen_on_this_one(
    context: AppContext, before: tuple[int, int, int, int], qtbot
) -> None:
    there = QWidget()
    there.setGeometry(*before)
    context.choices.keep_window("all", "geometry", there.saveGeometry())
    window = MainWindow(context)
    screen = window.screen().availableGeometry()
    assert screen.contains(window.pos())
    assert window.x() == screen.left() or window.x() + window.width() <= screen.right() + 1
    assert window.y() == screen.top() or window.y() + window.height() <= screen.bottom() + 1
    window.deleteLater()
    there.deleteLater()


def test_held_run_when_the_window_is_small_then_arguments_and_buttons_are_seen(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    window.resize(800, 600)
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    qtbot.waitUntil(lambda: window.workspace_view.query_bar.options.form is not None)
    context.debug.breakpoints.put("kind=call,at=before_call")
    window.workspace_view.query_bar.query.setText("Convert 26.2 miles to kilometres.")
    window.start_run()
    qtbot.waitUntil(lambda: context.debug.is_paused and window.is_idle)
    stop = window.workspace_view.docks.panel("inspector").stop
    qtbot.waitUntil(lambda: stop.isVisible() and stop.width() > 250)
    assert window.workspace_view.docks.bottom.is_folded, "a run that asks needs the room"
    qtbot.waitUntil(lambda: stop._area.viewport().height() > 200)
    first = next(iter(stop.call.form.findChildren(QLineEdit)))
    assert is_in_sight(first)
    context.debug.breakpoints.remove([rule.text for rule in context.debug.breakpoints.items])
    stop.send()
    qtbot.waitUntil(lambda: not context.run_view.is_live)


@pytest.mark.parametrize("size", [QSize(800, 600), QSize(1280, 720), QSize(1440, 900)])
def test_curate_when_the_tray_is_opened_or_drawn_large_then_list_table_and_map_stay_of_use(
    size: QSize, window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    window.resize(size)
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    docks = window.workspace_view.docks
    tree, canvas = docks.panel("toolkits").tree, docks.panel("map").canvas
    table = docks.reveal("apis").view

    def is_of_use() -> bool:
        QApplication.processEvents()
        return (
            table.viewport().height() >= 5 * ROW_HEIGHT
            and tree.viewport().height() >= 5 * ROW_HEIGHT
            and canvas.height() >= 200
        )

    qtbot.waitUntil(lambda: window.is_idle and docks.panel("apis").is_idle)
    qtbot.waitUntil(is_of_use)
    dock = window.findChild(PanelDock, "dock-apis")
    window.resizeDocks([dock], [2_000], Qt.Orientation.Vertical)
    qtbot.waitUntil(lambda: window.is_idle)
    qtbot.waitUntil(is_of_use)
    assert window.size() == size
