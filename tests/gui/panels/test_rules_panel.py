"""The lists of breakpoints and faults: what is seen of a rule where room is short."""

from PySide6.QtCore import Qt

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.rules_panel import BreakpointRules, FaultRules


def test_breakpoints_when_none_has_a_condition_then_their_places_have_the_room(
    opened: AppContext, qtbot
) -> None:
    panel = BreakpointRules(opened)
    qtbot.addWidget(panel)
    panel.resize(500, 200)
    panel.show()
    opened.debug.breakpoints.put("toolkit=Geocoding,at=before_call")
    assert panel.model.index(0, 0).data() == "Geocoding: a call is about to be sent"
    assert panel.view.isColumnHidden(1)
    opened.debug.breakpoints.put("at=before_call,hits=3")
    assert not panel.view.isColumnHidden(1)
    panel.resize(300, 200)
    assert panel.view.isColumnHidden(1)
    qtbot.waitUntil(lambda: opened.tasks.is_idle)


def test_rules_when_run_twice_then_hits_go_on_and_strikes_begin_anew_and_titles_say_so(
    opened: AppContext, qtbot
) -> None:
    breakpoints, faults = BreakpointRules(opened), FaultRules(opened)
    for panel in (breakpoints, faults):
        qtbot.addWidget(panel)
    opened.debug.breakpoints.put('at=before_call,log="{title}"')
    opened.debug.faults.put("500:all,next=1")
    spec = RunSpec(
        query="Convert 26.2 miles to kilometres.", provider="demo", faults=("500:all,next=1",)
    )
    for _ in range(2):
        opened.run_view.start(spec)
        qtbot.waitUntil(lambda: not opened.run_view.is_live and opened.tasks.is_idle)
    seen = [{title: panel.model.index(0, column).data()
             for column, title in enumerate(panel.model.titles)}
            for panel in (breakpoints, faults)]  # fmt: skip
    assert (seen[0]["Hits in all"], seen[1]["Struck"]) == ("4", "1")
    tip = faults.model.headerData(3, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "each run begins anew" in tip
