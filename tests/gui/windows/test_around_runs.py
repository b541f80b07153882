"""What the window does around a run: a comparison before it, a break at all of it, its program's
death."""

import re
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from tests.gui.windows.test_debugging import PLAIN, Person, person, shown
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import CALL
from toolplanner_core.runs.compare.diff import Relation
from toolplanner_core.workspace import Workspace
from toolplanner_gui.actions.debug_menu import node_debug_entries
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.fork_dialog import ForkDialog

__all__ = ["person", "shown"]


def test_run_when_two_others_are_compared_then_the_new_one_is_looked_at(person: Person) -> None:
    for _ in range(2):
        person.asks(PLAIN)
        person.does("run.start")
        person.waits_for_end()
    docks = person.window.workspace_view.docks
    tree, compare = docks.panel("run_tree"), docks.panel("compare")
    one, other = (summary.run for summary in person.context.run_view.summaries)
    person.context.compare_runs(one, other)
    person.waits(lambda: compare.isVisible() and compare.is_idle)
    person.does("run.start")
    person.waits(lambda: tree.isVisible() and not compare.isVisible())
    assert person.context.run_view.compared is None
    person.waits_for_end()


def test_run_when_chosen_while_two_others_are_compared_then_it_is_shown(person: Person) -> None:
    for _ in range(3):
        person.asks(PLAIN)
        person.does("run.start")
        person.waits_for_end()
    docks = person.window.workspace_view.docks
    runs, tree, compare = (docks.panel(each) for each in ("runs", "run_tree", "compare"))
    person.context.compare_runs(1, 2)
    person.waits(lambda: compare.isVisible() and compare.is_idle)
    runs.view.setCurrentIndex(runs.model.index(runs.model.position_of(1), 0))
    person.waits(lambda: person.context.run_view.run == 1)
    assert compare.isVisible()
    runs.view.setCurrentIndex(runs.model.index(runs.model.position_of(3), 0))
    person.waits(lambda: person.context.run_view.run == 3)
    person.waits(lambda: tree.isVisible() and not compare.isVisible())
    assert person.context.run_view.compared == (1, 2)


def test_delete_when_the_run_is_held_then_it_stays_and_says_why(person: Person) -> None:
    person.asks(PLAIN)
    person.does("debug.step_over")
    person.waits_for_hold()
    view, told = person.context.run_view, list[str]()
    person.context.message_shown.connect(told.append)
    panel = person.window.workspace_view.docks.panel("runs")
    person.waits(lambda: panel.model.position_of(view.live_run) is not None)
    panel.view.setFocus()
    panel.view.setCurrentIndex(panel.model.index(panel.model.position_of(view.live_run), 0))
    person.waits(panel.view.hasFocus)
    QTest.keyClick(panel.view, Qt.Key.Key_Delete)
    assert told == [f"Run {view.live_run} has not ended: it goes on, or is held"]
    person.does("run.stop")
    person.waits_for_end()


def test_f5_when_a_run_is_held_or_not_then_menu_and_buttons_say_which_of_both_it_does(
    person: Person,
) -> None:
    window = person.window
    key = window.findChild(QAction, "debug.continue")
    over = window.findChild(QAction, "debug.step_over")
    assert isinstance(key, QAction) and isinstance(over, QAction)
    person.asks(PLAIN)
    assert (key.text(), over.text()) == ("Run the &query", "Run, held at the &first step")
    assert window.workspace_view.query_bar.run.toolTip().startswith(
        "Run the query (F5, Ctrl+Return)"
    )
    person.does("debug.step_over")
    person.waits_for_hold()
    assert (key.text(), over.text()) == ("&Continue the held run", "Step &over")
    assert (
        window.workspace_view.step_bar.buttons["continue"]
        .toolTip()
        .startswith("Continue the held run")
    )
    assert window.workspace_view.query_bar.run.toolTip() == "Stop the run for good (Shift+F5)"
    person.does("run.stop")
    person.waits_for_end()
    assert key.text() == "Run the &query"


def test_runs_when_one_has_a_menu_and_delete_is_pressed_then_likely_partners_come_first(
    person: Person, qtbot
) -> None:
    other = "Convert 3 kilograms into pounds for me"
    for query in (PLAIN, other, PLAIN, other):
        person.asks(query)
        person.does("run.start")
        person.waits_for_end()
    runs = person.window.workspace_view.docks.reveal("runs")
    person.waits(lambda: runs.selected() == [4])
    menu = runs.menu()
    below = next(a.menu() for a in menu.actions() if a.text() == "Co&mpare with")
    assert isinstance(below, QMenu)
    titles = [action.text() for action in below.actions()]
    assert [title.split()[0] for title in titles] == ["2", "3", "1"]
    for title in titles[1:]:  # of one query: what tells them apart stands behind it
        assert re.fullmatch(rf"\d  {re.escape(PLAIN)} · .+s", title), title
    runs.view.setFocus()
    person.presses(runs.view, Qt.Key.Key_Delete)
    person.waits(lambda: [s.run for s in person.context.run_view.summaries] == [3, 2, 1])


