"""The Select menu: everything that makes or changes a selection, and what leaves it as text."""

from collections.abc import Sequence

from PySide6.QtGui import QGuiApplication

from toolplanner_core.words.wording import count, one_line
from toolplanner_gui.actions.action import (
    Action,
    Entry,
    Menu,
    Separator,
    Submenu,
    to_dialog,
    to_panel,
)
from toolplanner_gui.context import AppContext

_NOTHING = "Select APIs first, in the list or on the map"
_LABEL_LIMIT = 60


def _needs_map(context: AppContext) -> str:
    return "" if context.catalogue.xy is not None else "There is no map yet: prepare it first"


def _needs_selection(context: AppContext) -> str:
    return "" if not context.selection.is_empty else _NOTHING


def _needs_neighbours(context: AppContext) -> str:
    if context.selection.is_empty:
        return _NOTHING
    return "" if context.selecting.can_grow else "The neighbours of APIs are not known yet"


def _saved(context: AppContext) -> Sequence[Action]:
    return [
        Action(
            f"select.saved.{number}",
            f"{_plain(one.name)}  ({count(len(one.rowids))})",
            "",
            "",
            lambda c, name=one.name: c.selecting.take_saved(name),
        )
        for number, one in enumerate(context.selecting.saved)
    ]


def _forget(context: AppContext) -> Sequence[Action]:
    return [
        Action(
            f"select.forget.{number}",
            _plain(one.name),
            "",
            "",
            lambda c, name=one.name: c.selecting.forget(name),
        )
        for number, one in enumerate(context.selecting.saved)
    ]


def _plain(name: str) -> str:
    return one_line(name, _LABEL_LIMIT).replace("&", "&&")


def _copy_ids(context: AppContext) -> None:
    context.selecting.copy_ids(QGuiApplication.clipboard().setText)


GROW = Action(
    "select.grow",
    "&Grow by neighbours",
    "Ctrl+]",
    "arrow-expand-all",
    lambda c: c.selecting.grow(),
    _needs_neighbours,
)
SHRINK = Action(
    "select.shrink",
    "S&hrink to the core",
    "Ctrl+[",
    "arrow-collapse-all",
    lambda c: c.selecting.shrink(),
    _needs_neighbours,
)
SIMILAR = Action(
    "select.similar",
    "Find si&milar",
    "Ctrl+Shift+M",
    "approximately-equal",
    lambda c: c.selecting.take_similar(),
    _needs_selection,
)
TOOLKITS = Action(
    "select.toolkits",
    "All of the &toolkit",
    "Ctrl+Shift+A",
    "select-group",
    lambda c: c.selecting.take_toolkits(),
    _needs_selection,
)
COPY_IDS = Action(
    "select.copy_ids", "&Copy ids", "Ctrl+Shift+C", "content-copy", _copy_ids, _needs_selection
)
SAVE = Action(
    "select.save",
    "&Save selection …",
    "",
    "bookmark-outline",
    to_dialog("save_selection"),
    _needs_selection,
)

_ENTRIES: tuple[Entry, ...] = (
    Action(
        "select.all",
        "&All that is shown",
        "Ctrl+A",
        "select-all",
        lambda c: c.selecting.select_all(),
        _needs_map,
    ),
    Action(
        "select.invert",
        "&Invert",
        "Ctrl+Shift+I",
        "select-inverse",
        lambda c: c.selecting.invert(),
        _needs_map,
    ),
    Action(
        "select.none",
        "&Deselect",
        "Ctrl+D",
        "",
        lambda c: c.selection.clear(),
        enabled_when=lambda c: not c.selection.is_empty,
    ),
    Separator(),
    TOOLKITS,
    GROW,
    SHRINK,
    SIMILAR,
    Action(
        "select.find",
        "&Find on the map …",
        "Ctrl+Shift+F",
        "magnify",
        to_panel("map", "find"),
        _needs_map,
    ),
    Action(
        "select.clear_filter",
        "S&how all again",
        "",
        "filter-remove-outline",
        lambda c: c.map_look.clear_filter(),
        enabled_when=lambda c: c.map_look.visible is not None,
    ),
    Separator(),
    SAVE,
    Submenu(
        "select.saved", "Sa&ved selections", _saved, enabled_when=lambda c: bool(c.selecting.saved)
    ),
    Submenu(
        "select.forget",
        "F&orget a saved selection",
        _forget,
        enabled_when=lambda c: bool(c.selecting.saved),
    ),
    Separator(),
    COPY_IDS,
)

PLUGIN = Menu("select", "&Select", 2, _ENTRIES)


def selecting_entries(_context: AppContext, _target: object) -> Sequence[Entry]:
    """What a context menu offers to change the selection."""
    return (TOOLKITS, GROW, SHRINK, SIMILAR, SAVE, COPY_IDS)
