"""The Toolkits menu."""

from toolplanner_gui.actions.action import (
    Action,
    Entry,
    Menu,
    Separator,
    Submenu,
    to_dialog,
    to_panel,
)
from toolplanner_gui.actions.curate import ENTRIES
from toolplanner_gui.actions.toolkit_files import ask_and_apply, export_entries

_ENTRIES: tuple[Entry, ...] = (
    Action(
        "toolkits.prepare",
        "&Prepare …",
        "Ctrl+P",
        "hexagon-multiple-outline",
        to_dialog("prepare"),
        enabled_when=lambda c: c.catalogue.n_apis > 0,
    ),
    Action(
        "toolkits.proposals", "Pr&oposals …", "", "lightbulb-on-outline", to_dialog("proposals")
    ),
    Separator(),
    *ENTRIES,
    Separator(),
    Action("toolkits.staging", "Sta&ging tray", "", "tray", to_panel("staging", "focus_list")),
    Action("toolkits.charts", "&Charts", "", "chart-bar", to_panel("charts", "focus_chart")),
    Separator(),
    Submenu(
        "toolkits.export",
        "&Export",
        export_entries,
        enabled_when=lambda c: bool(c.catalogue.toolkits),
    ),
    Action("toolkits.apply", "Apply decisions …", "", "file-import-outline", ask_and_apply),
)

PLUGIN = Menu("toolkits", "&Toolkits", 4, _ENTRIES)
