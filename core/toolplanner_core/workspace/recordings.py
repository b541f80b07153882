"""Recorded calls: replies that really came once, by API key and canonical arguments.

Written by `sources/recordings.py`, read by the provider "recorded". Arguments arrive here in
canonical form (see `sources/recordings.py`), so that equality of texts is equality of calls.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlite_utils import Database

from toolplanner_core.workspace.rows import stored_json
from toolplanner_core.workspace.workspace import Workspace


class Recording(NamedTuple):
    """One recorded call.

    Attributes:
        api_key: as in `Api.key`.
        arguments: canonical JSON; names: its sorted argument names, comma-separated.
        response: JSON text of the reply.
        error: the recorder's word for what went wrong, "" if nothing did.
        truncated: whether the recorder cut the reply.
    """

    api_key: str
    arguments: str
    names: str
    response: str
    error: str
    truncated: bool

    def values(self) -> dict[str, Any]:
        """The arguments."""
        return stored_json(self.arguments)


_COLUMNS = "api_key, arguments, names, response, error, truncated"


def store_recordings(workspace: Workspace, recordings: Iterable[Recording]) -> int:
    """Add recordings in one transaction; a call that is recorded already keeps its first reply.

    Returns:
        How many were new.
    """
    rows = [(*r[:5], int(r.truncated)) for r in recordings]

    def write(db: Database) -> int:
        before = db.conn.total_changes
        db.conn.executemany(
            f"INSERT OR IGNORE INTO recordings({_COLUMNS}) VALUES(?, ?, ?, ?, ?, ?)", rows
        )
        return db.conn.total_changes - before

    return workspace.writer.run(write)


def exact_recording(workspace: Workspace, api_key: str, arguments: str) -> Recording | None:
    """The recording of exactly this call."""
    row = workspace.one_row(
        f"SELECT {_COLUMNS} FROM recordings WHERE api_key = ? AND arguments = ?",
        [api_key, arguments],
    )
    return None if row is None else Recording(*row)


def recordings_with_names(workspace: Workspace, api_key: str, names: str) -> list[Recording]:
    """The recordings of an API whose set of argument names is this one, oldest first."""
    rows = workspace.reader().execute(
        f"SELECT {_COLUMNS} FROM recordings WHERE api_key = ? AND names = ? ORDER BY id",
        [api_key, names],
    )
    return [Recording(*row) for row in rows]


def recorded_names(workspace: Workspace, api_key: str) -> list[str]:
    """The sets of argument names an API was recorded with, most frequent first."""
    rows = workspace.reader().execute(
        "SELECT names FROM recordings WHERE api_key = ?"
        " GROUP BY names ORDER BY count(*) DESC, names",
        [api_key],
    )
    return [row[0] for row in rows]


def good_recordings(workspace: Workspace, api_key: str, *, limit: int) -> list[Recording]:
    """Recordings of an API that went well and are whole, oldest first."""
    rows = workspace.reader().execute(
        f"SELECT {_COLUMNS} FROM recordings WHERE api_key = ? AND error = '' AND NOT truncated"
        " AND response <> '' ORDER BY id LIMIT ?",
        [api_key, limit],
    )
    return [Recording(*row) for row in rows]


def all_good_recordings(workspace: Workspace) -> list[Recording]:
    """Recordings of all APIs that went well and are whole, oldest first; 55,000 hold 60 MB."""
    rows = workspace.reader().execute(
        f"SELECT {_COLUMNS} FROM recordings WHERE error = '' AND NOT truncated"
        " AND response <> '' ORDER BY id"
    )
    return [Recording(*row) for row in rows]


def recording_count(workspace: Workspace) -> int:
    """Number of recorded calls."""
    return int(workspace.one_row("SELECT count(*) FROM recordings")[0])
