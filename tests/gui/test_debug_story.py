"""The story of the step debugger through the window: break when a toolkit is exhausted, choose
another API at the stop, go on, fork, compare. Pictures of it: `fixtures/teller.py`.
"""

from pathlib import Path

import pytest
from fixtures.teller import Teller
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from toolplanner_core.strategies.toolkits.points import EXHAUSTED
from toolplanner_gui.actions.opening import open_later
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


def test_break_when_exhausted_choose_go_on_fork_compare(teller: Teller, qtbot) -> None:
    context, window = teller.context, teller.window
    context.debug.breakpoints.put("failure=exhausted")
    window.desk.query_bar.query.setText(CRIME)
    teller.until(lambda: window.desk.query_bar.options.form is not None)
    window.desk.query_bar.options.form.provider.put("demo", {})
    teller.trigger("run.start")

    # It stops: no API of the toolkit is left.
    teller.until(lambda: context.debug.current is not None)
    held = context.debug.current
    assert held is not None
    assert held.stop.point is EXHAUSTED
    assert window.current_layout() == "debug"
    assert "exhausted" in context.debug.says
    inspector = teller.panel("inspector")
    stop = inspector.stop
    teller.until(lambda: stop.held is held)
    teller.settle()
    assert stop.offered[0] == "Try another API"
    offered = stop.call.candidates.model

    def marks() -> list[bool]:
        titles = [offered.row(i).cells[0] for i in range(offered.rowCount())]
        return [title.startswith("✗ failed here") for title in titles]

    assert marks() == sorted(marks()), "what failed in this step is offered last"
    teller.picture("held")

    # Any other API will do: it is searched for and chosen by keys alone.
    inspector.decide()
    qtbot.keyClicks(stop.call.choice.field, "neighbourhood safety report")
    model = stop.call.candidates.model
    teller.until(lambda: WANTED in [model.row(i).cells[0] for i in range(model.rowCount())])
    teller.settle()
    qtbot.keyClick(stop.call.choice.field, Qt.Key.Key_Down)
    while stop.call.api.title != WANTED:
        qtbot.keyClick(stop.call.choice.view, Qt.Key.Key_Down)
    teller.picture("chosen")
    window.activateWindow()
    stop.call.choice.view.setFocus()
    teller.until(stop.call.choice.view.hasFocus)
    qtbot.keyClick(stop.call.choice.view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    teller.until_over(1)
    first = context.run_view.summary
    assert first is not None
    assert first.status == "solved"
    assert first.replans == 0, "the step was done without another plan"
    nodes = context.run_view.nodes
    assert any(n.kind == "attempt" and WANTED in n.title for n in nodes.values())
    decided = next(n for n in nodes.values() if n.data.get("decided"))
    context.run_view.select_node(decided.path)
    teller.settle()
    assert "Edits" in inspector.node.tab_names
    inspector.node.go_to("Edits")
    assert "fallback" in inspector.node.edits.text or "tried next" in inspector.node.edits.text
    teller.picture("went-on")

    # Fork before the first call, with the API that helped.
    failed = next(p for p, n in nodes.items() if n.kind == "call" and n.state == "failed")
    window.open("fork", run=first.run, path=failed)
    dialog = teller.dialog(ForkDialog)
    teller.until(lambda: dialog.is_idle)
    dialog.call.choose_button.click()
    qtbot.keyClicks(dialog.call.choice.field, "neighbourhood safety report")
    offered = dialog.call.candidates.model
    teller.until(lambda: WANTED in [offered.row(i).cells[0] for i in range(offered.rowCount())])
    place = next(i for i in range(offered.rowCount()) if offered.row(i).cells[0] == WANTED)
    dialog.call.choice.view.setCurrentIndex(offered.index(place, 0))
    dialog.start_button.click()
    assert "missing" in dialog.call.arguments.field("town").problem
    qtbot.keyClicks(dialog.call.arguments.field("town").editor, "Springfield, Illinois")
    teller.picture("fork", dialog)
    context.debug.breakpoints.remove(["failure=exhausted"])
    dialog.start_button.click()
    teller.until_over(2)
    second = context.run_view.summary
    assert second is not None
    assert second.parent_run == first.run
    assert second.status == "solved"
    assert second.fallbacks == 0
    rows = teller.panel("runs").model
    assert rows.row(1).cells[0].startswith("↳ 2")
    teller.picture("forked")

    # Compare with the parent: where they first differ stands in a sentence.
    context.compare_runs(first.run, second.run)
    compare = teller.panel("compare")
    teller.until(lambda: compare.model.diff is not None)
    teller.settle()
    assert compare.model.diff.first is not None
    assert compare.sentence.text()
    teller.picture("compared")

    # The decision of the person is on the tape as well: a replay asks nobody.
    from toolplanner_gui.actions.runs_again import replay_run

    for run in (first.run, second.run):
        replay_run(context, run)
        said = teller.dialog(ReplayDialog)
        assert "identically" in said.sentence.text()
        teller.picture("replayed", said)
        said.reject()
        QApplication.sendPostedEvents()
