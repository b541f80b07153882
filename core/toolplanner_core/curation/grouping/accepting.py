"""Accept or reject parts of a proposal; accepted ones become one edit that can be undone.

Pins are looked at again at that moment: what was pinned after the proposal was made stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolplanner_core.curation.edits.describe import Retell, TellApis
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done, do, preview
from toolplanner_core.curation.edits.split import Regroup
from toolplanner_core.domain.curated import Membership
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.curated_tables import (
    CuratedTables,
    all_memberships,
    all_toolkits,
)
from toolplanner_core.workspace.proposals import (
    ProposedItem,
    load_items,
    load_proposal,
    put_verdicts,
)

TEXT, API_TEXT = "text", "API text"
"""Kinds of the parts that change what a toolkit is called and how it is described, and what is said
of an API; one proposal holds parts of one of them."""
ACCEPTED, REJECTED = "accepted", "rejected"


def preview_items(workspace: Workspace, proposal: int, positions: Sequence[int] | None) -> Done:
    """What accepting these parts would change; nothing is changed.

    Raises:
        NotFound: there is no such proposal.
        BadInput: nothing of it can be done any more.
    """
    return preview(workspace, _edit(workspace, _waiting(workspace, proposal, positions)))


def accept_items(
    workspace: Workspace, proposal: int, positions: Sequence[int] | None = None, *, who: str = ""
) -> Done:
    """Make the edit that these parts propose.

    Args:
        positions: parts that wait; None takes all of them.

    Raises:
        NotFound: there is no such proposal.
        BadInput: a part was answered already, or nothing of it can be done any more; nothing was
            changed.
    """
    waiting = _waiting(workspace, proposal, positions)
    origin = {"by": "proposal", "proposal": proposal}
    done = do(workspace, _edit(workspace, waiting), origin=origin, who=who)
    answered = [item.position for item in waiting]
    workspace.writer.run(lambda db: put_verdicts(db, proposal, answered, ACCEPTED, done.head))
    return done


def dead_items(workspace: Workspace, items: Sequence[ProposedItem]) -> set[int]:
    """Positions of the parts that would change nothing any more: edits since have ended their
    toolkits, pinned their APIs or done the same."""
    with workspace.snapshot() as db:
        view, standing = CuratedTables(db), _Standing.read(db)
        return {item.position for item in items if not _is_doable(view, standing, item)}


def _is_doable(view: CuratedTables, standing: "_Standing", item: ProposedItem) -> bool:
    if item.kind not in (TEXT, API_TEXT):
        return any(standing.home(rowid) != item.target for rowid in standing.free(item)) or (
            item.target is None and bool(item.name) and bool(standing.free(item))
        )
    try:
        _telling([item]).plan(view)
    except BadInput:
        return False
    return True


def reject_items(
    workspace: Workspace, proposal: int, positions: Sequence[int] | None = None
) -> int:
    """Answer no; how many parts were rejected.

    Raises:
        NotFound: there is no such proposal.
        BadInput: a part was answered already.
    """
    waiting = [item.position for item in _waiting(workspace, proposal, positions)]
    workspace.writer.run(
        lambda db: put_verdicts(db, proposal, waiting, REJECTED, None), durable=True
    )
    return len(waiting)


def _waiting(
    workspace: Workspace, proposal: int, positions: Sequence[int] | None
) -> list[ProposedItem]:
    load_proposal(workspace, proposal)
    items = {item.position: item for item in load_items(workspace, proposal)}
    if positions is None:
        chosen = [item for item in items.values() if not item.verdict]
    else:
        if missing := [p for p in positions if p not in items]:
            raise BadInput(f"Proposal {proposal} has no part {missing[0]}")
        chosen = [items[position] for position in dict.fromkeys(positions)]
    if answered := [item for item in chosen if item.verdict]:
        raise BadInput(f"“{answered[0].label}” was {answered[0].verdict} already")
    if not chosen:
        raise BadInput("No part of the proposal waits for an answer")
    return chosen


def _edit(workspace: Workspace, items: Sequence[ProposedItem]) -> Edit:
    if any(item.kind in (TEXT, API_TEXT) for item in items):
        return _telling(items)
    return _regrouping(workspace, items)


def _telling(items: Sequence[ProposedItem]) -> Edit:
    texts = [(i.target, i.name, i.description) for i in items if i.kind == TEXT and i.target]
    if texts:
        toolkits, names, descriptions = zip(*texts, strict=True)
        told = tuple(i.target for i in items if i.is_told and i.target)
        return Retell(toolkits=toolkits, names=names, descriptions=descriptions, by_person=told)
    told = [(item.rowids[0], item.description) for item in items if item.kind == API_TEXT]
    rowids, described = zip(*told, strict=True)
    anew = tuple(item.rowids[0] for item in items if item.kind == API_TEXT and item.is_told)
    return TellApis(rowids=rowids, texts=described, author=Author.MODEL.value, by_person=anew)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """Where APIs are, and which toolkits live and are pinned."""

    where: Mapping[int, Membership]
    living: frozenset[ToolkitId]
    pinned: frozenset[ToolkitId]

    @classmethod
    def read(cls, db: Database) -> "_Standing":
        toolkits = all_toolkits(db)
        pinned = frozenset(toolkit for toolkit, fields in toolkits.items() if fields.is_pinned)
        return cls(where=all_memberships(db), living=frozenset(toolkits), pinned=pinned)

    def home(self, rowid: int) -> ToolkitId | None:
        """The toolkit of an API."""
        membership = self.where.get(rowid)
        return None if membership is None else membership.toolkit

    def free(self, item: ProposedItem) -> list[int]:
        """The APIs of a part that may still go where it puts them."""
        if item.target is not None and (
            item.target not in self.living or item.target in self.pinned
        ):
            return []
        return [rowid for rowid in item.rowids if self._is_free(rowid)]

    def _is_free(self, rowid: int) -> bool:
        membership = self.where.get(rowid)
        return membership is None or not (membership.is_pinned or membership.toolkit in self.pinned)


def _regrouping(workspace: Workspace, items: Sequence[ProposedItem]) -> Regroup:
    with workspace.snapshot() as db:
        standing = _Standing.read(db)
    rowids: list[int] = []
    targets: list[int] = []
    new: list[ProposedItem] = []
    for item in items:
        free = standing.free(item)
        if item.target is None and item.name and free:
            new.append(item)
        rowids.extend(free)
        targets.extend([_target(item, len(new))] * len(free))
    if not rowids:
        raise BadInput(
            "Nothing of this can be done any more",
            why="The toolkits have ended or the APIs were pinned since",
            todo="Reject it, or cluster again",
        )
    title = items[0].label if len(items) == 1 else f"Accept {len(items):,} parts of a proposal"
    return Regroup(
        title=title,
        rowids=tuple(rowids),
        toolkits=tuple(targets),
        new_names=tuple(item.name for item in new),
        new_descriptions=tuple(item.description for item in new),
        new_by_person=tuple(i.is_told for i in new) if any(i.is_told for i in new) else (),
    )


def _target(item: ProposedItem, n_new: int) -> int:
    if item.target is not None:
        return item.target
    return -n_new if item.name else 0
