"""The Select menu: everything that makes or changes a selection, and what leaves it as text."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QGuiApplication

from toolplanner_core.words.formatting import count, one_line
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import (
    Action,
    Entry,
    Menu,
    Run,
    Separator,
    Submenu,
    listed,
    rows,
    to_dialog,
    to_panel,
)
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.curate.selection import SelectionActions

_NOTHING = "Select APIs first, in the list or on the map"
_LABEL_LIMIT = 60


def _needs_map(context: AppContext) -> str:
    return "" if context.catalogue.xy is not None else "There is no map yet: prepare it first"


def _no_selection(context: AppContext) -> str:
    return _NOTHING if context.selection.is_empty else ""


def _is_empty(context: AppContext) -> bool:
    return context.selection.is_empty


def _needs_neighbours(context: AppContext) -> str:
    if context.selection.is_empty:
        return _NOTHING
    return "" if context.selecting.can_grow else "The neighbours of APIs are not known yet"


def _saved(context: AppContext) -> Sequence[Action]:
    def take(name: str) -> Run:
        return lambda c: c.selecting.take_saved(name)

    saved = context.selecting.saved
    found = ((f"{_plain(one.name)}  ({count(len(one.rowids))})", take(one.name)) for one in saved)
    return listed("select.saved", ((n, *one) for n, one in enumerate(found)))


def _forget(context: AppContext) -> Sequence[Action]:
    def forget(name: str) -> Run:
        return lambda c: c.selecting.forget(name)

    found = enumerate(one.name for one in context.selecting.saved)
    return listed("select.forget", ((n, _plain(name), forget(name)) for n, name in found))


def _has_none_saved(context: AppContext) -> bool:
    return not context.selecting.saved


def _plain(name: str) -> str:
    return one_line(name, _LABEL_LIMIT).replace("&", "&&")


def _copy_ids(context: AppContext) -> None:
    context.selecting.copy_ids(QGuiApplication.clipboard().setText)


def _do(work: Callable[[SelectionActions], object]) -> Run:
    return lambda context: work(context.selecting)


def _show_all(context: AppContext) -> None:
    context.map_look.clear_filter()


def _shows_all(context: AppContext) -> bool:
    return context.map_look.visible is None


_select_all = _do(SelectionActions.select_all)
_grow, _shrink = _do(SelectionActions.grow), _do(SelectionActions.shrink)
_similar, _toolkits = _do(SelectionActions.take_similar), _do(SelectionActions.take_toolkits)
_save = to_dialog(dialog_commands.save_selection)
_CHANGING = rows(
    "select",
    ("toolkits", "All of the &toolkit", "Ctrl+Shift+A", "select-group", _toolkits, _no_selection),
    ("grow", "&Grow by neighbours", "Ctrl+]", "arrow-expand-all", _grow, _needs_neighbours),
    ("shrink", "S&hrink to the core", "Ctrl+[", "arrow-collapse-all", _shrink, _needs_neighbours),
    ("similar", "Find si&milar", "Ctrl+Shift+M", "approximately-equal", _similar, _no_selection),
)
_SEEING = rows(
    "select",
    (
        "only",
        "Show &only these",
        "",
        "filter-check-outline",
        _do(SelectionActions.show_only),
        _is_empty,
    ),
    ("table", "In the &table", "", "table", to_panel(panel_commands.list_selected_apis), _is_empty),
)
_NOT_OF_RUNS = "Ctrl+D@curate Ctrl+D@review"
"""In Debug it compares the runs that are selected."""
_SAVE, _COPY = rows(
    "select",
    ("save", "&Save selection …", "", "bookmark-outline", _save, _no_selection),
    ("copy_ids", "&Copy ids", "Ctrl+Shift+C", "content-copy", _copy_ids, _no_selection),
)
_ENTRIES = rows(
    "select",
    ("all", "&All that is shown", "Ctrl+A@curate", "select-all", _select_all, _needs_map),
    (
        "invert",
        "&Invert",
        "Ctrl+Shift+I",
        "select-inverse",
        _do(SelectionActions.invert),
        _needs_map,
    ),
    ("none", "&Deselect", _NOT_OF_RUNS, "", lambda c: c.selection.clear(), _is_empty),
    Separator(),
    *_CHANGING,
    (
        "find",
        "&Find on the map …",
        "Ctrl+Shift+F",
        "magnify",
        to_panel(panel_commands.find_on_map),
        _needs_map,
    ),
    *_SEEING,
    ("clear_filter", "S&how all again", "", "filter-remove-outline", _show_all, _shows_all),
    Separator(),
    _SAVE,
    Submenu("Sa&ved selections", _saved, _has_none_saved),
    Submenu("F&orget a saved selection", _forget, _has_none_saved),
    Separator(),
    _COPY,
)

PLUGIN = Menu("select", "&Select", 2, _ENTRIES)


def selecting_entries(_context: AppContext, _target: object) -> Sequence[Entry]:
    """What a context menu offers to change the selection."""
    changing = [entry for entry in (*_CHANGING, _SAVE, _COPY) if isinstance(entry, Action)]
    return (Submenu("Change or keep the sele&ction", lambda _context: changing),)


def seeing_entries(_context: AppContext, _target: object) -> Sequence[Entry]:
    """Ways to look at the selection alone."""
    return _SEEING
