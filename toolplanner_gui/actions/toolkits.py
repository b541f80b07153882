"""The Toolkits menu."""

from toolplanner_gui.actions.action import Action, Menu
from toolplanner_gui.actions.shell import shell_of

PLUGIN = Menu(
    id="toolkits",
    title="&Toolkits",
    order=4,
    entries=(
        Action(
            id="toolkits.prepare",
            title="&Prepare …",
            shortcut="Ctrl+P",
            icon="hexagon-multiple-outline",
            run=lambda c: shell_of(c).show_prepare(),
            enabled_when=lambda c: c.catalogue.n_apis > 0,
        ),
    ),
)
