"""Where toolkits come from: the merges and splits of the history that still count."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.curation.edits.history_reading import path_to_root
from toolplanner_core.curation.edits.merge import Merge, TakeOut
from toolplanner_core.curation.edits.move import NewToolkit
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.edit_history import (
    StoredEdit,
    parents,
    read_edit,
    read_forward,
    read_head,
    read_inverse,
)
from toolplanner_core.workspace.toolkits import get_toolkit

_MAKING = (Merge.kind, Split.kind, NewToolkit.kind, TakeOut.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ancestor:
    """One edit that made a toolkit what it is.

    Attributes:
        toolkits: the toolkits its members came from.
        names: their names, as they were last.
        rowids: APIs that came in by it.
    """

    edit: EditId
    kind: str
    label: str
    who: str
    made_us: int
    toolkits: tuple[ToolkitId, ...]
    names: tuple[str, ...]
    rowids: tuple[int, ...]


def lineage(workspace: Workspace, toolkit: ToolkitId) -> list[Ancestor]:
    """The merges, splits and new toolkits that brought APIs into a toolkit, the newest first."""
    with workspace.snapshot() as db:
        line = path_to_root(parents(db), read_head(db))
        edits = [read_edit(db, edit) for edit in line]
        found = [_ancestor(db, edit, toolkit) for edit in edits if edit.kind in _MAKING]
    return [
        Ancestor(
            edit=edit.id,
            kind=edit.kind,
            label=edit.label,
            who=edit.who,
            made_us=edit.made_us,
            toolkits=tuple(sorted(set(origins.values()))),
            names=tuple(get_toolkit(workspace, t).name for t in sorted(set(origins.values()))),
            rowids=tuple(origins),
        )
        for edit, origins in found
        if origins
    ]


def take_out_of_merge(workspace: Workspace, rowids: Sequence[int]) -> TakeOut:
    """The edit that brings APIs back to the toolkits they were in before they were merged.

    Raises:
        BadInput: one of them did not come into its toolkit by a merge that still counts.
    """
    left = set(rowids)
    origins: dict[int, ToolkitId] = {}
    with workspace.snapshot() as db:
        for edit in path_to_root(parents(db), read_head(db)):
            stored = read_edit(db, edit)
            moved = left & read_forward(db, edit).members.keys()
            if not moved:
                continue
            if stored.kind == Merge.kind:
                before = read_inverse(db, edit).members
                origins |= {r: m.toolkit for r in moved if (m := before[r]) is not None}
            left -= moved
            if not left:
                break
    if len(origins) < len(set(rowids)):
        raise BadInput(
            f"{len(set(rowids)) - len(origins):,} of the chosen APIs did not come by a merge",
            todo="Choose APIs that a merge brought into this toolkit, or move them",
        )
    return TakeOut(rowids=tuple(origins), origins=tuple(origins.values()))


def _ancestor(
    db: Database, edit: StoredEdit, toolkit: ToolkitId
) -> tuple[StoredEdit, dict[int, ToolkitId]]:
    after, before = read_forward(db, edit.id).members, read_inverse(db, edit.id).members
    origins = {
        rowid: was.toolkit
        for rowid, now in after.items()
        if now is not None
        and now.toolkit == toolkit
        and (was := before[rowid]) is not None
        and was.toolkit != toolkit
    }
    return edit, origins
