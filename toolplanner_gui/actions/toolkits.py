"""The Toolkits menu."""

from toolplanner_core.workspace.placements import has_placements
from toolplanner_gui.actions.action import Menu, Separator, Submenu, rows, to_dialog, to_panel
from toolplanner_gui.actions.curate import ENTRIES
from toolplanner_gui.actions.files import flow
from toolplanner_gui.actions.toolkit_files import ask_and_apply, export_entries
from toolplanner_gui.context import AppContext

_prepare, _describe = to_dialog("prepare"), to_dialog("describe")


def _anew(context: AppContext) -> None:
    context.shell.open("prepare", is_anew=True)


def _is_empty(context: AppContext) -> bool:
    return not context.catalogue.n_apis


def _has_no_regions(context: AppContext) -> str:
    return "" if context.catalogue.regions else "Few toolkits need no regions"


def _none_came_in(context: AppContext) -> str:
    workspace = context.workspace
    if workspace is not None and (context.catalogue.n_unplaced or has_placements(workspace)):
        return ""
    return "Nothing came in since the toolkits were prepared"


@flow
async def show_what_is_new(context: AppContext) -> None:
    """Show again what the last import brought; what is not placed yet is offered for that."""
    from toolplanner_core.curation.grouping.what_is_new import last_new

    if context.catalogue.n_unplaced:
        context.shell.open("prepare")
        return
    workspace = context.file
    new = await context.tasks.in_thread(lambda: last_new(workspace))
    context.shell.open("what_is_new", new=new)


_ENTRIES = rows(
    "toolkits",
    ("prepare", "&Prepare …", "Ctrl+P", "hexagon-multiple-outline", _prepare, _is_empty),
    ("anew", "Cluster everything ane&w …", "", "refresh", _anew, _is_empty),
    ("describe", "Describe by a model …", "", "text-box-edit-outline", _describe, _is_empty),
    ("train", "Train a retriever …", "", "school-outline", to_dialog("train"), _is_empty),
    ("new", "&What is new …", "", "new-box", show_what_is_new, _none_came_in),
    ("proposals", "Pr&oposals …", "", "lightbulb-on-outline", to_dialog("proposals")),
    Separator(),
    *ENTRIES,
    Separator(),
    ("region", "Re&gion …", "", "map-outline", to_dialog("region"), _has_no_regions),
    ("staging", "Sta&ging tray", "", "tray", to_panel("staging", "focus_list")),
    ("charts", "&Charts", "", "chart-bar", to_panel("charts", "focus_chart")),
    Separator(),
    ("report", "Catalogue repor&t …", "", "file-document-outline", to_dialog("catalogue_report")),
    Submenu("&Export", export_entries, lambda c: not c.catalogue.toolkits),
    ("apply", "Apply decisions …", "", "file-import-outline", ask_and_apply),
)

PLUGIN = Menu("toolkits", "&Toolkits", 4, _ENTRIES)
