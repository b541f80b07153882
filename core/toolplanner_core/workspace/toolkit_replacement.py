"""Make the toolkits anew from a clustering, in one transaction.

Ids are permanent: a group that is mostly the same as an old toolkit keeps its id, the other old
ones are retired (kept for the runs that used them).
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.curated_tables import put_region_of
from toolplanner_core.workspace.point_sets import StoredClustering, put_clustering
from toolplanner_core.workspace.settings import put_setting
from toolplanner_core.workspace.toolkits import bump_toolkits_version, labels_by_rowid
from toolplanner_core.workspace.workspace import Workspace

_RULE = Author.RULE.value


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitToWrite:
    """A toolkit to be written.

    Attributes:
        id: the old toolkit that it continues, None for a new one.
        members: row ids of APIs.
        centrality: cosine of each member to the toolkit's centroid.
    """

    id: ToolkitId | None
    name: str
    description: str
    members: Sequence[int]
    centrality: Sequence[float]


def is_curated(workspace: Workspace) -> bool:
    """Whether a person has decided anything about toolkits, so that none may be replaced."""
    return bool(_protected(workspace.reader()))


def check_no_toolkit_is_protected(workspace: Workspace) -> None:
    """Whether toolkits may be replaced.

    Raises:
        BadInput: a person has pinned or edited some; they are never overwritten by a machine.
    """
    _check_protected(workspace.reader())


def members_by_toolkit(workspace: Workspace) -> dict[ToolkitId, set[int]]:
    """Row ids of the APIs of each living toolkit."""
    members: dict[ToolkitId, set[int]] = {}
    for rowid, toolkit in labels_by_rowid(workspace).items():
        members.setdefault(toolkit, set()).add(rowid)
    return members


def replace_toolkits(
    workspace: Workspace, toolkits: Sequence[ToolkitToWrite], *, clustering: StoredClustering
) -> int:
    """Put these in the place of all living toolkits; waits until it is on disk.

    Args:
        toolkits: no API is a member of two of them.
        clustering: what they were made from; stored too, unless it has an id, and made active.

    Returns:
        The row of the clustering.

    Raises:
        BadInput: a person has pinned or edited a toolkit; nothing was changed.
    """

    def work(db: Database) -> int:
        _check_protected(db)
        _forget_placing(db)
        row = clustering.id or put_clustering(db, clustering)
        _write(db, toolkits, row)
        put_setting(db, "active_clustering", row)
        bump_toolkits_version(db)
        return row

    return workspace.writer.run(work)


def _protected(db: Database) -> str:
    """What a person has decided, for people; "" for nothing.

    Undone edits count: their toolkits must be there when they are made again.
    """
    rows = db.execute(
        "SELECT name FROM toolkits t WHERE retired_us IS NULL AND (pinned OR name_author = 'person'"
        " OR description_author = 'person' OR EXISTS (SELECT 1 FROM toolkit_members m"
        " WHERE m.toolkit_id = t.id AND m.pinned)) ORDER BY name"
    )
    names = [row[0] for row in rows]
    if names:
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return f"These are “{names[0]}”{others}"
    edits = db.execute("SELECT count(*) FROM edits WHERE actor = 'person'").fetchone()[0]
    if edits:
        return f"There {'is' if edits == 1 else 'are'} {counted(edits, 'edit')} in the history"
    if db.execute("SELECT 1 FROM snapshots LIMIT 1").fetchone() is not None:
        return "There are snapshots of the toolkits"
    return ""


def _check_protected(db: Database) -> None:
    why = _protected(db)
    if why:
        raise BadInput(
            "Clustering again would replace toolkits that a person pinned or edited",
            why=why,
            todo="Let it make a proposal instead, or cluster in a copy of the workspace",
        )


def _forget_placing(db: Database) -> None:
    """Edits made by rule put new APIs into toolkits that are replaced now."""
    for table in ("edit_redo", "edits", "placed_apis"):
        db.execute(f"DELETE FROM {table}")
    put_setting(db, "history_head", 0)


def _write(db: Database, toolkits: Sequence[ToolkitToWrite], clustering: int) -> None:
    now_us = time.time_ns() // 1000
    region_of_api = dict(
        db.execute(
            "SELECT m.api_rowid, r.region_id FROM toolkit_members m"
            " JOIN region_toolkits r ON r.toolkit_id = m.toolkit_id"
        ).fetchall()
    )
    db.execute("DELETE FROM toolkit_members")
    db.execute("UPDATE toolkits SET retired_us = ? WHERE retired_us IS NULL", [now_us])
    members: list[tuple[int, int, float]] = []
    regions: list[tuple[ToolkitId, RegionId]] = []
    for toolkit in toolkits:
        row = db.execute(
            "INSERT INTO toolkits(id, name, description, name_author, description_author,"
            " clustering, created_us) VALUES(?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT(id) DO UPDATE SET name = excluded.name,"
            " description = excluded.description, name_author = excluded.name_author,"
            " description_author = excluded.description_author, is_description_old = 0,"
            " proposed_name = '',"
            " clustering = excluded.clustering, retired_us = NULL RETURNING id",
            [toolkit.id, toolkit.name, toolkit.description, _RULE, _RULE, clustering, now_us],
        ).fetchone()
        came = Counter(region_of_api[m] for m in toolkit.members if m in region_of_api)
        regions += [(ToolkitId(row[0]), region) for region, _ in came.most_common(1)]
        members.extend(
            (int(member), row[0], float(centrality))
            for member, centrality in zip(toolkit.members, toolkit.centrality, strict=True)
        )
    db.conn.executemany(
        "INSERT INTO toolkit_members(api_rowid, toolkit_id, centrality) VALUES(?, ?, ?)", members
    )
    put_region_of(db, regions)
