"""The Help menu."""

from toolplanner_gui.actions.action import Action, Menu
from toolplanner_gui.actions.shell import shell_of

PLUGIN = Menu(
    id="help",
    title="&Help",
    order=7,
    entries=(
        Action(
            id="help.shortcuts",
            is_anytime=True,
            title="&Shortcuts",
            shortcut="F1",
            icon="keyboard-outline",
            run=lambda c: shell_of(c).show_shortcuts(),
        ),
        Action(
            id="help.about",
            is_anytime=True,
            title="&About ToolPlanner",
            run=lambda c: shell_of(c).show_about(),
            role="about",
        ),
    ),
)
