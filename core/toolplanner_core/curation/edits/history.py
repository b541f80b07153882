"""Make edits, undo and redo them, jump in their history.

Each function is one transaction that is on disk when it returns, and gives the changes that the
window has to show. The history is a tree: an edit after an undo opens a branch, the undone ones
stay and can be reached again. Blocks; not for
the GUI thread. Source: `design/architecture.md`, "Edits".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.description_updates import updated_since, with_descriptions
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history_reading import (
    REVERT,
    SEVERAL,
    changes_between,
    line_to_head,
    path_to_root,
    without_reverted,
)
from toolplanner_core.curation.edits.linked import against_links
from toolplanner_core.curation.edits.names_by_rule import with_names
from toolplanner_core.curation.edits.region import with_regions
from toolplanner_core.domain.curated import Changes, drop_unchanged, invert_changes
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace import edit_history as stored
from toolplanner_core.workspace.curated_tables import CuratedTables, write_changes
from toolplanner_core.workspace.edit_history import ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What was done and is on disk.

    Attributes:
        head: the last edit that counts now; `ROOT` before the first.
        label: what was done, for people: the edit's label, with "Undo" or "Redo" before it.
        changes: the values that are there now.
        before: the values that were there, under the same keys.
        ended: toolkits that come to another region and had ended: they are kept where an undo
            would look for them, and nobody sees them move.
        against: which link between APIs it goes against, in words; "" = none.
    """

    head: EditId
    label: str
    changes: Changes
    before: Changes
    ended: frozenset[ToolkitId] = frozenset()
    against: str = ""


def preview(workspace: Workspace, edit: Edit) -> Done:
    """What an edit would do; nothing is changed.

    Raises:
        BadInput: it does not fit the state, or would change nothing.
    """
    with workspace.snapshot() as db:
        label, changes, before = _planned(db, edit)
        return _done(db, stored.read_head(db), label, changes, before)


def do(
    workspace: Workspace,
    edit: Edit,
    *,
    origin: Mapping[str, Any] | None = None,
    who: str = "",
    actor: Author = Author.PERSON,
    label: str = "",
) -> Done:
    """Make an edit.

    Args:
        origin: how the set of APIs was found, such as {"by": "lasso"}.
        who: name of the person.
        label: what it means to the person; "" = what the edit says of itself.

    Raises:
        BadInput: it does not fit the state, or would change nothing; nothing was changed.
        WorkspaceError: it could not be stored; nothing was changed.
    """

    def work(db: Database) -> Done:
        planned, changes, inverse = _planned(db, edit)
        return _add(
            db,
            changes,
            inverse,
            kind=edit.kind,
            label=label or planned,
            asked=edit.asked(),
            origin=origin or {},
            who=who,
            actor=actor,
        )

    return workspace.writer.run(work, durable=True)


class DoneTogether(NamedTuple):
    """Edits that were made as one.

    Attributes:
        made: positions of those that are in it; the others did not fit.
    """

    done: Done
    made: tuple[int, ...]


def do_several(
    workspace: Workspace,
    edits: Sequence[Edit],
    *,
    origin: Mapping[str, Any] | None = None,
    who: str = "",
    is_allowed: Callable[[int, CuratedState], bool] = lambda _position, _state: True,
    also: Callable[[Database, EditId, Sequence[int]], None] = lambda _db, _edit, _made: None,
) -> DoneTogether:
    """Make edits one after the other as one entry of the history; what does not fit the state after
    those before it is left out.

    Args:
        origin, who: as for `do`.
        is_allowed: whether the edit at a position may be made in a state.
        also: what is written in the same transaction, with the positions of the edits made.

    Raises:
        BadInput: none fits; nothing was changed.
        WorkspaceError: it could not be stored; nothing was changed.
    """

    def work(db: Database) -> DoneTogether:
        state, wanted = CuratedState.read(db), Changes()
        made: dict[int, str] = {}
        for position, edit in enumerate(edits):
            if not is_allowed(position, state):
                continue
            try:
                planned = edit.plan(state)
            except BadInput:
                continue
            if changes := drop_unchanged(planned.changes, state):
                state.apply(changes)
                wanted = wanted.then(changes)
                made[position] = planned.label
        changes, inverse = _with_what_follows(db, wanted)
        if not changes:
            raise BadInput(
                "None of these edits fits the toolkits as they are now",
                why="Edits since have settled or changed what they are about",
            )
        first, *more = made.values()
        done = _add(
            db,
            changes,
            inverse,
            kind=SEVERAL,
            label=f"{first} and {len(more):,} more" if more else first,
            asked={"edits": [{"kind": edits[at].kind, "asked": edits[at].asked()} for at in made]},
            origin=origin or {},
            who=who,
            actor=Author.PERSON,
        )
        also(db, done.head, tuple(made))
        return DoneTogether(done, tuple(made))

    return workspace.writer.run(work, durable=True)


