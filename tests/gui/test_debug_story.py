"""The story of the step debugger through the window: break when a toolkit is exhausted, choose
another API at the stop, go on, fork, compare. Pictures of it: `fixtures/teller.py`.
"""

from pathlib import Path
from typing import Any

import pytest
from fixtures.teller import Teller
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.strategies.toolkits.plan_nodes import EXHAUSTED
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.fork_dialog import ForkDialog
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.replay_dialog import ReplayDialog

CRIME = "Show me the crime statistics of Springfield, Illinois."
WANTED = "HomeScout · Neighbourhood report"


@pytest.fixture
def teller(window: MainWindow, demo: Path, qtbot) -> Teller:
    open_later(window._context, demo)
    told = Teller(window, qtbot)
    told.until(lambda: window._context.catalogue.n_apis > 0)
    told.settle()
    return told


def titles_of(offered: Any) -> list[str]:
    return [offered.row(i).cells[0] for i in range(offered.rowCount())]


def stops_when_exhausted(teller: Teller) -> None:
    """No API of the toolkit is left."""
    context, window = teller.context, teller.window
    context.debug.breakpoints.put("failure=exhausted")
    window.workspace_view.query_bar.query.setText(CRIME)
    teller.until(lambda: window.workspace_view.query_bar.options.form is not None)
    window.workspace_view.query_bar.options.form.provider.put("demo", {})
    teller.trigger("run.start")
    teller.until(lambda: context.debug.current is not None)
    held = context.debug.current
    assert held is not None
    assert held.stop.point is EXHAUSTED
    assert window.current_layout() == "debug"
    assert "exhausted" in context.debug.says
    stop = teller.panel("inspector").stop
    teller.until(lambda: stop.held is held)
    teller.settle()
    assert stop.offered[0] == "Try another API"
    marks = [t.startswith("✗ failed here") for t in titles_of(stop.call.candidates.model)]
    assert marks == sorted(marks), "what failed in this step is offered last"
    teller.picture("held")


def chooses_another_api_by_keys(teller: Teller, qtbot: Any) -> None:
    """Any other API will do: it is searched for."""
    inspector = teller.panel("inspector")
    inspector.decide()
    call = inspector.stop.call
    qtbot.keyClicks(call.choice.field, "neighbourhood safety report")
    teller.until(lambda: WANTED in titles_of(call.candidates.model))
    teller.settle()
    qtbot.keyClick(call.choice.field, Qt.Key.Key_Down)
    while call.api.title != WANTED:
        qtbot.keyClick(call.choice.view, Qt.Key.Key_Down)
    teller.picture("chosen")
    teller.window.activateWindow()
    call.choice.view.setFocus()
    teller.until(call.choice.view.hasFocus)
    qtbot.keyClick(call.choice.view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def goes_on_without_another_plan(teller: Teller) -> RunSummary:
    """The step is done, and what the person decided is an edit of it."""
    teller.until_over(1)
    view = teller.context.run_view
    assert view.summary is not None
    assert (view.summary.status, view.summary.replans) == ("solved", 0)
    assert any(n.kind == "attempt" and WANTED in n.title for n in view.nodes.values())
    decided = next(n for n in view.nodes.values() if n.data.get("decided"))
    view.select_node(decided.path)
    teller.settle()
    node = teller.panel("inspector").node
    assert "Edits" in node.tab_names
    node.go_to("Edits")
    assert "fallback" in node.edits.text or "tried next" in node.edits.text
    teller.picture("went-on")
    return view.summary


def forks_before_the_first_call(teller: Teller, qtbot: Any, parent: RunId) -> RunSummary:
    """With the API that helped, and the argument that it needs."""
    view = teller.context.run_view
    failed = next(p for p, n in view.nodes.items() if n.kind == "call" and n.state == "failed")
    teller.window.open(dialog_commands.fork_run, run=parent, path=failed)
    dialog = teller.dialog(ForkDialog)
    teller.until(lambda: dialog.is_idle)
    dialog.call.choose_button.click()
    qtbot.keyClicks(dialog.call.choice.field, "neighbourhood safety report")
    offered = dialog.call.candidates.model
    teller.until(lambda: WANTED in titles_of(offered))
    dialog.call.choice.view.setCurrentIndex(offered.index(titles_of(offered).index(WANTED), 0))
    dialog.start_button.click()
    assert "missing" in dialog.call.arguments.field("town").problem
    qtbot.keyClicks(dialog.call.arguments.field("town").editor, "Springfield, Illinois")
    teller.picture("fork", dialog)
    teller.context.debug.breakpoints.remove(["failure=exhausted"])
    dialog.start_button.click()
    teller.until_over(2)
    assert view.summary is not None
    assert (view.summary.parent_run, view.summary.status) == (parent, "solved")
    assert view.summary.fallbacks == 0
    assert teller.panel("runs").model.row(1).cells[0].startswith("↳ 2")
    teller.picture("forked")
    return view.summary


def compares(teller: Teller, first: RunId, second: RunId) -> None:
    """Where they first differ stands in a sentence."""
    teller.context.compare_runs(first, second)
    compare = teller.panel("compare")
    teller.until(lambda: compare.model.diff is not None)
    teller.settle()
    assert compare.model.diff.first is not None
    assert compare.sentence.text()
    teller.picture("compared")


def replays(teller: Teller, run: RunId) -> None:
    """The decision of the person is on the tape as well: nobody is asked."""
    from toolplanner_gui.actions.run_actions import replay_run

    replay_run(teller.context, run)
    said = teller.dialog(ReplayDialog)
    assert "identically" in said.sentence.text()
    teller.picture("replayed", said)
    said.reject()
    QApplication.sendPostedEvents()


def test_break_when_exhausted_choose_go_on_fork_compare(teller: Teller, qtbot) -> None:
    stops_when_exhausted(teller)
    chooses_another_api_by_keys(teller, qtbot)
    first = goes_on_without_another_plan(teller)
    second = forks_before_the_first_call(teller, qtbot, first.run)
    compares(teller, first.run, second.run)
    for run in (first.run, second.run):
        replays(teller, run)
