"""Where “Run” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.run_tree_panel import RunTreePanel

    return RunTreePanel(context)


PLUGIN = PanelPlugin(
    id="run_tree",
    title="Run",
    icon="file-tree-outline",
    make=_make,
    places={"debug": PanelPlace(DockPlace.CENTRE)},
)
