"""Where “Staging tray” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.staging_panel import StagingPanel

    return StagingPanel(context)


PLUGIN = PanelPlugin(
    id="staging",
    title="Staging tray",
    icon="tray",
    make=_make,
    places={"curate": PanelPlace(DockPlace.BOTTOM, order=2)},
)
