"""Where “Demonstrations” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.demonstrations_panel import DemonstrationsPanel

    return DemonstrationsPanel(context)


PLUGIN = PanelPlugin(
    id="demonstrations",
    title="Demonstrations",
    icon="school-outline",
    make=_make,
    places={"debug": PanelPlace(DockPlace.BOTTOM, order=6)},
)
