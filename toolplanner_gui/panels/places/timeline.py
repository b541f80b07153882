"""Where “Timeline” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.timeline_panel import TimelinePanel

    return TimelinePanel(context)


PLUGIN = PanelPlugin(
    id="timeline",
    title="Timeline",
    icon="chart-gantt",
    make=_make,
    places={"debug": PanelPlace(DockPlace.BOTTOM)},
)
