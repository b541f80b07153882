"""The Help menu."""

from toolplanner_gui.actions.action import Action, Menu

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
            run=lambda c: c.shell.open("shortcuts"),
        ),
        Action(
            id="help.about",
            is_anytime=True,
            title="&About ToolPlanner",
            run=lambda c: c.shell.open("about"),
            role="about",
        ),
    ),
)
