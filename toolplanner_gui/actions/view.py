"""The View menu: layouts, theme, panels, the map's view."""

from collections.abc import Sequence

from toolplanner_gui.actions.action import Action, Menu, Separator, Submenu
from toolplanner_gui.context import AppContext

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
            id=f"view.theme.{mode}",
            title=title,
            run=lambda c, m=mode: _set_theme(c, m),
            checked_when=lambda c, m=mode: c.theme.mode == m,
            is_anytime=True,
        )
        for mode, title in _THEMES
    ]


def _panels(context: AppContext) -> Sequence[Action]:
    return [
        Action(
            id=f"view.panel.{panel.id}",
            title=panel.title,
            icon=panel.icon,
            run=lambda c, p=panel.id: c.shell.toggle_panel(p),
            checked_when=lambda _, on=panel.is_shown: on,
        )
        for panel in context.shell.panels()
    ]


def _exports(_context: AppContext) -> Sequence[Action]:
    return [
        Action(
            id=f"view.export_map.{kind}",
            title=title,
            run=lambda c, m=method: c.shell.call_panel("map", m),
        )
        for kind, method, title in _EXPORTS
    ]


PLUGIN = Menu(
    id="view",
    title="&View",
    order=3,
    entries=(
        Action(
            id="view.palette",
            is_anytime=True,
            title="Command &palette",
            shortcut="Ctrl+K",
            icon="apple-keyboard-command",
            run=lambda c: c.shell.open("palette"),
        ),
        Separator(),
        Action(
            id="view.curate",
            is_anytime=True,
            title="&Curate",
            shortcut="Ctrl+1",
            icon="hexagon-multiple-outline",
            run=lambda c: c.shell.show_layout("curate"),
            checked_when=lambda c: c.shell.current_layout() == "curate",
        ),
        Action(
            id="view.debug",
            is_anytime=True,
            title="&Debug",
            shortcut="Ctrl+2",
            icon="bug-outline",
            run=lambda c: c.shell.show_layout("debug"),
            checked_when=lambda c: c.shell.current_layout() == "debug",
        ),
        Action(
            id="view.review",
            is_anytime=True,
            title="&Review",
            shortcut="Ctrl+3",
            icon="clipboard-check-outline",
            run=lambda c: c.shell.show_layout("review"),
            checked_when=lambda c: c.shell.current_layout() == "review",
        ),
        Separator(),
        Submenu(id="view.panels", title="&Panels", entries=_panels),
        Submenu(id="view.theme", is_anytime=True, title="&Theme", entries=_themes),
        Separator(),
        Action(
            id="view.fit",
            title="&Fit the map",
            shortcut="Ctrl+0",
            icon="fit-to-page-outline",
            run=lambda c: c.shell.call_panel("map", "fit"),
        ),
        Action(
            id="view.map",
            title="Walk on the &map",
            shortcut="Ctrl+M",
            icon="map-outline",
            run=lambda c: c.shell.call_panel("map", "walk"),
        ),
        Submenu(
            id="view.export_map",
            title="E&xport the map",
            entries=_exports,
            enabled_when=lambda c: c.catalogue.xy is not None,
        ),
        Action(
            id="view.timeline",
            title="&Timeline of the run",
            shortcut="Ctrl+Shift+T",
            icon="chart-gantt",
            run=lambda c: c.shell.call_panel("timeline", "focus_bars"),
        ),
        Action(
            id="view.event_log",
            title="&Event log of the run",
            shortcut="Ctrl+Shift+E",
            icon="format-list-bulleted",
            run=lambda c: c.shell.call_panel("event_log", "find"),
        ),
        Separator(),
        Action(
            id="view.reset",
            is_anytime=True,
            title="&Reset the windows",
            run=lambda c: c.shell.reset_windows(),
        ),
    ),
)
