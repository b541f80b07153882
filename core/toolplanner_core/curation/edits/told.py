"""What the history tells of one toolkit or one API: for details, in the words of people.

Walks the edits that count, the newest first; a history of some hundred edits takes milliseconds.
Blocks; not for the GUI thread.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from toolplanner_core.curation.edits.history_reading import path_to_root
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.curated_tables import CuratedTables
from toolplanner_core.workspace.edit_history import (
    StoredEdit,
    parents,
    read_edit,
    read_forward,
    read_head,
)
from toolplanner_core.workspace.placements import load_placements

_MOST = 400
"""Edits looked at; what is older is told as made by rule."""


class Reason(StrEnum):
    """Why an API is where it is."""

    PERSON = "person"
    PLACED = "placed"
    RULE = "rule"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyHere:
    """Why an API is where it is.

    Attributes:
        edit: the edit that put it there; None without one.
        confidence: of a machine that placed it after an import, 0 to 1; None if none did.
        is_pinned: no machine may move it.
        excluded: the reason why no plan is offered it, None if it may be used.
    """

    reason: Reason
    edit: StoredEdit | None
    confidence: float | None
    is_pinned: bool
    excluded: str | None


def why_here(workspace: Workspace, rowid: int) -> WhyHere:
    """Who put an API into its toolkit, and what else was decided of it."""
    with workspace.snapshot() as db:
        view = CuratedTables(db)
        membership = view.memberships([rowid]).get(rowid)
        excluded = view.exclusions([rowid]).get(rowid)
        moved = next(
            (edit for edit, members in _done(db) if rowid in members),
            None,
        )
    placement = load_placements(workspace).get(rowid)
    if moved is not None:
        reason = Reason.PERSON
    elif membership is None:
        reason = Reason.NOWHERE
    else:
        reason = Reason.RULE if placement is None else Reason.PLACED
    return WhyHere(
        reason=reason,
        edit=moved,
        confidence=None if placement is None else placement.confidence,
        is_pinned=membership is not None and membership.is_pinned,
        excluded=excluded,
    )


def edits_of_toolkit(
    workspace: Workspace, toolkit: ToolkitId, *, limit: int = 50
) -> list[StoredEdit]:
    """The edits that count and changed a toolkit or brought APIs into it, the newest first."""
    found: list[StoredEdit] = []
    with workspace.snapshot() as db:
        line = path_to_root(parents(db), read_head(db))
        for edit in line[:_MOST]:
            changes = read_forward(db, edit)
            is_about = toolkit in changes.toolkits or any(
                value is not None and value.toolkit == toolkit for value in changes.members.values()
            )
            if is_about:
                found.append(read_edit(db, edit))
                if len(found) == limit:
                    break
    return found


def note_of_toolkit(workspace: Workspace, toolkit: ToolkitId) -> str:
    """What people noted about a living toolkit; "" without a note."""
    with workspace.snapshot() as db:
        fields = CuratedTables(db).toolkit(toolkit)
    return "" if fields is None else fields.note


def _done(db: Database) -> Iterator[tuple[StoredEdit, frozenset[int]]]:
    """The edits that count, the newest first, with the APIs whose place they changed."""
    for edit in path_to_root(parents(db), read_head(db))[:_MOST]:
        members = frozenset(read_forward(db, edit).members)
        if members:
            yield read_edit(db, edit), members
