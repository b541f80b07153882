"""Where toolkits come from: the merges and splits of the history that still count."""

from collections.abc import Sequence

from toolplanner_core.curation.edits.history_reading import path_to_root
from toolplanner_core.curation.edits.merge import Merge, TakeOut
from toolplanner_core.curation.edits.move import NewToolkit
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.edit_history import (
    parents,
    read_edit,
    read_forward,
    read_head,
    read_inverse,
)
from toolplanner_core.workspace.toolkits import get_toolkit

_MAKING = (Merge.kind, Split.kind, NewToolkit.kind, TakeOut.kind)


def lineage(workspace: Workspace, toolkit: ToolkitId) -> dict[EditId, tuple[str, ...]]:
    """By the merges, splits and new toolkits that brought APIs into a toolkit, the newest first:
    names of the toolkits that these came from, as they were last."""
    found: dict[EditId, tuple[str, ...]] = {}
    with workspace.snapshot() as db:
        for edit in path_to_root(parents(db), read_head(db)):
            if read_edit(db, edit).kind in _MAKING and (origins := _origins(db, edit, toolkit)):
                found[edit] = tuple(get_toolkit(workspace, one).name for one in sorted(origins))
    return found


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


def _origins(db: Database, edit: EditId, toolkit: ToolkitId) -> set[ToolkitId]:
    """The toolkits from which an edit brought APIs into this one."""
    after, before = read_forward(db, edit).members, read_inverse(db, edit).members
    came_in = (r for r, now in after.items() if now is not None and now.toolkit == toolkit)
    return {was.toolkit for r in came_in if (was := before[r]) is not None} - {toolkit}
