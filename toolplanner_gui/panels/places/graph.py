"""Where “Graph” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.graph_panel import GraphPanel

    return GraphPanel(context)


PLUGIN = PanelPlugin(
    id="graph",
    title="Graph",
    icon="graph-outline",
    make=_make,
    places={"curate": PanelPlace(DockPlace.BOTTOM, order=5)},
)
