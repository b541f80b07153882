"""The Select menu: everything that makes or changes a selection, and what leaves it as text."""

from collections.abc import Sequence

from PySide6.QtGui import QGuiApplication

from toolplanner_core.words.wording import count, one_line
from toolplanner_gui.actions.action import Action, Entry, Menu, Separator, Submenu
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
            id=f"select.saved.{number}",
            title=f"{_plain(one.name)}  ({count(len(one.rowids))})",
            run=lambda c, name=one.name: c.selecting.take_saved(name),
        )
        for number, one in enumerate(context.selecting.saved)
    ]


def _forget(context: AppContext) -> Sequence[Action]:
    return [
        Action(
            id=f"select.forget.{number}",
            title=_plain(one.name),
            run=lambda c, name=one.name: c.selecting.forget(name),
        )
        for number, one in enumerate(context.selecting.saved)
    ]


def _plain(name: str) -> str:
    return one_line(name, _LABEL_LIMIT).replace("&", "&&")


def _copy_ids(context: AppContext) -> None:
    context.selecting.copy_ids(QGuiApplication.clipboard().setText)


GROW = Action(
    id="select.grow",
    title="&Grow by neighbours",
    shortcut="Ctrl+]",
    icon="arrow-expand-all",
    run=lambda c: c.selecting.grow(),
    refused_when=_needs_neighbours,
)
SHRINK = Action(
    id="select.shrink",
    title="S&hrink to the core",
    shortcut="Ctrl+[",
    icon="arrow-collapse-all",
    run=lambda c: c.selecting.shrink(),
    refused_when=_needs_neighbours,
)
SIMILAR = Action(
    id="select.similar",
    title="Find si&milar",
    shortcut="Ctrl+Shift+M",
    icon="approximately-equal",
    run=lambda c: c.selecting.take_similar(),
    refused_when=_needs_selection,
)
TOOLKITS = Action(
    id="select.toolkits",
    title="All of the &toolkit",
    shortcut="Ctrl+Shift+A",
    icon="select-group",
    run=lambda c: c.selecting.take_toolkits(),
    refused_when=_needs_selection,
)
COPY_IDS = Action(
    id="select.copy_ids",
    title="&Copy ids",
    shortcut="Ctrl+Shift+C",
    icon="content-copy",
    run=_copy_ids,
    refused_when=_needs_selection,
)
SAVE = Action(
    id="select.save",
    title="&Save selection …",
    icon="bookmark-outline",
    run=lambda c: c.shell.open("save_selection"),
    refused_when=_needs_selection,
)

PLUGIN = Menu(
    id="select",
    title="&Select",
    order=2,
    entries=(
        Action(
            id="select.all",
            title="&All that is shown",
            shortcut="Ctrl+A",
            icon="select-all",
            run=lambda c: c.selecting.select_all(),
            refused_when=_needs_map,
        ),
        Action(
            id="select.invert",
            title="&Invert",
            shortcut="Ctrl+Shift+I",
            icon="select-inverse",
            run=lambda c: c.selecting.invert(),
            refused_when=_needs_map,
        ),
        Action(
            id="select.none",
            title="&Deselect",
            shortcut="Ctrl+D",
            run=lambda c: c.selection.clear(),
            enabled_when=lambda c: not c.selection.is_empty,
        ),
        Separator(),
        TOOLKITS,
        GROW,
        SHRINK,
        SIMILAR,
        Action(
            id="select.find",
            title="&Find on the map …",
            shortcut="Ctrl+Shift+F",
            icon="magnify",
            run=lambda c: c.shell.call_panel("map", "find"),
            refused_when=_needs_map,
        ),
        Action(
            id="select.clear_filter",
            title="S&how all again",
            icon="filter-remove-outline",
            run=lambda c: c.map_look.clear_filter(),
            enabled_when=lambda c: c.map_look.visible is not None,
        ),
        Separator(),
        SAVE,
        Submenu(
            id="select.saved",
            title="Sa&ved selections",
            entries=_saved,
            enabled_when=lambda c: bool(c.selecting.saved),
        ),
        Submenu(
            id="select.forget",
            title="F&orget a saved selection",
            entries=_forget,
            enabled_when=lambda c: bool(c.selecting.saved),
        ),
        Separator(),
        COPY_IDS,
    ),
)


def selecting_entries(_context: AppContext, _target: object) -> Sequence[Entry]:
    """What a context menu offers to change the selection."""
    return (TOOLKITS, GROW, SHRINK, SIMILAR, SAVE, COPY_IDS)
