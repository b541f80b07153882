"""The whole curated state, table by table: 45,000 members in about 50 ms.

Callers: `curation/curated_state.py`, `curation/constraints.py`, exports.
"""

from sqlite_utils import Database

from toolplanner_core.domain.curated import LinkKind, Membership, Pair, ToolkitFields
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace.curated_tables import toolkit_fields


def all_toolkits(db: Database, *, retired: bool = False) -> dict[ToolkitId, ToolkitFields]:
    """All living toolkits, or all that do not live any more."""
    rows = db.execute(
        "SELECT name, description, note, name_author, description_author, pinned, id"
        " FROM toolkits WHERE (retired_us IS NOT NULL) = ? ORDER BY id",
        [retired],
    )
    return {ToolkitId(row[6]): toolkit_fields(row) for row in rows}


def all_memberships(db: Database) -> dict[int, Membership]:
    """The toolkit of every API that has one, by API row id."""
    rows = db.execute(
        "SELECT api_rowid, toolkit_id, pinned FROM toolkit_members ORDER BY api_rowid"
    )
    return {rowid: Membership(ToolkitId(toolkit), bool(pin)) for rowid, toolkit, pin in rows}


def all_exclusions(db: Database) -> dict[int, str]:
    """The reason of every excluded API."""
    return dict(db.execute("SELECT api_rowid, reason FROM excluded_apis").fetchall())


def all_links(db: Database) -> dict[Pair, LinkKind]:
    """All links between APIs."""
    return {(a, b): LinkKind(kind) for a, b, kind in db.execute("SELECT a, b, kind FROM api_links")}


def all_rowids(db: Database) -> list[int]:
    """Row ids of all APIs."""
    return [row[0] for row in db.execute("SELECT rowid FROM apis")]