def test_break_key_when_the_run_itself_is_chosen_then_says_what_it_breaks_at(
    person: Person, qtbot
) -> None:
    person.asks(PLAIN)
    person.does("run.start")
    person.waits_for_end()
    person.context.run_view.select_node(NodePath(""))
    texts = [entry.title for entry in node_debug_entries(person.context, NodePath(""))[:1]]
    assert texts == ["Break when a toolkit is exhausted  (F9)"]
    for said in ("Stops when a toolkit is exhausted from now on", "Removed: stops when a toolkit"):
        with qtbot.waitSignal(person.context.message_shown) as told:
            person.does("debug.toggle_breakpoint")
        assert told.args[0].startswith(said)


def test_program_when_it_died_in_a_run_then_the_next_one_says_so_and_offers_what_can_be_done(
    person: Person, demo: Path
) -> None:
    person.asks(PLAIN)
    person.does("run.start")
    person.waits_for_end()
    person.does("file.close")
    person.waits(lambda: person.context.workspace is None)
    # Only now: an open window looks for the dead every two seconds, and tells of them once.
    with Workspace.open(demo) as workspace:
        workspace.writer.run(
            lambda db: db.conn.execute("UPDATE runs SET status = 'running', process = 'gone'")
        )
        workspace.writer.run(
            lambda db: db.conn.execute("DELETE FROM events WHERE type = 'run.finished'")
        )
    open_later(person.context, demo)
    banner = person.window.banner
    person.waits(lambda: banner.isVisible() and "Run 1 was interrupted" in banner.text)
    assert PLAIN.rstrip(".") in banner.text
    shown = [button.text() for button in banner.offer_buttons if button.isVisible()]
    assert shown == ["Look at it", "Go on …", "Run again …"]
    person.window.show_layout("curate")
    banner.offer_buttons[0].click()
    assert person.window.current_layout() == "debug"
    person.waits(lambda: person.context.run_view.run == 1)
    assert banner.isVisible(), "it can still be gone on with"
    person.asks(PLAIN)
    person.does("run.start")
    person.waits(lambda: not banner.isVisible())
    person.waits_for_end()


def test_comparison_when_a_row_of_the_other_run_is_chosen_then_all_mean_that_run(
    person: Person,
) -> None:
    """Inspector and fork went on with the node of the run that was looked at before."""
    for query in ("Find the cheapest petrol near Springfield, Illinois.", PLAIN):
        person.asks(query)
        person.does("run.start")
        person.waits_for_end()
    docks, view = person.window.workspace_view.docks, person.context.run_view
    compare, inspector = docks.panel("compare"), docks.panel("inspector")
    person.context.compare_runs(1, 2)
    person.waits(lambda: compare.isVisible() and compare.is_idle and compare.model.diff is not None)
    assert view.run == 2
    position, node = next(
        (number, node)
        for number, node in enumerate(compare.model.diff.nodes)
        if node.relation is Relation.ONLY_LEFT and node.kind == CALL.id
    )
    compare.tree.setCurrentIndex(compare.model.index_of(position))
    person.waits(lambda: (view.run, view.node) == (1, node.left) and inspector.is_idle)
    assert inspector.report.title == node.title
    assert inspector.report.facts.startswith("Run 1 · ")
    assert compare.isVisible()
    assert view.compared == (1, 2)
    person.does("debug.fork_here")
    dialog = person.window.findChild(ForkDialog)
    person.waits(dialog.isVisible)
    assert dialog.windowTitle().startswith("Fork run 1")


def test_run_when_continued_to_its_end_then_the_selected_row_is_in_view(person: Person) -> None:
    person.window.resize(1100, 560)
    person.asks("Show me the crime statistics of Springfield, Illinois.")
    person.does("debug.step_over")
    person.waits_for_hold()
    tree = person.window.workspace_view.docks.panel("run_tree")
    person.waits(lambda: tree.model.path_of(tree.tree.currentIndex()) is not None)
    person.does("debug.continue")
    person.waits_for_end()
    view = tree.tree
    assert view.verticalScrollBar().maximum() > 0
    assert view.viewport().rect().intersects(view.visualRect(view.currentIndex()))
    assert tree.model.path_of(view.currentIndex()) == person.context.run_view.node
