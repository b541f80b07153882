"""The File menu."""

from collections.abc import Sequence
from pathlib import Path

from toolplanner_gui.actions.action import Action, Entry, Menu, Separator, Submenu
from toolplanner_gui.actions.opening import (
    ask_and_create,
    ask_and_open,
    close_workspace,
    import_into_workspace,
    open_demo,
    open_later,
)
from toolplanner_gui.context import AppContext


def _recent(context: AppContext) -> Sequence[Action]:
    return [_open_action(number, r.path) for number, r in enumerate(context.choices.recent)]


def _open_action(number: int, path: Path) -> Action:
    return Action(
        f"file.recent.{number}",
        f"{path.name}  —  {path.parent}".replace("&", "&&"),
        "",
        "",
        lambda context: open_later(context, path),
        is_anytime=True,
    )


_ENTRIES: tuple[Entry, ...] = (
    Action(
        "file.new",
        "&New workspace …",
        "Ctrl+N",
        "file-plus-outline",
        ask_and_create,
        is_anytime=True,
    ),
    Action("file.open", "&Open …", "Ctrl+O", "folder-open-outline", ask_and_open, is_anytime=True),
    Submenu(
        "file.recent",
        "Open &recent",
        _recent,
        is_anytime=True,
        enabled_when=lambda context: bool(context.choices.recent),
    ),
    Action("file.demo", "Open the &demo", "", "flask-outline", open_demo, is_anytime=True),
    Separator(),
    Action(
        "file.import", "&Import tools …", "Ctrl+I", "import", import_into_workspace, is_anytime=True
    ),
    Separator(),
    Action("file.close", "&Close workspace", "Ctrl+W", "", close_workspace),
    Action(
        "file.quit",
        "&Quit",
        "Ctrl+Q",
        "",
        lambda c: c.shell.close_window(),
        is_anytime=True,
        role="quit",
    ),
)

PLUGIN = Menu("file", "&File", 1, _ENTRIES)
