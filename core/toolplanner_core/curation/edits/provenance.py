"""What the history tells of one toolkit or one API: why it is here, which merges and splits it came
from, how a set of APIs was found; for details, in the words of people.

Walks the edits that count, the newest first; a history of some hundred edits takes milliseconds.
Blocks; not for the GUI thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any

from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.edits.history_reading import (
    kinds_of,
    line_to_head,
    without_reverted,
)
from toolplanner_core.curation.edits.move import Merge, NewToolkit, TakeOut
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.domain.curated import Changes, Membership
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.curated_tables import CuratedTables
from toolplanner_core.workspace.edit_history import (
    StoredEdit,
    read_edit,
    read_forward,
    read_inverse,
)
from toolplanner_core.workspace.import_changes import missing_rowids, waiting_rowids
from toolplanner_core.workspace.point_sets import load_placements
from toolplanner_core.workspace.toolkits import get_toolkit

_NAMED = 3
"""APIs that are named one by one."""
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
        is_waiting: nobody has accepted yet how it is documented now.
        is_missing: the last import of its source did not bring it.
    """

    reason: Reason
    edit: StoredEdit | None
    confidence: float | None
    is_pinned: bool
    excluded: str | None
    is_waiting: bool = False
    is_missing: bool = False


def why_here(workspace: Workspace, rowid: int) -> WhyHere:
    """Who put an API into its toolkit, and what else was decided of it."""
    with workspace.snapshot() as db:
        view = CuratedTables(db)
        membership = view.memberships([rowid]).get(rowid)
        excluded = view.exclusions([rowid]).get(rowid)
        waits = rowid in waiting_rowids(db)
        line = line_to_head(db)[:_MOST]
        moving = next((edit for edit in line if _moves(db, edit, rowid)), None)
        moved = None if moving is None else read_edit(db, moving)
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
        is_waiting=waits,
        is_missing=rowid in missing_rowids(workspace),
    )


def _moves(db: Database, edit: EditId, rowid: int) -> bool:
    """Whether an edit changed an API's toolkit; a pin changes its membership only."""
    return rowid in _moved(read_forward(db, edit), read_inverse(db, edit))


def _moved(after: Changes, before: Changes) -> dict[int, Membership | None]:
    """Where the APIs were, by row id, that another toolkit has after a change, or none."""
    return {
        rowid: was
        for rowid, now in after.members.items()
        if (now and now.toolkit) != ((was := before.members[rowid]) and was.toolkit)
    }


def which_moved(workspace: Workspace, done: Done) -> list[str]:
    """The APIs that an edit moved if they are few, each with where it was: “Maps · Routes” was in
    “Maps”."""
    moved = _moved(done.changes, done.before)
    if len(moved) > _NAMED:
        return []
    apis = apis_by_rowid(workspace, list(moved))
    return [
        f"“{apis[rowid].title}” was in"
        f" {'no toolkit' if was is None else f'“{get_toolkit(workspace, was.toolkit).name}”'}"
        for rowid, was in moved.items()
        if rowid in apis
    ]


def moved_by_people(workspace: Workspace) -> set[int]:
    """Row ids of the APIs that an edit of a person, which counts and was not reverted, put where
    they are or took out of a toolkit; also of a merge, a split and a proposal that was accepted."""
    found: set[int] = set()
    with workspace.snapshot() as db:
        edits = [read_edit(db, edit) for edit in reversed(line_to_head(db))]
        for edit in without_reverted(edits):
            if edit.actor is Author.PERSON:
                found.update(_moved(read_forward(db, edit.id), read_inverse(db, edit.id)))
    return found


def edits_of_toolkit(
    workspace: Workspace, toolkit: ToolkitId, *, limit: int = 50
) -> list[StoredEdit]:
    """The edits that count and changed a toolkit, brought APIs into it or took some out, or decided
    of its APIs that they are excluded, linked or used as documented now; the newest first."""
    found: list[StoredEdit] = []
    with workspace.snapshot() as db:
        members = CuratedTables(db).members(toolkit).keys()
        for edit in line_to_head(db)[:_MOST]:
            changes = read_forward(db, edit)
            is_about = toolkit in changes.all_fields or _comes_or_goes(db, edit, changes, toolkit)
            is_about = is_about or not members.isdisjoint(
                [*changes.excluded, *changes.accepted, *chain.from_iterable(changes.links)]
            )
            if is_about:
                found.append(read_edit(db, edit))
                if len(found) == limit:
                    break
    return found


def _comes_or_goes(db: Database, edit: EditId, changes: Changes, toolkit: ToolkitId) -> bool:
    """Whether an edit brought APIs into a toolkit, changed them there, or took some out."""
    if not changes.members:
        return False
    either = (changes.members, read_inverse(db, edit).members)
    return any(one is not None and one.toolkit == toolkit for m in either for one in m.values())


def note_of_toolkit(workspace: Workspace, toolkit: ToolkitId) -> str:
    """What people noted about a living toolkit; "" without a note."""
    with workspace.snapshot() as db:
        fields = CuratedTables(db).toolkit(toolkit)
    return "" if fields is None else fields.note


_MAKING = {Merge.kind, Split.kind, NewToolkit.kind, TakeOut.kind}


def lineage(workspace: Workspace, toolkit: ToolkitId) -> dict[EditId, tuple[str, ...]]:
    """By the merges, splits and new toolkits that brought APIs into a toolkit, the newest first:
    names of the toolkits that these came from, as they were last."""
    found: dict[EditId, tuple[str, ...]] = {}
    with workspace.snapshot() as db:
        for edit in line_to_head(db):
            is_making = kinds_of(read_edit(db, edit)) & _MAKING
            if is_making and (origins := _origins(db, edit, toolkit)):
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
        for edit in line_to_head(db):
            stored = read_edit(db, edit)
            moved = left & read_forward(db, edit).members.keys()
            if not moved:
                continue
            if Merge.kind in kinds_of(stored):
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


_HOW = {
    "lasso": "chosen with the lasso",
    "rectangle": "chosen with the rectangle",
    "click": "chosen by clicking",
    "search": "found by the search “{text}”",
    "regex": "found by the expression “{text}”",
    "neighbours": "grown by neighbours",
    "similar": "found as similar",
    "toolkit": "a whole toolkit",
    "toolkits": "whole toolkits",
    "list": "chosen in the list",
    "saved": "the saved selection “{name}”",
    "steps": "chosen in several steps",
    "drop": "dropped on the toolkit",
    "staging tray": "from the staging tray",
    "split": "split by {method}",
    "text": "split by likeness to “{text}”",
    "decisions file": "from a decisions file",
    "proposal": "a proposal that was accepted",
    "review": "from the review queue",
}


def origin_in_words(origin: Mapping[str, Any]) -> str:
    """How the set of an edit was found: "found by the search “currency”"; "" if unknown."""
    pattern = _HOW.get(str(origin.get("by", "")))
    if pattern is None:
        return str(origin.get("by", ""))
    known = {key: one_line(str(value), 60) for key, value in origin.items()}
    try:
        return pattern.format(**known)
    except KeyError:
        return pattern.split("“")[0].strip()
