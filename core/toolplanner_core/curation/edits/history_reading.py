"""Read the history: all edits, what undo and redo would do, and the line that leads to a point.

The history is a tree; the edits that count at a point are those on the way from it to the root.

A snapshot is a name for a point of the history, which keeps every state there ever was; it costs
nothing and is never out of step. Going to one can itself be undone by going back.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, fields, replace

from toolplanner_core.curation.edits.split import Split
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace import edit_history as stored
from toolplanner_core.workspace.edit_history import (
    ROOT,
    Snapshot,
    StoredEdit,
    put_snapshot,
    read_head,
    read_snapshots,
    remove_snapshot,
)

REVERT = "revert"
"""Kind of an edit that takes back an older one."""

SEVERAL = "several"
"""Kind of an entry that holds edits which were made as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry(StoredEdit):
    """One edit in the history.

    Attributes:
        is_done: it counts now; else it is undone or on another branch.
        is_on_line: undo and redo pass it; else it is on another branch.
        is_head: the last one that counts.
        is_reverted: it is done, and a later edit took it back alone.
    """

    is_done: bool
    is_on_line: bool
    is_head: bool
    is_reverted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NextSteps:
    """What undo and redo would do now; "" = nothing to do."""

    undo: str
    redo: str


def list_history(workspace: Workspace) -> list[HistoryEntry]:
    """All edits of all branches, the oldest first."""
    with workspace.snapshot() as db:
        head = stored.read_head(db)
        edits = stored.read_edits(db)
        follows = stored.redo_branches(db)
    done = set(path_to_root({edit.id: edit.parent for edit in edits}, head))
    line = set(done)
    reverted = reverted_edits([edit for edit in edits if edit.id in done])
    tip = follows.get(head)
    while tip is not None:
        line.add(tip)
        tip = follows.get(tip)
    return [
        HistoryEntry(
            **{each.name: getattr(edit, each.name) for each in fields(edit)},
            is_done=edit.id in done,
            is_on_line=edit.id in line,
            is_head=edit.id == head,
            is_reverted=edit.id in reverted,
        )
        for edit in edits
    ]


def next_steps(workspace: Workspace) -> NextSteps:
    """The labels of what undo and redo would do now."""
    with workspace.snapshot() as db:
        head = stored.read_head(db)
        following = stored.redo_of(db, head)
        return NextSteps(
            undo="" if head == ROOT else stored.read_edit(db, head).label,
            redo="" if following is None else stored.read_edit(db, following).label,
        )


def path_to_root(parents: Mapping[EditId, EditId], edit: EditId) -> list[EditId]:
    """The edits that count at this point, the last one first.

    Raises:
        NotFound: there is no such edit.
    """
    path: list[EditId] = []
    while edit != ROOT:
        if edit not in parents:
            raise NotFound(f"There is no edit {edit} in the history")
        path.append(edit)
        edit = parents[edit]
    return path


def line_to_head(db: Database) -> list[EditId]:
    """The edits that count, the newest first."""
    return path_to_root(stored.parents(db), stored.read_head(db))


def edits_in_effect(db: Database) -> set[EditId]:
    """The edits that count and that no later one took back."""
    line = set(line_to_head(db))
    reverts = sorted(line & stored.edits_of_kind(db, REVERT))
    return line - reverted_edits([stored.read_edit(db, edit) for edit in reverts])


def changes_between(db: Database, one: EditId, other: EditId) -> Changes:
    """What leads from the state at one point of the history to the state at another."""
    parents = stored.parents(db)
    back, forth = path_to_root(parents, one), path_to_root(parents, other)
    common = set(back) & set(forth)
    changes = Changes()
    for edit in back:
        if edit not in common:
            changes = changes.then(stored.read_inverse(db, edit))
    for edit in reversed(forth):
        if edit not in common:
            changes = changes.then(stored.read_forward(db, edit))
    return changes


def parts_of(edit: StoredEdit) -> list[StoredEdit]:
    """The edits that an entry of the history holds; itself where it is a single one."""
    if edit.kind != SEVERAL:
        return [edit]
    return [replace(edit, kind=one["kind"], asked=one["asked"]) for one in edit.asked["edits"]]


