"""Where “Event log” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.event_log_panel import EventLogPanel

    return EventLogPanel(context)


PLUGIN = PanelPlugin(
    id="event_log",
    title="Event log",
    icon="format-list-bulleted",
    make=_make,
    places={"debug": PanelPlace(DockPlace.BOTTOM, order=2)},
)
