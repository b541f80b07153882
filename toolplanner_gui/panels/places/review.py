"""Where “Review” stands."""

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin


def _make(context: AppContext) -> Panel:
    from toolplanner_gui.panels.review_panel import ReviewPanel

    return ReviewPanel(context)


PLUGIN = PanelPlugin(
    id="review",
    title="Review",
    icon="clipboard-check-outline",
    make=_make,
    places={"review": PanelPlace(DockPlace.CENTRE)},
)
