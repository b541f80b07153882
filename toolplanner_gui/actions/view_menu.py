"""The View menu: layouts, theme, panels, the map's view."""

from collections.abc import Sequence

from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import (
    Action,
    Menu,
    Separator,
    Submenu,
    anytime,
    listed,
    rows,
    to_dialog,
    to_panel,
)
from toolplanner_gui.context import AppContext
from toolplanner_gui.layouts import LAYOUTS, Layout
from toolplanner_gui.shell import ShownPanel

_EXPORTS = (
    ("png", "As a &picture (PNG) …", to_panel(panel_commands.export_map_png)),
    ("svg", "As a &drawing with text (SVG) …", to_panel(panel_commands.export_map_svg)),
    ("csv", "As a &table of what is seen (CSV) …", to_panel(panel_commands.export_map_table)),
)
_THEMES = (("system", "Like the &system"), ("light", "&Light"), ("dark", "&Dark"))


def _set_theme(context: AppContext, mode: str) -> None:
    context.choices.theme = mode
    context.theme.set_mode(mode)


def _themes(_context: AppContext) -> Sequence[Action]:
    def theme(mode: str, title: str) -> Action:
        return Action(
            f"view.theme.{mode}",
            title,
            "",
            "",
            lambda c: _set_theme(c, mode),
            anytime,
            checked_when=lambda c: c.theme.mode == mode,
        )

    return [theme(mode, title) for mode, title in _THEMES]


def _layout(layout: Layout) -> Action:
    return Action(
        f"view.{layout.id}",
        f"&{layout.title}",
        layout.shortcut,
        layout.icon,
        lambda c: c.shell.show_layout(layout.id),
        anytime,
        checked_when=lambda c: c.shell.current_layout() == layout.id,
    )


def _panels(context: AppContext) -> Sequence[Action]:
    def toggle(panel: ShownPanel) -> Action:
        return Action(
            f"view.panel.{panel.id}",
            panel.title,
            "",
            panel.icon,
            lambda c: c.shell.toggle_panel(panel.id),
            checked_when=lambda _: panel.is_shown,
        )

    return [toggle(panel) for panel in context.shell.panels()]


def _exports(_context: AppContext) -> Sequence[Action]:
    return listed("view.export_map", _EXPORTS)


def _bottom_title(context: AppContext) -> str:
    verb = "Open" if context.shell.is_bottom_folded else "Fold"
    return f"{verb} the panels at the &bottom"


def _has_no_bottom(context: AppContext) -> str:
    is_there = context.shell.is_bottom_folded is not None
    return "" if is_there else "This layout has no panels at the bottom"


_BOTTOM = Action(
    "view.bottom",
    "Fold the panels at the &bottom",
    "Ctrl+J",
    "chevron-down",
    lambda c: c.shell.toggle_bottom_panels(),
    _has_no_bottom,
    title_now=_bottom_title,
)


def _turn_zoom(context: AppContext) -> None:
    context.choices.zooms_to_hits = not context.choices.zooms_to_hits


_ZOOM_BY_ITSELF = Action(
    "view.zoom_by_itself",
    "Zoom to hits b&y itself",
    "",
    "",
    _turn_zoom,
    checked_when=lambda c: c.choices.zooms_to_hits,
)
_hits = to_panel(panel_commands.zoom_to_hits)
_timeline, _event_log = (
    to_panel(panel_commands.focus_timeline),
    to_panel(panel_commands.find_events),
)
_palette = to_dialog(dialog_commands.command_palette)
_ENTRIES = rows(
    "view",
    ("palette", "Command &palette", "Ctrl+K", "apple-keyboard-command", _palette, anytime),
    Separator(),
    *map(_layout, LAYOUTS),
    Separator(),
    Submenu("&Panels", _panels),
    _BOTTOM,
    Submenu("&Theme", _themes, is_anytime=True),
    Separator(),
    ("fit", "&Fit the map", "Ctrl+0", "fit-to-page-outline", to_panel(panel_commands.fit_map)),
    ("hits", "&Zoom to what is found and shown", "Ctrl+9", "image-filter-center-focus", _hits),
    _ZOOM_BY_ITSELF,
    ("map", "Walk on the &map", "Ctrl+M", "map-outline", to_panel(panel_commands.focus_map)),
    Submenu("E&xport the map", _exports, lambda c: c.catalogue.xy is None),
    ("timeline", "&Timeline of the run", "Ctrl+Shift+T", "chart-gantt", _timeline),
    ("event_log", "&Event log of the run", "Ctrl+Shift+E", "format-list-bulleted", _event_log),
    Separator(),
    ("next_pane", "&Next pane", "F6", "", lambda c: c.shell.go_to_pane(1)),
    ("previous_pane", "Pre&vious pane", "Shift+F6", "", lambda c: c.shell.go_to_pane(-1)),
    ("reset", "&Reset the windows", "", "", lambda c: c.shell.reset_windows(), anytime),
)

PLUGIN = Menu("view", "&View", 3, _ENTRIES)
