"""Where “Details” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.details_panel import DetailsPanel

    return DetailsPanel(context)


PLUGIN = PanelPlugin(
    id="details",
    title="Details",
    icon="information-outline",
    make=_make,
    places={
        "curate": PanelPlace(DockPlace.RIGHT),
        "review": PanelPlace(DockPlace.RIGHT, order=2, share=42),
    },
)
