"""Named points of the history of edits. Caller: `curation/snapshots.py`."""

import time
from dataclasses import dataclass

from sqlite_utils import Database

from toolplanner_core.domain.ids import EditId


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
    rows = db.execute("SELECT name, edit, note, made_us FROM snapshots ORDER BY made_us, name")
    return [Snapshot(name=r[0], edit=EditId(r[1]), note=r[2], made_us=r[3]) for r in rows]
