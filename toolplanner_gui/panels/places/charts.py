"""Where “Charts” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.charts_panel import ChartsPanel

    return ChartsPanel(context)


PLUGIN = PanelPlugin(
    id="charts",
    title="Charts",
    icon="chart-bar",
    make=_make,
    places={"curate": PanelPlace(DockPlace.BOTTOM, order=3)},
)
