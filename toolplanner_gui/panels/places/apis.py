"""Where “APIs” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.apis_panel import ApisPanel

    return ApisPanel(context)


PLUGIN = PanelPlugin(
    id="apis",
    title="APIs",
    icon="format-list-bulleted",
    make=_make,
    places={"curate": PanelPlace(DockPlace.BOTTOM, order=4)},
)
