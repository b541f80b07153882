"""APIs that were put beside the others by rule after a later import, with how sure that was."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from sqlite_utils import Database

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace.workspace import Workspace


class Placement(NamedTuple):
    """Where a new API came to lie.

    Attributes:
        toolkit: the toolkit it fits best, whether it was put there or not; None without any.
        confidence: 0 to 1: share of such answers that are right.
    """

    rowid: int
    toolkit: ToolkitId | None
    confidence: float


def put_placements(db: Database, placements: Sequence[Placement]) -> None:
    """Store them; inside a writer's transaction."""
    now_us = time.time_ns() // 1000
    db.conn.executemany(
        "INSERT OR REPLACE INTO placed_apis(api_rowid, toolkit, confidence, placed_us)"
        " VALUES(?, ?, ?, ?)",
        [(p.rowid, p.toolkit, p.confidence, now_us) for p in placements],
    )


def load_placements(workspace: Workspace) -> dict[int, Placement]:
    """All of them, by API row id."""
    rows = workspace.reader().execute("SELECT api_rowid, toolkit, confidence FROM placed_apis")
    return {
        rowid: Placement(rowid, None if toolkit is None else ToolkitId(toolkit), confidence)
        for rowid, toolkit, confidence in rows
    }


def has_placements(workspace: Workspace) -> bool:
    """Whether any API was ever put beside the others."""
    return workspace.one_row("SELECT 1 FROM placed_apis LIMIT 1") is not None


def homeless_rowids(workspace: Workspace) -> list[int]:
    """Row ids of the APIs that belong to no toolkit and are not excluded: "no home yet"."""
    rows = workspace.reader().execute(
        "SELECT a.rowid FROM apis a WHERE NOT EXISTS"
        " (SELECT 1 FROM toolkit_members m WHERE m.api_rowid = a.rowid) AND NOT EXISTS"
        " (SELECT 1 FROM excluded_apis e WHERE e.api_rowid = a.rowid) ORDER BY a.rowid"
    )
    return [row[0] for row in rows]
