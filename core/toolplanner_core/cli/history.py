"""`toolplanner history`: what was done to the toolkits; undo, redo, go back, name a state."""

from collections.abc import Callable
from typing import Any

import click

from toolplanner_core.cli.editing import done_row, print_done
from toolplanner_core.cli.options import ROW_ID, in_workspace, json_option
from toolplanner_core.cli.terminal import iso, print_json, print_line, print_rows, when
from toolplanner_core.curation.edits import history as edits
from toolplanner_core.curation.edits.history_reading import (
    HistoryEntry,
    forget_snapshot,
    get_snapshot,
    list_history,
    list_snapshots,
    save_snapshot,
)
from toolplanner_core.curation.edits.provenance import origin_in_words
from toolplanner_core.curation.edits.state_diff import diff_points
from toolplanner_core.domain.ids import EditId
from toolplanner_core.settings import person_name
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ids_by_rowid
from toolplanner_core.workspace.edit_history import Snapshot, read_head

_REDO = "Make the edit again that was undone last."


@click.group()
def history() -> None:
    """What was done to the toolkits; undo, redo, go back, name a state.

    A POINT is the number of an edit, 0 for the start, or the name of a snapshot.
    """


@history.command("list")
@in_workspace
@click.option("--all", "is_all", is_flag=True, help="Edits of other branches, too.")
@json_option
def list_command(workspace: Workspace, is_all: bool, as_json: bool) -> None:
    """List edits, the oldest first."""
    entries = list_history(workspace)
    names = list_snapshots(workspace)
    shown = [entry for entry in entries if is_all or entry.is_on_line]
    print_rows(
        shown,
        [">Edit", "", "What", "Who", "When", "Snapshot"],
        lambda e: [
            e.id,
            _state(e),
            e.label,
            e.who or e.actor,
            when(e.made_us),
            ", ".join(_names_of(e, names)),
        ],
        as_json=as_json,
        to_json=lambda entry: _entry_row(entry, names),
        empty="Nothing was edited yet.",
    )
    hidden = len(entries) - len(shown)
    if hidden and shown and not as_json:
        print_line(f"{hidden:,} more on other branches: --all")


def _step(make: Callable[[Workspace], edits.Done], name: str, words: str, back: str) -> None:
    @history.command(name, help=words)
    @in_workspace
    @json_option
    def step(workspace: Workspace, as_json: bool) -> None:
        _print(workspace, make(workspace), back, as_json=as_json)


_step(
    edits.undo, "undo", "Take back the last edit.", "Make it again with: toolplanner history redo"
)
_step(edits.redo, "redo", _REDO, "Undo it with: toolplanner history undo")


@history.command("jump")
@in_workspace
@click.argument("point")
@json_option
def jump_command(workspace: Workspace, point: str, as_json: bool) -> None:
    """Bring back the state at any POINT; edits after it stay in the history."""
    with workspace.snapshot() as db:
        before = read_head(db)
    done = edits.jump(workspace, _point(workspace, point))
    back = "Go back with: toolplanner history jump"
    _print(workspace, done, back, str(before), as_json=as_json)


@history.command("revert")
@in_workspace
@click.argument("edit", type=ROW_ID)
@json_option
def revert_command(workspace: Workspace, edit: int, as_json: bool) -> None:
    """Take back one old EDIT and keep those after it, where none builds on it."""
    done = edits.revert(workspace, EditId(edit), who=person_name())
    print_done(workspace, done, as_json=as_json)


@history.command("snapshot")
@in_workspace
@click.argument("name")
@click.option("--note", default="", help="For people.")
@click.option("--forget", is_flag=True, help="Forget the name instead; the history stays.")
@json_option
def snapshot_command(
    workspace: Workspace, name: str, note: str, forget: bool, as_json: bool
) -> None:
    """Name the state as it is now."""
    if forget:
        saved = get_snapshot(workspace, name)
        forget_snapshot(workspace, name)
    else:
        saved = save_snapshot(workspace, name, note=note)
    if as_json:
        print_json(_snapshot_row(saved))
    elif forget:
        print_line(f"Forgot “{saved.name}”. It was edit {saved.edit}.")
    else:
        where = f"after edit {saved.edit}" if saved.edit else "before the first edit"
        print_line(f"“{saved.name}” is the state {where}.")
        print_line(
            f'Come back to it with: toolplanner history jump {workspace.path} "{saved.name}"'
        )


@history.command("snapshots")
@in_workspace
@json_option
def snapshots_command(workspace: Workspace, as_json: bool) -> None:
    """List the named states."""
    found = list_snapshots(workspace)
    print_rows(
        found,
        ["Name", ">Edit", "When", "Note"],
        lambda s: [s.name, s.edit, when(s.made_us), s.note],
        as_json=as_json,
        to_json=_snapshot_row,
        empty=f"No state has a name yet: toolplanner history snapshot {workspace.path} NAME",
    )


@history.command("compare")
@in_workspace
@click.argument("one", metavar="POINT")
@click.argument("other", metavar="[POINT]", required=False)
@json_option
def compare_command(workspace: Workspace, one: str, other: str | None, as_json: bool) -> None:
    """How the state at one POINT differs from that at another, or from now."""
    with workspace.snapshot() as db:
        now = read_head(db)
    to = now if other is None else _point(workspace, other)
    lines = diff_points(workspace, _point(workspace, one), to)
    ids = ids_by_rowid(workspace, {rowid for line in lines for rowid in line.rowids})
    if as_json:
        rows = [(line, [ids[rowid] for rowid in line.rowids]) for line in lines]
        print_json(
            [
                {"kind": line.kind, "text": line.text, "toolkits": line.toolkits, "apis": apis}
                for line, apis in rows
            ]
        )
        return
    for line in lines:
        print_line(line.text)
    if not lines:
        print_line("They are the same.")


def _point(workspace: Workspace, text: str) -> EditId:
    if text.isdecimal() and len(text) < 19:
        return EditId(int(text))
    return get_snapshot(workspace, text).edit


def _print(
    workspace: Workspace, done: edits.Done, how: str, *arguments: str, as_json: bool
) -> None:
    if as_json:
        print_json(done_row(done))
        return
    print_line(f"{done.label}.")
    print_line(" ".join([how, str(workspace.path), *arguments]))


def _entry_row(entry: HistoryEntry, names: list[Snapshot]) -> dict[str, Any]:
    return {
        "edit": entry.id,
        "parent": entry.parent,
        "kind": entry.kind,
        "label": entry.label,
        "actor": entry.actor,
        "who": entry.who,
        "when": iso(entry.made_us),
        "origin": dict(entry.origin),
        "how": origin_in_words(entry.origin),
        "done": entry.is_done,
        "on_line": entry.is_on_line,
        "head": entry.is_head,
        "snapshots": _names_of(entry, names),
    }


def _names_of(entry: HistoryEntry, names: list[Snapshot]) -> list[str]:
    return [name.name for name in names if name.edit == entry.id]


def _snapshot_row(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "name": snapshot.name,
        "edit": snapshot.edit,
        "note": snapshot.note,
        "when": iso(snapshot.made_us),
    }


def _state(entry: HistoryEntry) -> str:
    if entry.is_head:
        return "now"
    return "" if entry.is_done else "undone" if entry.is_on_line else "branch"
