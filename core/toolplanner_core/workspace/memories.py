"""What strategies keep between runs: one JSON value per name, every version of it kept.

The newest version that was not taken back counts. A version is written by a run, when it ends, or
by a person who decides something or goes back to an earlier one; none is ever changed.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlite_utils import Database

from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import NotFound
from toolplanner_core.words.window_places import SEE_MEMORIES
from toolplanner_core.workspace.rows import dump, insert, stored_json
from toolplanner_core.workspace.workspace import Workspace


class MemoryVersion(NamedTuple):
    """One version of a memory.

    Attributes:
        version: 1, 2, ... per name.
        run: that wrote it; None = a person decided it, or went back to an earlier version.
        size: characters of its JSON.
    """

    name: str
    version: int
    run: RunId | None
    made_us: int
    size: int


class CurrentMemory(NamedTuple):
    """The value that counts; version 0 and None when there is none."""

    version: int
    value: Any


def read_memory(workspace: Workspace, name: str, version: int | None = None) -> CurrentMemory:
    """The newest version of a memory, or an earlier one.

    Raises:
        NotFound: there is no such `version`.
    """
    row = workspace.one_row(
        "SELECT version, value FROM memories WHERE name = ? AND (? IS NULL OR version = ?)"
        " ORDER BY version DESC LIMIT 1",
        [name, version, version],
    )
    if row is None and version is not None:
        raise _no_version(name, version)
    return CurrentMemory(0, None) if row is None else CurrentMemory(row[0], stored_json(row[1]))


def newest_memories(workspace: Workspace, prefix: str) -> dict[str, Any]:
    """The values that count of all memories whose name begins so, by name."""
    rows = workspace.reader().execute(
        "SELECT name, value, max(version) FROM memories WHERE substr(name, 1, ?) = ? GROUP BY name",
        [len(prefix), prefix],
    )
    return {name: stored_json(value) for name, value, _ in rows}


def memory_versions(workspace: Workspace, name: str | None = None) -> list[MemoryVersion]:
    """All versions of one memory, or of all: by name, newest first."""
    rows = workspace.reader().execute(
        "SELECT name, version, run_id, made_us, length(value) FROM memories"
        " WHERE ? IS NULL OR name = ? ORDER BY name, version DESC",
        [name, name],
    )
    return [MemoryVersion(*row) for row in rows]


def write_memories(
    workspace: Workspace, run: RunId, values: Sequence[tuple[str, Any]]
) -> list[tuple[str, int]]:
    """Store another version of each memory, in one transaction. Blocks.

    Returns:
        Names and the numbers of their new versions.
    """

    def work(db: Database) -> list[tuple[str, int]]:
        return [(name, _add(db, name, run, dump(value))) for name, value in values]

    return workspace.writer.run(work)


def decide_memory(workspace: Workspace, name: str, value: Any) -> int:
    """Store what a person decided as another version of a memory. Blocks.

    Returns:
        The number of the new version.
    """
    return workspace.writer.run(lambda db: _add(db, name, None, dump(value)))


def revert_memory(workspace: Workspace, name: str, version: int) -> int:
    """Go back to an earlier version: it is written again as the newest. Blocks.

    Returns:
        The number of the new version.

    Raises:
        NotFound: there is no such version.
    """

    def work(db: Database) -> int:
        row = db.execute(
            "SELECT value FROM memories WHERE name = ? AND version = ?", [name, version]
        ).fetchone()
        if row is None:
            raise _no_version(name, version)
        return _add(db, name, None, row[0])

    return workspace.writer.run(work)


def _no_version(name: str, version: int) -> NotFound:
    return NotFound(
        f"There is no version {version} of the memory {name!r}",
        todo=SEE_MEMORIES,
    )


def _add(db: Database, name: str, run: RunId | None, value: str) -> int:
    found = db.execute("SELECT max(version) FROM memories WHERE name = ?", [name]).fetchone()
    version = int(found[0] or 0) + 1
    made_us = time.time_ns() // 1000
    row = {"name": name, "version": version, "run_id": run, "made_us": made_us, "value": value}
    insert(db, "memories", row)
    return version
