"""The Run menu."""

from toolplanner_gui.actions.action import Action, Menu, has_workspace
from toolplanner_gui.actions.shell import shell_of

PLUGIN = Menu(
    id="run",
    title="&Run",
    order=5,
    entries=(
        Action(
            id="run.start",
            title="&Run the query",
            shortcut="Ctrl+Return",
            icon="play",
            run=lambda c: shell_of(c).start_run(),
            enabled_when=lambda c: has_workspace(c) and not c.run_view.is_live,
        ),
        Action(
            id="run.stop",
            title="&Stop",
            shortcut="Shift+F5",
            icon="stop",
            run=lambda c: c.run_view.stop(),
            enabled_when=lambda c: c.run_view.is_live,
        ),
    ),
)
