"""The Help menu."""

from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.action import Action, Menu, anytime, rows, to_dialog
from toolplanner_gui.context import AppContext


def _has_no_tools(context: AppContext) -> str:
    return "" if context.catalogue.toolkits else "Open the demo first, or a catalogue with toolkits"


_ENTRIES = rows(
    "help",
    ("guide", "&Guide", "F1", "book-open-variant", to_dialog(dialog_commands.guide), anytime),
    (
        "shortcuts",
        "&Shortcuts",
        "Ctrl+F1",
        "keyboard-outline",
        to_dialog(dialog_commands.shortcuts),
        anytime,
    ),
    ("concepts", "&Concepts", "Shift+F1", "text", to_dialog(dialog_commands.concepts), anytime),
    (
        "tour",
        "&Tour of five steps",
        "",
        "flask-outline",
        to_dialog(dialog_commands.tour),
        _has_no_tools,
    ),
    Action(
        "help.about",
        "&About ToolPlanner",
        "",
        "",
        to_dialog(dialog_commands.about),
        anytime,
        role="about",
    ),
)

PLUGIN = Menu("help", "&Help", 8, _ENTRIES)
