"""What a person answered in the review queue, kept with what was shown.

One row per question: a later answer to the same question replaces the earlier one. Writing
functions run inside a writer's transaction.
"""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.ids import EditId
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


def put_verdict(
    db: Database,
    *,
    key: str,
    kind: str,
    evidence: str,
    verdict: Verdict,
    shown: Mapping[str, Any],
    edit: EditId | None,
    who: str,
) -> StoredVerdict:
    """Store an answer in place of an earlier one; inside a writer's transaction."""
    made_us = time.time_ns() // 1000
    db.execute(
        "INSERT OR REPLACE INTO verdicts(key, kind, evidence, verdict, signals, edit, who, made_us)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
        [
            key,
            kind,
            evidence,
            verdict.value,
            json.dumps(dict(shown), ensure_ascii=False),
            edit,
            who,
            made_us,
        ],
    )
    return StoredVerdict(
        key=key,
        kind=kind,
        evidence=evidence,
        verdict=verdict,
        shown=shown,
        edit=edit,
        who=who,
        made_us=made_us,
    )


def remove_verdicts(db: Database, keys: Iterable[str]) -> None:
    """Forget answers, so that they are asked again; inside a writer's transaction."""
    db.conn.executemany("DELETE FROM verdicts WHERE key = ?", [(key,) for key in keys])


def load_verdicts(workspace: Workspace) -> dict[str, StoredVerdict]:
    """All answers by key, the oldest first."""
    rows = workspace.reader().execute(
        "SELECT key, kind, evidence, verdict, signals, edit, who, made_us FROM verdicts"
        " ORDER BY made_us, key"
    )
    return {
        row[0]: StoredVerdict(
            key=row[0],
            kind=row[1],
            evidence=row[2],
            verdict=Verdict(row[3]),
            shown=json.loads(row[4]),
            edit=None if row[5] is None else EditId(row[5]),
            who=row[6],
            made_us=row[7],
        )
        for row in rows
    }
