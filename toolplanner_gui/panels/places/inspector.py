"""Where “Inspector” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.inspector_panel import InspectorPanel

    return InspectorPanel(context)


PLUGIN = PanelPlugin(
    id="inspector",
    title="Inspector",
    icon="magnify-scan",
    make=_make,
    places={"debug": PanelPlace(DockPlace.RIGHT, share=62)},
)
