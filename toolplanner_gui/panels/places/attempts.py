"""Where “Calls” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.attempts_panel import AttemptsPanel

    return AttemptsPanel(context)


PLUGIN = PanelPlugin(
    id="attempts",
    title="Calls",
    icon="phone-outgoing-outline",
    make=_make,
    places={"debug": PanelPlace(DockPlace.BOTTOM, order=7)},
)
