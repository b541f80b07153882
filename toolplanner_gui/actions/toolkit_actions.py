"""What can be done with the selected toolkits and APIs: the entries of menus, keys and palette.

Each entry says why it cannot be done now; what needs an answer opens a dialog, the rest is done at
once and can be undone.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.edits.marks import Include, Link, PinApis, PinToolkits
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.settings import person_name
from toolplanner_core.workspace import Workspace
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import Action, Entry, Separator, Submenu, rows, to_dialog
from toolplanner_gui.actions.api_actions import cannot_check, check_health, risk_entries
from toolplanner_gui.context import AppContext
from toolplanner_gui.panel_commands import DetailsCommands, PanelCommand

_NEW = "&New toolkit from the selection …"
_NOTHING = "Select toolkits or APIs first, in the list or on the map"


def _do(context: AppContext, edit: Edit, origin: Mapping[str, Any] | None = None) -> None:
    context.curation.do(edit, origin=context.chosen.made if origin is None else origin)


def _needs_selection(context: AppContext) -> str:
    return _NOTHING if context.chosen.is_empty else ""


def _not_one_toolkit(context: AppContext) -> str:
    chosen = context.chosen
    if chosen.is_empty:
        return "Select a toolkit first, or APIs of one toolkit"
    if chosen.one_toolkit is None:
        return f"This works on one toolkit, and {chosen.words} are selected"
    return ""


def _cannot_merge(context: AppContext) -> str:
    chosen = context.chosen
    if not chosen.toolkits and not chosen.shares:
        return "Select toolkits first, or APIs of the toolkits to merge"
    return ""


def _cannot_serve(context: AppContext) -> str:
    return "" if context.chosen.toolkits else "Select toolkits first"


def _is_served(context: AppContext) -> bool:
    return context.serving.is_served(_chosen_toolkits(context))


def _chosen_toolkits(context: AppContext) -> frozenset[ToolkitId]:
    return frozenset(toolkit.id for toolkit in context.chosen.toolkits)


def serve_or_not(context: AppContext) -> None:
    """Serve the selected toolkits to agents, or do not; from their next call on."""
    is_served = not _is_served(context)
    context.serving.choose_toolkits(_chosen_toolkits(context), is_served=is_served)
    said = "Agents get" if is_served else "Agents do not get"
    context.show_message(f"{said} {context.chosen.words}, where this workspace is served")


def _cannot_split(context: AppContext) -> str:
    chosen = context.chosen
    why = _not_one_toolkit(context)
    toolkit = chosen.one_toolkit
    if not why and toolkit is not None and toolkit.size < 2:
        return f"“{toolkit.name}” has one API only"
    return why


def _cannot_link(context: AppContext) -> str:
    n = len(context.chosen.rowids)
    return "Select at least two APIs first" if n < 2 else ""


def _cannot_pin(context: AppContext) -> str:
    chosen = context.chosen
    if not chosen.is_empty and not chosen.toolkits and not chosen.shares:
        return "The selected APIs belong to no toolkit: move them to one first"
    return _needs_selection(context)


def _cannot_take_out(context: AppContext) -> str:
    chosen = context.chosen
    if chosen.is_empty or chosen.toolkits:
        return "Select APIs that a merge brought into their toolkit"
    return ""


def stage(context: AppContext, *, is_whole: bool = False) -> None:
    """Put the toolkits of the selection into the staging tray and show it.

    Args:
        is_whole: do not ask whether whole toolkits are meant where far fewer APIs are selected.
    """
    chosen = context.chosen
    if chosen.is_scattered and not is_whole:
        context.shell.open(dialog_commands.merge_reach)
        return
    toolkits = chosen.toolkits or tuple(toolkit for toolkit, _ in chosen.shares)
    context.staging.add((toolkit.id for toolkit in toolkits), made=chosen.made)
    context.shell.call_panel(panel_commands.focus_staging_tray)


def is_pinned(context: AppContext) -> bool:
    """Whether all that is selected is pinned, so that the entry unpins."""
    chosen = context.chosen
    if chosen.toolkits:
        return all(toolkit.pinned for toolkit in chosen.toolkits)
    return bool(len(chosen.rowids)) and chosen.n_pinned == len(chosen.rowids)


def pin(context: AppContext) -> None:
    """Pin what is selected, or unpin it when all of it is pinned."""
    chosen, to = context.chosen, not is_pinned(context)
    if chosen.toolkits:
        ids = tuple(t.id for t in chosen.toolkits if t.pinned is not to)
        _do(context, PinToolkits(toolkits=ids, is_pinned=to))
    else:
        _do(context, PinApis(rowids=chosen.ids, is_pinned=to))


def is_excluded(context: AppContext) -> bool:
    """Whether all that is selected is excluded, so that the entry includes it again."""
    chosen = context.chosen
    return bool(len(chosen.rowids)) and chosen.n_excluded == len(chosen.rowids)


def exclude(context: AppContext) -> None:
    """Ask why and exclude what is selected, or include it when all of it is excluded."""
    if is_excluded(context):
        _do(context, Include(rowids=context.chosen.ids))
    else:
        context.shell.open(dialog_commands.exclude)


def take_out(context: AppContext) -> None:
    """Bring the selected APIs back to the toolkits they had before a merge."""
    rowids, made, who = context.chosen.ids, context.chosen.made, person_name()

    def work(workspace: Workspace) -> Done:
        from toolplanner_core.curation.edits.provenance import take_out_of_merge

        return history.do(workspace, take_out_of_merge(workspace, rowids), origin=made, who=who)

    context.curation.run(work)


def _link(kind: LinkKind | None) -> Callable[[AppContext], None]:
    return lambda context: _do(
        context, Link(rowids=context.chosen.ids, link="" if kind is None else kind.value)
    )


def _details(edit: PanelCommand[DetailsCommands]) -> Callable[[AppContext], None]:
    def run(context: AppContext) -> None:
        toolkit = context.chosen.one_toolkit
        if toolkit is not None:
            context.selection.select_toolkit(toolkit.id)
            context.shell.call_panel(edit)

    return run


def _not_one_api(context: AppContext) -> str:
    return "" if len(context.chosen.rowids) == 1 else "Select one API first"


_move, _probe = to_dialog(dialog_commands.move), to_dialog(dialog_commands.probe_apis)
ENTRIES = rows(
    "curate",
    ("merge", "&Merge …", "Ctrl+G M@map", "call-merge", stage, _cannot_merge),
    (
        "split",
        "&Split …",
        "Ctrl+Shift+D S@map",
        "call-split",
        to_dialog(dialog_commands.split_toolkit),
        _cannot_split,
    ),
    ("move", "Mo&ve to …", "Ctrl+Shift+V V@map", "folder-move-outline", _move, _needs_selection),
    ("new", _NEW, "Ctrl+Shift+N", "plus", to_dialog(dialog_commands.new_toolkit), _needs_selection),
    ("take_out", "&Take out of the merge", "", "undo-variant", take_out, _cannot_take_out),
    Separator(),
    (
        "rename",
        "&Rename",
        "F2@curate",
        "pencil-outline",
        _details(panel_commands.edit_toolkit_name),
        _not_one_toolkit,
    ),
    (
        "describe",
        "&Describe",
        "Shift+F2",
        "text",
        _details(panel_commands.edit_toolkit_description),
        _not_one_toolkit,
    ),
    (
        "note",
        "Write a n&ote",
        "",
        "note-edit-outline",
        _details(panel_commands.edit_toolkit_note),
        _not_one_toolkit,
    ),
    Separator(),
    Action(
        "curate.pin",
        "&Pin or unpin",
        "Ctrl+Shift+P P@map",
        "pin-outline",
        pin,
        _cannot_pin,
        changes=True,
        title_now=lambda c: "&Unpin" if is_pinned(c) else "&Pin",
    ),
    Action(
        "curate.exclude",
        "E&xclude or include",
        "Ctrl+Shift+X X@map",
        "cancel",
        exclude,
        _needs_selection,
        changes=True,
        title_now=lambda c: "Include again" if is_excluded(c) else "E&xclude …",
    ),
    Action(
        "curate.serve",
        "Serve or do not serve",
        "",
        "robot-outline",
        serve_or_not,
        _cannot_serve,
        title_now=lambda c: "Do not serve to agents" if _is_served(c) else "Serve to agents",
    ),
    ("probe", "Check &health …", "", "heart-pulse", check_health, cannot_check),
    Submenu("&Risk of its calls", risk_entries, _not_one_api),
    ("call", "&Call it …", "", "send-outline", to_dialog(dialog_commands.call_api), _not_one_api),
    (
        "probing",
        "Pro&be …",
        "",
        "magnify-scan",
        to_dialog(dialog_commands.probe_apis),
        _needs_selection,
    ),
    (
        "protocols",
        "Learnt by probing …",
        "",
        "flask-outline",
        to_dialog(dialog_commands.probing_results),
    ),
    (
        "changes",
        "Changed &documentation …",
        "",
        "file-alert-outline",
        to_dialog(dialog_commands.changed_documentation),
    ),
    Separator(),
    ("together", "&Keep together", "", "link-variant", _link(LinkKind.MUST), _cannot_link),
    ("apart", "Keep &apart", "", "link-variant-off", _link(LinkKind.CANNOT), _cannot_link),
    ("unlink", "Remove their links", "", "", _link(None), _cannot_link),
    changes=("take_out", "together", "apart", "unlink"),
)


_OF_ALL = ("curate.protocols", "curate.changes")
"""Entries that are about the whole catalogue, whatever is selected."""
_LINKS = ("curate.together", "curate.apart", "curate.unlink")


def selection_entries(_context: AppContext, _target: object) -> list[Entry]:
    """What can be done with the selection: the context menu of list and map, which has to fit a low
    screen."""
    entries = [e for e in ENTRIES if not (isinstance(e, Action) and e.id in (*_OF_ALL, *_LINKS))]
    links = [e for e in ENTRIES if isinstance(e, Action) and e.id in _LINKS]
    return [*entries, Submenu("&Links between APIs", lambda _context: links, _cannot_link)]


_FIRST = ("curate.new", "curate.move", "curate.merge", "curate.pin")


def lassoed_api_entries(_context: AppContext, _target: object) -> list[Entry]:
    """What is done most with APIs that a lasso has caught."""
    actions = {entry.id: entry for entry in ENTRIES if isinstance(entry, Action)}
    found = [actions[name] for name in _FIRST]
    return [replace(found[0], title="&New toolkit …"), *found[1:]]
