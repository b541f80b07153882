"""Toolkits and their members as they stand now, what plans may use of them, and adding some."""

import json
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqlite_utils import Database

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_core.words.window_places import SEE_TOOLKITS
from toolplanner_core.workspace.rows import insert, read_one, read_rows
from toolplanner_core.workspace.workspace import Workspace

_SELECT = """
SELECT t.id, t.name, t.description, t.name_author, t.description_author, t.pinned,
       t.is_description_old, t.proposed_name,
       (SELECT count(*) FROM toolkit_members m WHERE m.toolkit_id = t.id) AS size
FROM toolkits t
"""


def list_toolkits(workspace: Workspace) -> list[Toolkit]:
    """All living toolkits, by name."""
    living = "WHERE t.retired_us IS NULL ORDER BY t.name COLLATE NOCASE, t.id"
    return read_rows(workspace.reader(), Toolkit, f"{_SELECT} {living}")


def get_toolkit(workspace: Workspace, toolkit: ToolkitId) -> Toolkit:
    """One toolkit, living or retired.

    Raises:
        NotFound: no toolkit has this id.
    """
    missing, todo = f"There is no toolkit {toolkit}", SEE_TOOLKITS
    sql = f"{_SELECT} WHERE t.id = ?"
    return read_one(workspace.reader(), Toolkit, sql, [toolkit], missing=missing, todo=todo)


def member_rowids(workspace: Workspace, toolkit: ToolkitId) -> list[int]:
    """Row ids of the APIs of a toolkit, most central first."""
    return [rowid for rowid, _ in ranked_members(workspace, toolkit)]


def ranked_members(workspace: Workspace, toolkit: ToolkitId) -> list[tuple[int, float]]:
    """Row ids of the APIs of a toolkit with their centrality, most central first."""
    rows = workspace.reader().execute(
        "SELECT api_rowid, centrality FROM toolkit_members WHERE toolkit_id = ?"
        " ORDER BY centrality DESC, api_rowid",
        [toolkit],
    )
    return [(row[0], row[1]) for row in rows]


def toolkit_of(workspace: Workspace, api: ApiId) -> ToolkitId | None:
    """The toolkit an API belongs to, None before clustering."""
    row = workspace.one_row(
        "SELECT m.toolkit_id FROM toolkit_members m JOIN apis a ON a.rowid = m.api_rowid"
        " WHERE a.id = ?",
        [api],
    )
    return None if row is None else ToolkitId(row[0])


def labels_by_rowid(workspace: Workspace) -> dict[int, ToolkitId]:
    """Toolkit of every API that has one, by API row id."""
    rows = workspace.reader().execute("SELECT api_rowid, toolkit_id FROM toolkit_members")
    return {row[0]: ToolkitId(row[1]) for row in rows}


def bump_toolkits_version(db: Database) -> None:
    """Count one change of the toolkits; inside a writer's transaction."""
    db.execute(
        "INSERT INTO settings(key, value) VALUES('toolkits_version', '1')"
        " ON CONFLICT(key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
    )


_UNUSABLE = (
    "SELECT api_rowid FROM excluded_apis UNION SELECT api_rowid FROM waiting_apis"
    " WHERE api_rowid IN (SELECT api_rowid FROM changed_documentation)"
)
"""The view `unusable_apis`. Asked of the view alone, SQLite goes through all APIs for those few
whose documentation has changed: 16 ms of 45,000, before each search."""


def excluded_rowids(workspace: Workspace) -> frozenset[int]:
    """Row ids of the APIs that no plan is offered."""
    rows = workspace.reader().execute(_UNUSABLE)
    return frozenset(row[0] for row in rows)


def excluded_ids(workspace: Workspace) -> frozenset[ApiId]:
    """Permanent ids of the APIs that no plan is offered."""
    rows = workspace.reader().execute(
        f"SELECT a.id FROM ({_UNUSABLE}) e JOIN apis a ON a.rowid = e.api_rowid"
    )
    return frozenset(ApiId(row[0]) for row in rows)


def plannable_toolkits(workspace: Workspace) -> list[Toolkit]:
    """The living toolkits but those whose every API is excluded, by name; `size` counts the APIs
    that may be used."""
    excluded = excluded_rowids(workspace)
    toolkits = list_toolkits(workspace)
    if not excluded:
        return toolkits
    owner = labels_by_rowid(workspace)
    lost: dict[ToolkitId, int] = {}
    for rowid in excluded:
        if rowid in owner:
            lost[owner[rowid]] = lost.get(owner[rowid], 0) + 1
    left = [replace(t, size=t.size - lost.get(t.id, 0)) for t in toolkits]
    return [toolkit for toolkit in left if toolkit.size or toolkit.id not in lost]


def plannable_labels(workspace: Workspace) -> dict[int, ToolkitId]:
    """The toolkit of every API that has one and may be used, by API row id."""
    labels = labels_by_rowid(workspace)
    for rowid in excluded_rowids(workspace):
        labels.pop(rowid, None)
    return labels


def plannable_members(workspace: Workspace, toolkit: ToolkitId) -> list[int]:
    """Row ids of the APIs of a toolkit that may be used, most central first."""
    excluded = excluded_rowids(workspace)
    return [rowid for rowid in member_rowids(workspace, toolkit) if rowid not in excluded]


class UsableMember(NamedTuple):
    """An API of a toolkit that may be used, and what its documentation says of its risk."""

    toolkit: ToolkitId
    api: ApiId
    risk: Risk
    doc_hash: str


def usable_members(workspace: Workspace, toolkits: Collection[ToolkitId]) -> list[UsableMember]:
    """All of some toolkits, without what else is known of them: quick also for large ones."""
    rows = workspace.reader().execute(
        "SELECT m.toolkit_id, a.id, a.risk, a.doc_hash FROM toolkit_members m"
        " JOIN apis a ON a.rowid = m.api_rowid"
        " WHERE m.toolkit_id IN (SELECT value FROM json_each(?))"
        f" AND m.api_rowid NOT IN ({_UNUSABLE})",
        [json.dumps([int(toolkit) for toolkit in toolkits])],
    )
    return [UsableMember(ToolkitId(k), ApiId(a), Risk(r), d) for k, a, r, d in rows]


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
