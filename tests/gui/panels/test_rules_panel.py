"""The lists of breakpoints and faults: what is seen of a rule where room is short."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.rules.breakpoint_rules import BreakpointRules


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
