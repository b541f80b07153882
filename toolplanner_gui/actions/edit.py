"""The Edit menu."""

from toolplanner_gui.actions.action import Action, Menu, Separator, has_workspace
from toolplanner_gui.actions.shell import shell_of

PLUGIN = Menu(
    id="edit",
    title="&Edit",
    order=2,
    entries=(
        Action(
            id="edit.find",
            title="&Find APIs",
            shortcut="Ctrl+F",
            icon="magnify",
            run=lambda c: shell_of(c).call_panel("toolkits", "find"),
            enabled_when=has_workspace,
        ),
        Action(
            id="edit.query",
            title="Go to the &query",
            shortcut="Ctrl+L",
            run=lambda c: shell_of(c).focus_query(),
            enabled_when=has_workspace,
        ),
        Separator(),
        Action(
            id="edit.deselect",
            title="&Deselect",
            shortcut="Ctrl+D",
            run=lambda c: c.selection.clear(),
            enabled_when=lambda c: not c.selection.is_empty,
        ),
    ),
)
