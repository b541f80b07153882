"""The history of edits as it is stored: a tree of rows whose tip is the setting "history_head".

Every edit hangs below the one it was made on, so that an edit after an undo opens a branch and the
undone ones stay. Writing functions run inside a writer's transaction.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.curated import Changes, changes_from_json, changes_to_json
from toolplanner_core.domain.ids import EditId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.words.window_places import SEE_EDITS
from toolplanner_core.workspace.rows import insert, of_its_form, read_one, read_rows, stored_json
from toolplanner_core.workspace.settings import put_setting, read_setting

ROOT = EditId(0)
"""The point before the first edit."""

_COLUMNS = "id, coalesce(parent, 0) AS parent, kind, label, asked, origin, actor, who, made_us"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEdit:
    """One edit as it was made.

    Attributes:
        parent: the edit it was made on; `ROOT` for the first.
        label: what it did, for people.
        asked: the edit's fields as JSON values.
        origin: how the set of APIs was found, such as {"by": "lasso", ...}; {} if unknown.
        who: name of the person; "" if unknown.
        made_us: microseconds since 1970.
    """

    id: EditId
    parent: EditId
    kind: str
    label: str
    asked: Mapping[str, Any]
    origin: Mapping[str, Any]
    actor: Author
    who: str
    made_us: int


def read_head(db: Database) -> EditId:
    """The edit that was made last and is not undone; `ROOT` if there is none."""
    return EditId(read_setting(db, "history_head", ROOT))


def read_edit(db: Database, edit: EditId) -> StoredEdit:
    """One edit.

    Raises:
        NotFound: there is none with this id.
    """
    missing = f"There is no edit {edit} in the history"
    sql = f"SELECT {_COLUMNS} FROM edits WHERE id = ?"
    return read_one(db, StoredEdit, sql, [edit], missing=missing, todo=SEE_EDITS)


def read_edits(db: Database) -> list[StoredEdit]:
    """All edits of all branches, the oldest first."""
    return read_rows(db, StoredEdit, f"SELECT {_COLUMNS} FROM edits ORDER BY id")


def read_forward(db: Database, edit: EditId) -> Changes:
    """The values after an edit."""
    return _changes(db, edit, "forward")


def read_inverse(db: Database, edit: EditId) -> Changes:
    """The values before an edit."""
    return _changes(db, edit, "inverse")


def parents(db: Database) -> dict[EditId, EditId]:
    """The parent of every edit."""
    rows = db.execute("SELECT id, coalesce(parent, 0) FROM edits")
    return {EditId(edit): EditId(parent) for edit, parent in rows}


def edits_of_kind(db: Database, kind: str) -> set[EditId]:
    """All edits of a kind, whether they count or not."""
    return {EditId(row[0]) for row in db.execute("SELECT id FROM edits WHERE kind = ?", [kind])}


def redo_of(db: Database, edit: EditId) -> EditId | None:
    """The edit that "redo" makes again after this one; None at the end of the branch."""
    row = db.execute("SELECT child FROM edit_redo WHERE parent = ?", [edit]).fetchone()
    return None if row is None else EditId(row[0])


def redo_branches(db: Database) -> dict[EditId, EditId]:
    """The child that "redo" follows, by parent."""
    rows = db.execute("SELECT parent, child FROM edit_redo")
    return {EditId(parent): EditId(child) for parent, child in rows}


def move_head(db: Database, edit: EditId) -> None:
    """Make this the last edit that counts; redo from its parent leads back to it."""
    put_setting(db, "history_head", edit)
    if edit != ROOT:
        db.execute(
            "INSERT INTO edit_redo(parent, child)"
            " SELECT coalesce(parent, 0), id FROM edits WHERE id = ?"
            " ON CONFLICT(parent) DO UPDATE SET child = excluded.child",
            [edit],
        )


def add_edit(
    db: Database,
    *,
    kind: str,
    label: str,
    asked: Mapping[str, Any],
    origin: Mapping[str, Any],
    forward: Changes,
    inverse: Changes,
    actor: Author,
    who: str,
) -> EditId:
    """Append an edit to the head and make it the head."""
    row = {
        "parent": read_head(db) or None,
        "kind": kind,
        "label": label,
        "asked": asked,
        "origin": origin,
        "forward": changes_to_json(forward),
        "inverse": changes_to_json(inverse),
        "actor": actor,
        "who": who,
        "made_us": time.time_ns() // 1000,
    }
    edit = EditId(insert(db, "edits", row))
    move_head(db, edit)
    return edit


def _changes(db: Database, edit: EditId, column: str) -> Changes:
    row = db.execute(f"SELECT {column} FROM edits WHERE id = ?", [edit]).fetchone()
    with of_its_form("an edit"):
        return changes_from_json(stored_json(row[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A named point of the history.

    Attributes:
        edit: the last edit that counts there; 0 before the first.
        made_us: microseconds since 1970.
    """

    name: str
    edit: EditId
    note: str
    made_us: int


def put_snapshot(db: Database, *, name: str, edit: EditId, note: str) -> bool:
    """Store one; inside a writer's transaction. False if the name is taken."""
    cursor = db.execute(
        "INSERT OR IGNORE INTO snapshots(name, edit, note, made_us) VALUES(?, ?, ?, ?)",
        [name, edit, note, time.time_ns() // 1000],
    )
    return cursor.rowcount > 0


def remove_snapshot(db: Database, name: str) -> bool:
    """Forget a name; inside a writer's transaction. False if there is none."""
    return db.execute("DELETE FROM snapshots WHERE name = ?", [name]).rowcount > 0


def read_snapshots(db: Database) -> list[Snapshot]:
    """All of them, the oldest first."""
    return read_rows(db, Snapshot, "SELECT * FROM snapshots ORDER BY made_us, name")
