"""The Edit menu."""

from toolplanner_core.words.wording import one_line
from toolplanner_gui.actions.action import Action, Menu, Separator

_LABEL_LIMIT = 70


def _named(verb: str, label: str) -> str:
    """The verb with the edit it is about; `&` would mark a letter."""
    return f"{verb}: {one_line(label, _LABEL_LIMIT).replace('&', '&&')}" if label else verb


PLUGIN = Menu(
    id="edit",
    title="&Edit",
    order=2,
    entries=(
        Action(
            id="edit.undo",
            title="&Undo",
            shortcut="Ctrl+Z",
            icon="undo",
            run=lambda c: c.curation.undo(),
            refused_when=lambda c: "" if c.curation.undo_label else "There is nothing to undo",
            title_now=lambda c: _named("&Undo", c.curation.undo_label),
        ),
        Action(
            id="edit.redo",
            title="&Redo",
            shortcut="Ctrl+Shift+Z",
            also="Ctrl+Y",
            icon="redo",
            run=lambda c: c.curation.redo(),
            refused_when=lambda c: "" if c.curation.redo_label else "There is nothing to redo",
            title_now=lambda c: _named("&Redo", c.curation.redo_label),
        ),
        Action(
            id="edit.history",
            title="&History of edits",
            shortcut="Ctrl+H",
            icon="history",
            run=lambda c: c.shell.call_panel("history", "focus_list"),
        ),
        Action(
            id="edit.snapshot",
            title="Save &snapshot …",
            icon="flag-outline",
            run=lambda c: c.shell.open("snapshot"),
        ),
        Action(
            id="edit.compare",
            title="&Compare states …",
            icon="compare",
            run=lambda c: c.shell.open("compare_states"),
        ),
        Separator(),
        Action(
            id="edit.find",
            title="&Find APIs",
            shortcut="Ctrl+F",
            icon="magnify",
            run=lambda c: c.shell.call_panel("toolkits", "find"),
        ),
        Action(
            id="edit.query",
            title="Go to the &query",
            shortcut="Ctrl+L",
            run=lambda c: c.shell.focus_query(),
        ),
    ),
)
