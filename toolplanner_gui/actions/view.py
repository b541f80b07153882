"""The View menu: layouts, theme, panels, the map's view."""

from collections.abc import Sequence

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
from toolplanner_gui.layouts import LAYOUTS, Layout

_EXPORTS = (
    ("png", "export_png", "As a &picture (PNG) …"),
    ("svg", "export_svg", "As a &drawing with text (SVG) …"),
    ("csv", "export_table", "As a &table of what is seen (CSV) …"),
)
_THEMES = (("system", "Like the &system"), ("light", "&Light"), ("dark", "&Dark"))


def _set_theme(context: AppContext, mode: str) -> None:
    context.choices.theme = mode
    context.theme.set_mode(mode)


def _themes(_context: AppContext) -> Sequence[Action]:
    return [
        Action(
            f"view.theme.{mode}",
            title,
            "",
            "",
            lambda c, m=mode: _set_theme(c, m),
            checked_when=lambda c, m=mode: c.theme.mode == m,
            is_anytime=True,
        )
        for mode, title in _THEMES
    ]


def _layout(layout: Layout) -> Action:
    return Action(
        f"view.{layout.id}",
        f"&{layout.title}",
        layout.shortcut,
        layout.icon,
        lambda c: c.shell.show_layout(layout.id),
        is_anytime=True,
        checked_when=lambda c: c.shell.current_layout() == layout.id,
    )


def _panels(context: AppContext) -> Sequence[Action]:
    return [
        Action(
            f"view.panel.{panel.id}",
            panel.title,
            "",
            panel.icon,
            lambda c, p=panel.id: c.shell.toggle_panel(p),
            checked_when=lambda _, on=panel.is_shown: on,
        )
        for panel in context.shell.panels()
    ]


def _exports(_context: AppContext) -> Sequence[Action]:
    return [
        Action(
            f"view.export_map.{kind}",
            title,
            "",
            "",
            lambda c, m=method: c.shell.call_panel("map", m),
        )
        for kind, method, title in _EXPORTS
    ]


_ENTRIES: tuple[Entry, ...] = (
    Action(
        "view.palette",
        "Command &palette",
        "Ctrl+K",
        "apple-keyboard-command",
        to_dialog("palette"),
        is_anytime=True,
    ),
    Separator(),
    *map(_layout, LAYOUTS),
    Separator(),
    Submenu("view.panels", "&Panels", _panels),
    Submenu("view.theme", "&Theme", _themes, is_anytime=True),
    Separator(),
    Action("view.fit", "&Fit the map", "Ctrl+0", "fit-to-page-outline", to_panel("map", "fit")),
    Action("view.map", "Walk on the &map", "Ctrl+M", "map-outline", to_panel("map", "walk")),
    Submenu(
        "view.export_map",
        "E&xport the map",
        _exports,
        enabled_when=lambda c: c.catalogue.xy is not None,
    ),
    Action(
        "view.timeline",
        "&Timeline of the run",
        "Ctrl+Shift+T",
        "chart-gantt",
        to_panel("timeline", "focus_bars"),
    ),
    Action(
        "view.event_log",
        "&Event log of the run",
        "Ctrl+Shift+E",
        "format-list-bulleted",
        to_panel("event_log", "find"),
    ),
    Separator(),
    Action(
        "view.reset",
        "&Reset the windows",
        "",
        "",
        lambda c: c.shell.reset_windows(),
        is_anytime=True,
    ),
)

PLUGIN = Menu("view", "&View", 3, _ENTRIES)
