"""Named sets of APIs, kept with how they were made; no part of the history of edits.

Row ids are for life, so a saved selection survives edits, re-clusterings and imports.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.workspace.rows import insert, read_rows
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedSelection:
    """A named set.

    Attributes:
        origin: how it was made: lasso, search, rule ... as JSON.
        rowids: (m,) int32, row ids of its APIs.
        made_us: microseconds since 1970.
    """

    name: str
    origin: Mapping[str, Any]
    rowids: NDArray[np.int32]
    made_us: int


def save_selection(
    workspace: Workspace, name: str, rowids: NDArray[np.integer[Any]], origin: Mapping[str, Any]
) -> None:
    """Keep a set under a name, in place of the one that had it; waits until it is on disk.

    Raises:
        BadInput: the name or the set is empty.
    """
    wanted = " ".join(name.split())
    if not wanted:
        raise BadInput("A saved selection needs a name")
    if not len(rowids):
        raise BadInput("Nothing is selected", todo="Select APIs first, then save the selection")
    row = {
        "name": wanted,
        "origin": origin,
        "api_rowids": rowids,
        "made_us": time.time_ns() // 1000,
    }
    workspace.writer.run(lambda db: insert(db, "saved_selections", row, otherwise="OR REPLACE"))


def saved_selections(workspace: Workspace) -> list[SavedSelection]:
    """All of them, by name."""
    return read_rows(
        workspace.reader(),
        SavedSelection,
        "SELECT name, origin, api_rowids AS rowids, made_us FROM saved_selections"
        " ORDER BY name COLLATE NOCASE, name",
    )


def remove_selection(workspace: Workspace, name: str) -> None:
    """Forget a named set; waits until it is on disk.

    Raises:
        NotFound: there is none of this name.
    """
    count = workspace.writer.run(
        lambda db: db.execute("DELETE FROM saved_selections WHERE name = ?", [name]).rowcount
    )
    if not count:
        raise NotFound(f"There is no saved selection “{name}”")