def kinds_of(edit: StoredEdit) -> set[str]:
    """The kinds of the edits that an entry of the history holds."""
    return {part.kind for part in parts_of(edit)}


def parted_toolkits(
    db: Database, known: MutableMapping[EditId, Mapping[ToolkitId, ToolkitId]]
) -> dict[ToolkitId, ToolkitId]:
    """The toolkits that a person parted from one another: for each the first one it comes from.

    Args:
        known: what each entry with splits parted, by new toolkit the one it comes from; those that
            are not in it yet are read and put there.
    """
    first: dict[ToolkitId, ToolkitId] = {}
    splits = stored.edits_of_kind(db, Split.kind) | stored.edits_of_kind(db, SEVERAL)
    for edit in reversed(line_to_head(db)):
        if edit not in splits:
            continue
        if edit not in known:
            known[edit] = _parted(db, stored.read_edit(db, edit))
        for part, whole in known[edit].items():
            first[whole] = first[part] = first.get(whole, whole)
    return first


def _parted(db: Database, edit: StoredEdit) -> dict[ToolkitId, ToolkitId]:
    """By toolkit that began with an edit's splits the one it was told from."""
    splits = [part for part in parts_of(edit) if part.kind == Split.kind]
    if not splits:
        return {}
    whole = {ToolkitId(split.asked["toolkit"]) for split in splits}
    forward, inverse = stored.read_forward(db, edit.id), stored.read_inverse(db, edit.id)
    found: dict[ToolkitId, ToolkitId] = {}
    for rowid, after in forward.members.items():
        before = inverse.members[rowid]
        if after is not None and before is not None and before.toolkit in whole:
            found[after.toolkit] = before.toolkit
    return {part: found[part] for part in forward.begun if part in found}


def without_reverted(edits: Sequence[StoredEdit]) -> list[StoredEdit]:
    """The edits that still count: without those that were reverted, and without the reverts.

    Args:
        edits: a piece of a line of the history, the oldest first.
    """
    ids, gone = {edit.id for edit in edits}, reverted_edits(edits)
    still = [edit for edit in edits if edit.id not in gone]
    return [edit for edit in still if edit.kind != REVERT or edit.asked["edit"] not in ids]


def reverted_edits(edits: Sequence[StoredEdit]) -> set[EditId]:
    """The edits that others among these took back, with reverts that were taken back themselves.

    Args:
        edits: as for `without_reverted`.
    """
    found: set[EditId] = set()
    for edit in reversed(edits):
        if edit.kind == REVERT and edit.id not in found:
            found.add(EditId(edit.asked["edit"]))
    return found


def save_snapshot(workspace: Workspace, name: str, *, note: str = "") -> Snapshot:
    """Name the state as it is now.

    Raises:
        BadInput: the name is empty or taken.
    """
    name = " ".join(name.split())
    if not name:
        raise BadInput("A snapshot needs a name")

    def work(db: Database) -> Snapshot:
        if not put_snapshot(db, name=name, edit=read_head(db), note=note):
            raise BadInput(f"There is a snapshot “{name}” already", todo="Choose another name")
        return next(snapshot for snapshot in read_snapshots(db) if snapshot.name == name)

    return workspace.writer.run(work, durable=True)


def list_snapshots(workspace: Workspace) -> list[Snapshot]:
    """All of them, the oldest first."""
    return read_snapshots(workspace.reader())


def get_snapshot(workspace: Workspace, name: str) -> Snapshot:
    """One by its name.

    Raises:
        NotFound: there is none.
    """
    for snapshot in list_snapshots(workspace):
        if snapshot.name == name:
            return snapshot
    names = ", ".join(f"“{snapshot.name}”" for snapshot in list_snapshots(workspace))
    raise NotFound(
        f"There is no snapshot “{name}”", todo=f"There are: {names}" if names else "Save one first"
    )


def forget_snapshot(workspace: Workspace, name: str) -> None:
    """Take the name away; the history stays.

    Raises:
        NotFound: there is none.
    """
    get_snapshot(workspace, name)
    workspace.writer.run(lambda db: remove_snapshot(db, name))
