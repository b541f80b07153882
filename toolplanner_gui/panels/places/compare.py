"""Where “Compare” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.compare_panel import ComparePanel

    return ComparePanel(context)


PLUGIN = PanelPlugin(
    id="compare",
    title="Compare",
    icon="compare",
    make=_make,
    places={"debug": PanelPlace(DockPlace.CENTRE, order=2)},
)
