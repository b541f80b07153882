"""The File menu."""

from collections.abc import Sequence
from pathlib import Path

from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.action import (
    Action,
    Menu,
    Separator,
    Submenu,
    anytime,
    rows,
    to_dialog,
)
from toolplanner_gui.actions.workspace_files import (
    ask_and_create,
    ask_and_import_calls,
    ask_and_open,
    close_workspace,
    import_into_workspace,
    open_demo,
    open_later,
    save_as,
    save_copy,
)
from toolplanner_gui.context import AppContext


def _recent(context: AppContext) -> Sequence[Action]:
    return [_open_action(number, r.path) for number, r in enumerate(context.choices.recent)]


def _open_action(number: int, path: Path) -> Action:
    title = f"{path.name}  —  {path.parent}".replace("&", "&&")
    return Action(f"file.recent.{number}", title, "", "", lambda c: open_later(c, path), anytime)


_export = to_dialog(dialog_commands.export_toolkits)


def _has_no_toolkits(context: AppContext) -> bool:
    return not context.catalogue.toolkits


_ENTRIES = rows(
    "file",
    ("new", "&New workspace …", "Ctrl+N", "file-plus-outline", ask_and_create, anytime),
    ("open", "&Open …", "Ctrl+O", "folder-open-outline", ask_and_open, anytime),
    Submenu("Open &recent", _recent, lambda c: not c.choices.recent, is_anytime=True),
    ("demo", "Open the &demo", "", "flask-outline", open_demo, anytime),
    Separator(),
    ("import", "&Import tools …", "Ctrl+I", "import", import_into_workspace, anytime),
    ("import_calls", "Import recorded ca&lls …", "", "import", ask_and_import_calls),
    Separator(),
    ("export", "&Export toolkits …", "Ctrl+E", "export", _export, _has_no_toolkits),
    ("save_copy", "Save a cop&y …", "Ctrl+Shift+S", "content-save-outline", save_copy),
    ("save_as", "Save &as …", "", "", save_as),
    Separator(),
    ("close", "&Close workspace", "Ctrl+W", "", close_workspace),
    Action(
        "file.quit",
        "&Quit",
        "Ctrl+Q",
        "",
        lambda c: c.shell.close_window(),
        anytime,
        role="quit",
    ),
)

PLUGIN = Menu("file", "&File", 1, _ENTRIES)
