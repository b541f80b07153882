"""Where “Breakpoints and faults” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.rules_panel import RulesPanel

    return RulesPanel(context)


PLUGIN = PanelPlugin(
    id="rules",
    title="Breakpoints and faults",
    icon="circle-outline",
    make=_make,
    places={"debug": PanelPlace(DockPlace.BOTTOM, order=3)},
)
