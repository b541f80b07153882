"""Where “Toolkits” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel

    return ToolkitsPanel(context)


PLUGIN = PanelPlugin(
    id="toolkits",
    title="Toolkits",
    icon="format-list-bulleted",
    make=_make,
    places={"curate": PanelPlace(DockPlace.LEFT)},
)
