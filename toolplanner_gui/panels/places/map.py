"""Where the map stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.map_panel import MapPanel

    return MapPanel(context)


PLUGIN = PanelPlugin(
    id="map",
    title="Map",
    icon="hexagon-multiple-outline",
    make=_make,
    places={
        "curate": PanelPlace(DockPlace.CENTRE),
        "debug": PanelPlace(DockPlace.RIGHT, order=2, share=38),
        "review": PanelPlace(DockPlace.RIGHT, share=58),
    },
)
