"""Where “Runs” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.runs_panel import RunsPanel

    return RunsPanel(context)


PLUGIN = PanelPlugin(
    id="runs",
    title="Runs",
    icon="history",
    make=_make,
    places={"debug": PanelPlace(DockPlace.LEFT)},
)
