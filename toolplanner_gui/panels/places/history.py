"""Where “History” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.history_panel import HistoryPanel

    return HistoryPanel(context)


PLUGIN = PanelPlugin(
    id="history",
    title="History",
    icon="history",
    make=_make,
    places={"curate": PanelPlace(DockPlace.BOTTOM)},
)
