"""The Toolkits menu."""

from toolplanner_gui.actions.action import Action, Menu, Separator, Submenu
from toolplanner_gui.actions.curate import ENTRIES
from toolplanner_gui.actions.toolkit_files import ask_and_apply, export_entries

PLUGIN = Menu(
    id="toolkits",
    title="&Toolkits",
    order=4,
    entries=(
        Action(
            id="toolkits.prepare",
            title="&Prepare …",
            shortcut="Ctrl+P",
            icon="hexagon-multiple-outline",
            run=lambda c: c.shell.open("prepare"),
            enabled_when=lambda c: c.catalogue.n_apis > 0,
        ),
        Action(
            id="toolkits.proposals",
            title="Pr&oposals …",
            icon="lightbulb-on-outline",
            run=lambda c: c.shell.open("proposals"),
        ),
        Separator(),
        *ENTRIES,
        Separator(),
        Action(
            id="toolkits.staging",
            title="Sta&ging tray",
            icon="tray",
            run=lambda c: c.shell.call_panel("staging", "focus_list"),
        ),
        Action(
            id="toolkits.charts",
            title="&Charts",
            icon="chart-bar",
            run=lambda c: c.shell.call_panel("charts", "focus_chart"),
        ),
        Separator(),
        Submenu(
            id="toolkits.export",
            title="&Export",
            entries=export_entries,
            enabled_when=lambda c: bool(c.catalogue.toolkits),
        ),
        Action(
            id="toolkits.apply",
            title="Apply decisions …",
            icon="file-import-outline",
            run=ask_and_apply,
        ),
    ),
)
