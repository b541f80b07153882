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
    return {row[0]: Placement(*row) for row in rows}


def last_placed(workspace: Workspace) -> list[int]:
    """Row ids of the APIs that were placed last, all at once."""
    newest = "(SELECT max(placed_us) FROM placed_apis)"
    rows = workspace.reader().execute(
        f"SELECT api_rowid FROM placed_apis WHERE placed_us = {newest} ORDER BY api_rowid"
    )
    return [row[0] for row in rows]


def has_placements(workspace: Workspace) -> bool:
    """Whether any API was ever put beside the others."""
    return workspace.one_row("SELECT 1 FROM placed_apis LIMIT 1") is not None
