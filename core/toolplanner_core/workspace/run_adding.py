"""Add whole runs that ran elsewhere: imports, and many at once.

One transaction each, so a run is there with all its events or not at all.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.ids import RunId
from toolplanner_core.workspace.run_log import PackedRow, append_events
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run to add; the fields are those of `runs.RunRow`.

    Attributes:
        events: in order, numbered 1, 2, 3 ...; their `run` is replaced by the new number.
    """

    query: str
    strategy: str
    model: str
    provider: str
    status: str
    answer: str
    started_us: int
    ended_us: int | None
    app_version: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    totals: Mapping[str, Any] = field(default_factory=dict[str, Any])
    events: Sequence[PackedRow] = ()


def add_runs(workspace: Workspace, runs: Sequence[NewRun]) -> list[RunId]:
    """Store runs with all their events in one transaction, and wait until they are on disk.

    Returns:
        Their numbers in this workspace, in order.

    Raises:
        WorkspaceError: nothing of them is stored.
    """
    return workspace.writer.run(lambda db: [_add(db, run) for run in runs], durable=True)


def _add(db: Database, run: NewRun) -> RunId:
    cursor = db.conn.execute(
        "INSERT INTO runs(query, strategy, model, provider, options, status, answer, totals,"
        " started_us, ended_us, app_version) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            run.query,
            run.strategy,
            run.model,
            run.provider,
            json.dumps(run.options, ensure_ascii=False),
            run.status,
            run.answer,
            json.dumps(run.totals, ensure_ascii=False),
            run.started_us,
            run.ended_us,
            run.app_version,
        ],
    )
    number = RunId(int(cursor.lastrowid or 0))
    append_events(db, [event._replace(run=number) for event in run.events])
    return number
