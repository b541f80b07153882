"""The Help menu."""

from toolplanner_gui.actions.action import Action, Menu, anytime, rows, to_dialog

_ENTRIES = rows(
    "help",
    ("shortcuts", "&Shortcuts", "F1", "keyboard-outline", to_dialog("shortcuts"), anytime),
    Action("help.about", "&About ToolPlanner", "", "", to_dialog("about"), anytime, role="about"),
)

PLUGIN = Menu("help", "&Help", 7, _ENTRIES)
