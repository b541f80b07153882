"""Toolkits that a person made by hand: name, description and members as given."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace.rows import insert
from toolplanner_core.workspace.toolkits import bump_toolkits_version
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedToolkit:
    """A toolkit as a person wants it; `members` are row ids of APIs."""

    name: str
    description: str
    members: Sequence[int]


def add_curated_toolkits(
    workspace: Workspace, toolkits: Sequence[CuratedToolkit]
) -> list[ToolkitId]:
    """Store toolkits in one transaction and wait until they are on disk.

    An API that is a member of another toolkit moves.
    """
    now_us = time.time_ns() // 1000
    authors = dict.fromkeys(("name_author", "description_author"), Author.PERSON)

    def work(db: Database) -> list[ToolkitId]:
        ids: list[ToolkitId] = []
        for toolkit in toolkits:
            row = authors | {"name": toolkit.name, "description": toolkit.description}
            ids.append(ToolkitId(insert(db, "toolkits", row | {"created_us": now_us})))
            db.conn.executemany(
                "INSERT INTO toolkit_members(api_rowid, toolkit_id) VALUES(?, ?)"
                " ON CONFLICT(api_rowid) DO UPDATE SET toolkit_id = excluded.toolkit_id",
                [(member, ids[-1]) for member in toolkit.members],
            )
        bump_toolkits_version(db)
        return ids

    return workspace.writer.run(work)
