"""Where “Cases” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.cases_panel import CasesPanel

    return CasesPanel(context)


PLUGIN = PanelPlugin(
    id="cases",
    title="Cases",
    icon="clipboard-list-outline",
    make=_make,
    places={
        "curate": PanelPlace(DockPlace.BOTTOM, order=6),
        "debug": PanelPlace(DockPlace.BOTTOM, order=5),
    },
)
