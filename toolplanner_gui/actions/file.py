"""The File menu."""

from collections.abc import Sequence
from pathlib import Path

from toolplanner_gui.actions.action import Action, Menu, Separator, Submenu
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
        id=f"file.recent.{number}",
        title=f"{path.name}  —  {path.parent}".replace("&", "&&"),
        run=lambda context: open_later(context, path),
        is_anytime=True,
    )


PLUGIN = Menu(
    id="file",
    title="&File",
    order=1,
    entries=(
        Action(
            id="file.new",
            is_anytime=True,
            title="&New workspace …",
            shortcut="Ctrl+N",
            icon="file-plus-outline",
            run=ask_and_create,
        ),
        Action(
            id="file.open",
            is_anytime=True,
            title="&Open …",
            shortcut="Ctrl+O",
            icon="folder-open-outline",
            run=ask_and_open,
        ),
        Submenu(
            id="file.recent",
            is_anytime=True,
            title="Open &recent",
            entries=_recent,
            enabled_when=lambda context: bool(context.choices.recent),
        ),
        Action(
            id="file.demo",
            is_anytime=True,
            title="Open the &demo",
            icon="flask-outline",
            run=open_demo,
        ),
        Separator(),
        Action(
            id="file.import",
            is_anytime=True,
            title="&Import tools …",
            shortcut="Ctrl+I",
            icon="import",
            run=import_into_workspace,
        ),
        Separator(),
        Action(
            id="file.close",
            title="&Close workspace",
            shortcut="Ctrl+W",
            run=close_workspace,
        ),
        Action(
            id="file.quit",
            is_anytime=True,
            title="&Quit",
            shortcut="Ctrl+Q",
            run=lambda c: c.shell.close_window(),
            role="quit",
        ),
    ),
)
