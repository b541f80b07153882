"""Add runs: one that begins, and whole runs that ran elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.ids import RunId
from toolplanner_core.workspace.rows import insert, row_of
from toolplanner_core.workspace.run_log import PackedRow, append_events
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run to add; the fields are those of `runs.RunRow`.

    Attributes:
        parent_run: a fork reads its first `fork_seq` events through this run.
        events: in order, numbered 1, 2, 3 ...; their `run` is replaced by the new number.
    """

    query: str
    strategy: str
    model: str
    provider: str
    status: str
    started_us: int
    app_version: str
    answer: str = ""
    ended_us: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    totals: Mapping[str, Any] = field(default_factory=dict[str, Any])
    process: str = ""
    parent_run: RunId | None = None
    fork_seq: int | None = None
    events: Sequence[PackedRow] = ()


def create_run(workspace: Workspace, run: NewRun) -> RunId:
    """Add a run and wait until it is stored; returns its number. Blocks, so not on an event
    loop."""
    return workspace.writer.run(lambda db: _add(db, run))


def add_runs(workspace: Workspace, runs: Sequence[NewRun]) -> list[RunId]:
    """Store runs that ran elsewhere with all their events, in one transaction, and wait until they
    are on disk: a run is there with all its events or not at all.

    Returns:
        Their numbers in this workspace, in order.

    Raises:
        WorkspaceError: nothing of them is stored.
    """
    return workspace.writer.run(lambda db: [_add(db, run) for run in runs], durable=True)


def _add(db: Database, run: NewRun) -> RunId:
    number = RunId(insert(db, "runs", row_of(run, without=("events",))))
    append_events(db, [event._replace(run=number) for event in run.events])
    return number
