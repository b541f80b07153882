"""The Toolkits menu, with toolkits and decisions as files.

Toolkits and decisions as files: export them, apply another's decisions here. What is asked is asked
first, the rest works as a job.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolplanner_core.curation.sharing.exports.export_forms import export_form, export_forms
from toolplanner_core.curation.sharing.exports.form import ExportForm, ExportRequest
from toolplanner_core.settings import person_name
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.point_sets import has_placements
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import (
    Action,
    Menu,
    Run,
    Separator,
    Submenu,
    listed,
    rows,
    to_dialog,
    to_panel,
)
from toolplanner_gui.actions.file_exports import FileForm, ask_where, spawned, write_later
from toolplanner_gui.actions.toolkit_actions import ENTRIES
from toolplanner_gui.bridge.standard_dialogs import choose_files
from toolplanner_gui.context import AppContext

if TYPE_CHECKING:
    from toolplanner_core.curation.sharing.decisions.outcome import ApplyReport

_DECISIONS = "Decisions (*.jsonl);;All files (*)"


def export_entries(_context: AppContext) -> Sequence[Action]:
    """One entry per form."""

    def export(form: ExportForm) -> Run:
        return lambda context: ask_and_export(context, form)

    forms = export_forms().values()
    return listed("toolkits.export", ((f.id, f"{f.title} …", export(f)) for f in forms))


@spawned
async def ask_and_export(context: AppContext, form: ExportForm) -> None:
    """Ask for a file and export all toolkits, or the decisions, to it."""
    files = FileForm(form.id, form.title, form.suffix, f"{form.files} (*{form.suffix})")
    for place in await ask_where(context, files, f"{context.file.path.stem}-{form.content}"):
        export_to(context, form.id, place)


def export_to(context: AppContext, form_id: str, place: Path) -> None:
    """Export to a file as a job."""
    request = ExportRequest(workspace=context.file, who=person_name())
    write_export(context, export_form(form_id), request, place)


def write_export(
    context: AppContext, form: ExportForm, request: ExportRequest, place: Path
) -> None:
    """Write what is asked for to a file, as a job."""
    write_later(
        context,
        lambda: form.write(request),
        place,
        what=form.content,
        note=lambda: form.note(request),
    )


@spawned
async def ask_and_apply(context: AppContext) -> None:
    """Ask for a decisions file, and list what each of its decisions would do here."""
    workspace, parent = context.file, context.shell.window_widget
    for place in (await choose_files(parent, "Apply decisions", _DECISIONS))[:1]:
        expected = await context.tasks.in_thread(lambda p=place: effect_of_answer(workspace, p))
        context.shell.open(dialog_commands.apply_decisions, place=place, expected=expected)


def effect_of_answer(workspace: Workspace, place: Path) -> "ApplyReport":
    """What would become of the decisions of a file here; not on the GUI thread."""
    from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
    from toolplanner_core.curation.sharing.decisions.file import read_decisions

    return apply_decisions(workspace, read_decisions(place), who=person_name(), dry_run=True)


_prepare, _describe = to_dialog(dialog_commands.prepare), to_dialog(dialog_commands.describe)


def _anew(context: AppContext) -> None:
    context.shell.open(dialog_commands.prepare, is_anew=True)


def _is_empty(context: AppContext) -> bool:
    return not context.catalogue.n_apis


def _has_no_regions(context: AppContext) -> str:
    return "" if context.catalogue.regions else "Few toolkits need no regions"


def _no_name_is_proposed(context: AppContext) -> str:
    if any(toolkit.proposed_name for toolkit in context.catalogue.toolkits):
        return ""
    return "All names fit the members, as far as the rule sees"


def _none_came_in(context: AppContext) -> str:
    workspace = context.workspace
    if workspace is not None and (context.catalogue.n_unplaced or has_placements(workspace)):
        return ""
    return "Nothing came in since the toolkits were prepared"


@spawned
async def show_what_is_new(context: AppContext) -> None:
    """Show again what the last import brought; what is not placed yet is offered for that."""
    from toolplanner_core.curation.grouping.what_is_new import last_new

    if context.catalogue.n_unplaced:
        context.shell.open(dialog_commands.prepare)
        return
    workspace = context.file
    new = await context.tasks.in_thread(lambda: last_new(workspace))
    context.shell.open(dialog_commands.what_is_new, new=new)


_ENTRIES = rows(
    "toolkits",
    ("prepare", "&Prepare …", "Ctrl+P", "hexagon-multiple-outline", _prepare, _is_empty),
    ("anew", "Cluster everything ane&w …", "", "refresh", _anew, _is_empty),
    ("describe", "Describe by a model …", "", "text-box-edit-outline", _describe, _is_empty),
    (
        "train",
        "Train a retriever …",
        "",
        "school-outline",
        to_dialog(dialog_commands.train_retriever),
        _is_empty,
    ),
    ("new", "&What is new …", "", "new-box", show_what_is_new, _none_came_in),
    ("proposals", "Pr&oposals …", "", "lightbulb-on-outline", to_dialog(dialog_commands.proposals)),
    (
        "names",
        "Proposed na&mes …",
        "",
        "tag-edit-outline",
        to_dialog(dialog_commands.proposed_names),
        _no_name_is_proposed,
    ),
    Separator(),
    *ENTRIES,
    Separator(),
    (
        "region",
        "Re&gion …",
        "",
        "map-outline",
        to_dialog(dialog_commands.edit_region),
        _has_no_regions,
    ),
    ("staging", "Sta&ging tray", "", "tray", to_panel(panel_commands.focus_staging_tray)),
    ("charts", "&Charts", "", "chart-bar", to_panel(panel_commands.focus_charts)),
    Separator(),
    (
        "report",
        "Catalogue repor&t …",
        "",
        "file-document-outline",
        to_dialog(dialog_commands.catalogue_report),
    ),
    Submenu("&Export", export_entries, lambda c: not c.catalogue.toolkits),
    ("apply", "Apply decisions …", "", "file-import-outline", ask_and_apply),
)


PLUGIN = Menu("toolkits", "&Toolkits", 4, _ENTRIES)