def undo(workspace: Workspace) -> Done:
    """Take back the last edit.

    Raises:
        BadInput: there is nothing to undo.
    """

    def work(db: Database) -> Done:
        head = stored.read_head(db)
        if head == ROOT:
            raise BadInput("There is nothing to undo", todo="All edits are taken back")
        edit = stored.read_edit(db, head)
        changes, before = stored.read_inverse(db, head), stored.read_forward(db, head)
        return _go(db, edit.parent, f"Undo: {edit.label}", changes, before)

    return workspace.writer.run(work, durable=True)


def redo(workspace: Workspace) -> Done:
    """Make the edit again that was undone last on this branch.

    Raises:
        BadInput: there is nothing to redo.
    """

    def work(db: Database) -> Done:
        following = stored.redo_of(db, stored.read_head(db))
        if following is None:
            raise BadInput("There is nothing to redo", todo="No edit after this one was undone")
        changes, before = stored.read_forward(db, following), stored.read_inverse(db, following)
        label = f"Redo: {stored.read_edit(db, following).label}"
        return _go(db, following, label, changes, before)

    return workspace.writer.run(work, durable=True)


def jump(workspace: Workspace, to: EditId) -> Done:
    """Go to any point of the history, on any branch.

    Args:
        to: the last edit that shall count; `ROOT` undoes everything.

    Raises:
        NotFound: there is no such edit.
        BadInput: it is the last one already.
    """

    def work(db: Database) -> Done:
        head = stored.read_head(db)
        if to == head:
            raise BadInput("The history is at this point already")
        changes = changes_between(db, head, to)
        before = invert_changes(changes, CuratedTables(db))
        for edit in reversed(path_to_root(stored.parents(db), to)):
            stored.move_head(db, edit)
        label = "the start" if to == ROOT else f"“{stored.read_edit(db, to).label}”"
        return _go(db, to, f"Go to {label}", changes, before)

    return workspace.writer.run(work, durable=True)


def revert(workspace: Workspace, edit: EditId, *, who: str = "") -> Done:
    """Take back one old edit and keep those after it; itself an edit that can be undone.

    Raises:
        NotFound: there is no such edit.
        BadInput: it does not count now, or later edits build on it: the message names them.
    """

    def work(db: Database) -> Done:
        old = stored.read_edit(db, edit)
        line = line_to_head(db)
        if edit not in line:
            raise BadInput(f"“{old.label}” is undone already")
        since = [stored.read_edit(db, e) for e in reversed(line[: line.index(edit) + 1])]
        still = without_reverted(since)
        if old not in still:
            raise BadInput(f"“{old.label}” was reverted already")
        later = [e for e in still if e.id != edit]
        forward = stored.read_forward(db, edit)
        inverse = stored.read_inverse(db, edit)
        forward_of = {e.id: stored.read_forward(db, e.id) for e in later}
        builds_on = [
            e
            for e in later
            if depends_on(after := forward_of[e.id], forward) or ends_what_is_needed(after, inverse)
        ]
        if builds_on:
            names = "; ".join(f"{e.id} “{e.label}”" for e in builds_on[:5])
            raise BadInput(
                f"{len(builds_on)} later {'edit builds' if len(builds_on) == 1 else 'edits build'}"
                f" on “{old.label}”",
                why=names,
                todo="Revert those first, or go back to the point before it",
            )
        since = (c for e in later for c in (forward_of[e.id], stored.read_inverse(db, e.id)))
        kept = replace(inverse, retold=updated_since(inverse, since))
        changes = with_names(with_descriptions(kept, db), db)
        return _add(
            db,
            changes,
            invert_changes(changes, CuratedTables(db)),
            kind=REVERT,
            label=f"Revert: {old.label}",
            asked={"edit": edit},
            origin={},
            who=who,
            actor=Author.PERSON,
        )

    return workspace.writer.run(work, durable=True)


