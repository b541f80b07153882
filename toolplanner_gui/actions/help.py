"""The Help menu."""

from toolplanner_gui.actions.action import Action, Entry, Menu, to_dialog

_ENTRIES: tuple[Entry, ...] = (
    Action(
        "help.shortcuts",
        "&Shortcuts",
        "F1",
        "keyboard-outline",
        to_dialog("shortcuts"),
        is_anytime=True,
    ),
    Action(
        "help.about",
        "&About ToolPlanner",
        "",
        "",
        to_dialog("about"),
        is_anytime=True,
        role="about",
    ),
)

PLUGIN = Menu("help", "&Help", 7, _ENTRIES)
