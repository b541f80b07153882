"""What a person answered in the review queue, kept with what was shown.

One row per question: a later answer to the same question replaces the earlier one. Writing
functions run inside a writer's transaction.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.ids import EditId
from toolplanner_core.workspace.rows import insert, read_keyed, row_of
from toolplanner_core.workspace.workspace import Workspace


class Verdict(StrEnum):
    """What was answered."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVerdict:
    """One answer.

    Attributes:
        key: of the question: kind and permanent ids.
        evidence: hash of the evidence that was shown.
        shown: the evidence itself, as JSON values.
        edit: the edit that the answer made; None if it made none.
        who: name of the person; "" if unknown.
        made_us: microseconds since 1970.
    """

    key: str
    kind: str
    evidence: str
    verdict: Verdict
    shown: Mapping[str, Any]
    edit: EditId | None
    who: str
    made_us: int


def put_verdict(db: Database, verdict: StoredVerdict) -> None:
    """Store an answer in place of an earlier one; inside a writer's transaction."""
    row = row_of(verdict)
    row["signals"] = row.pop("shown")
    insert(db, "verdicts", row, otherwise="OR REPLACE")


def remove_verdicts(db: Database, keys: Iterable[str]) -> None:
    """Forget answers, so that they are asked again; inside a writer's transaction."""
    db.conn.executemany("DELETE FROM verdicts WHERE key = ?", [(key,) for key in keys])


def load_verdicts(workspace: Workspace) -> dict[str, StoredVerdict]:
    """All answers by key, the oldest first."""
    sql = "SELECT *, signals AS shown FROM verdicts ORDER BY made_us, key"
    return read_keyed(workspace.reader(), StoredVerdict, sql)