def read_done(workspace: Workspace, edit: EditId) -> Done:
    """What an edit of the history did when it was made.

    Raises:
        NotFound: there is no such edit.
    """
    with workspace.snapshot() as db:
        made = stored.read_edit(db, edit)
        changes, before = stored.read_forward(db, edit), stored.read_inverse(db, edit)
        if not changes.region_of:
            return Done(head=edit, label=made.label, changes=changes, before=before)
        since = changes_between(db, stored.read_head(db), made.parent)
        return _done(db, edit, made.label, changes, before, since=since)


def depends_on(later: Changes, earlier: Changes) -> bool:
    """Whether one edit's changes build on an earlier one's: they touch the same values, or the
    later one uses or changes a toolkit that the earlier one made."""
    if later.keys() & earlier.keys():
        return True
    used = {m.toolkit for m in later.members.values() if m is not None} | later.toolkits.keys()
    return bool(used.intersection(earlier.begun))


def ends_what_is_needed(later: Changes, inverse: Changes) -> bool:
    """Whether a later edit ended a toolkit or region that the inverse of an earlier one changes or
    fills."""
    filled = {m.toolkit for m in inverse.members.values() if m is not None}
    ended = {r for r, fields in later.regions.items() if fields.get("is_living") is False}
    return bool(
        (filled | inverse.toolkits.keys()).intersection(later.ended)
        or ended.intersection([*inverse.region_of.values(), *inverse.regions])
    )


def _planned(db: Database, edit: Edit) -> tuple[str, Changes, Changes]:
    planned = edit.plan(CuratedTables(db))
    changes, before = _with_what_follows(db, planned.changes)
    if not changes:
        raise BadInput(f"Nothing would change: {planned.label}", why="It is so already")
    return planned.label, changes, before


def _with_what_follows(db: Database, wanted: Changes) -> tuple[Changes, Changes]:
    """What changes really do, with regions, texts and names that follow, and the values before."""
    view = CuratedTables(db)
    changes = with_names(with_descriptions(with_regions(wanted, view), db), db)
    changes = drop_unchanged(changes, view)
    return changes, invert_changes(changes, view)


def _go(db: Database, to: EditId, label: str, changes: Changes, before: Changes) -> Done:
    write_changes(db, changes)
    stored.move_head(db, to)
    return _done(db, to, label, changes, before)


def _add(db: Database, changes: Changes, inverse: Changes, *, label: str, **about: Any) -> Done:
    """Write changes, and their edit with what `stored.add_edit` takes about it."""
    write_changes(db, changes)
    edit = stored.add_edit(db, label=label, forward=changes, inverse=inverse, **about)
    return _done(db, edit, label, changes, inverse)


def _done(
    db: Database,
    head: EditId,
    label: str,
    changes: Changes,
    before: Changes,
    *,
    since: Changes | None = None,
) -> Done:
    """What was done, with what had ended then.

    Args:
        since: what leads from the tables to the state that it was done in.
    """
    view, fields = CuratedTables(db), {} if since is None else since.all_fields

    def is_living(toolkit: ToolkitId) -> bool:
        known = fields.get(toolkit, {}).get("is_living")
        return view.toolkit(toolkit) is not None if known is None else bool(known)

    ended = frozenset(t for t in changes.region_of if not is_living(t)).difference(changes.begun)
    # An old edit of the history was made when there were other links.
    said = against_links(db, changes, before) if since is None else ""
    return Done(head=head, label=label, changes=changes, before=before, ended=ended, against=said)
