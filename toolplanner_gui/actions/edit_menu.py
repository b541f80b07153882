"""The Edit menu."""

from toolplanner_core.words.formatting import one_line
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import (
    Action,
    Menu,
    Separator,
    anytime,
    rows,
    to_dialog,
    to_panel,
)
from toolplanner_gui.actions.run_actions import undo
from toolplanner_gui.context import AppContext

_LABEL_LIMIT = 70


def _named(verb: str, label: str) -> str:
    """The verb with the edit it is about; `&` would mark a letter."""
    return f"{verb}: {one_line(label, _LABEL_LIMIT).replace('&', '&&')}" if label else verb


def _undone(context: AppContext) -> str:
    return context.deleted_runs.label or context.curation.undo_label


_ENTRIES = rows(
    "edit",
    Action(
        "edit.undo",
        "&Undo",
        "Ctrl+Z",
        "undo",
        undo,
        lambda c: "" if _undone(c) else "There is nothing to undo",
        changes=True,
        title_now=lambda c: _named("&Undo", _undone(c)),
    ),
    Action(
        "edit.redo",
        "&Redo",
        "Ctrl+Shift+Z Ctrl+Y",
        "redo",
        lambda c: c.curation.redo(),
        lambda c: "" if c.curation.redo_label else "There is nothing to redo",
        changes=True,
        title_now=lambda c: _named("&Redo", c.curation.redo_label),
    ),
    ("history", "&History of edits", "Ctrl+H", "history", to_panel(panel_commands.focus_history)),
    ("snapshot", "Save &snapshot …", "", "flag-outline", to_dialog(dialog_commands.save_snapshot)),
    ("compare", "&Compare states …", "", "compare", to_dialog(dialog_commands.compare_states)),
    (
        "plans",
        "What my curation chan&ged …",
        "",
        "chart-gantt",
        to_dialog(dialog_commands.plans_since),
    ),
    Separator(),
    ("find", "&Find APIs", "Ctrl+F", "magnify", to_panel(panel_commands.find_toolkits)),
    ("query", "Go to the &query", "Ctrl+L", "", lambda c: c.shell.focus_query()),
    Separator(),
    ("prompts", "Pro&mpts …", "", "text-box-outline", to_dialog(dialog_commands.prompts)),
    (
        "preferences",
        "&Preferences …",
        "Ctrl+,",
        "cog-outline",
        to_dialog(dialog_commands.preferences),
        anytime,
    ),
)

PLUGIN = Menu("edit", "&Edit", 2, _ENTRIES)
