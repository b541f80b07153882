"""The curated state in its tables: read inside a transaction, in parts or whole, and written.

The whole state takes about 50 ms for 45,000 members.

Regions in their tables: which there are, and which toolkits belong to them.
"""

import hashlib
import time
from collections.abc import Iterable, Mapping
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.curated import (
    Changes,
    Functionality,
    LinkKind,
    Membership,
    Pair,
    RegionFields,
    ToolkitFields,
)
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace.rows import dump, read_keyed, read_row
from toolplanner_core.workspace.toolkit_centroids import refresh_centrality
from toolplanner_core.workspace.toolkits import bump_toolkits_version


def all_regions(db: Database) -> dict[RegionId, RegionFields]:
    """The living regions by id."""
    sql = "SELECT * FROM regions WHERE retired_us IS NULL ORDER BY id"
    return read_keyed(db, RegionFields, sql)


def all_region_of(db: Database) -> dict[ToolkitId, RegionId]:
    """The region of every toolkit that has one, toolkits that ended included."""
    rows = db.execute(
        "SELECT toolkit_id, region_id FROM region_toolkits JOIN regions r ON r.id = region_id"
        " WHERE r.retired_us IS NULL ORDER BY toolkit_id"
    )
    return {ToolkitId(toolkit): RegionId(region) for toolkit, region in rows}


def next_region(db: Database) -> RegionId:
    """The id that the next new region gets; never used before."""
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'regions'").fetchone()
    return RegionId(1 if row is None else row[0] + 1)


def write_regions(
    db: Database,
    regions: Mapping[RegionId, Mapping[str, Any]],
    region_of: Mapping[ToolkitId, RegionId | None],
) -> None:
    """Write values by region and field name (`RegionFields` and "is_living"), and where toolkits
    belong; inside a writer's transaction."""
    now_us = time.time_ns() // 1000
    for region, fields in regions.items():
        values = dict(fields)
        if "is_living" in values:
            retired = None if values.pop("is_living") else now_us
            db.execute(
                "INSERT INTO regions(id, name, name_author, colour, retired_us)"
                " VALUES(:id, '', 'rule', 0, :retired)"
                " ON CONFLICT(id) DO UPDATE SET retired_us = excluded.retired_us",
                {"id": region, "retired": retired},
            )
        if values:
            columns = ", ".join(f"{column} = ?" for column in values)
            db.execute(f"UPDATE regions SET {columns} WHERE id = ?", [*values.values(), region])
    put_region_of(db, region_of.items())


def put_region_of(db: Database, region_of: Iterable[tuple[ToolkitId, RegionId | None]]) -> None:
    """Put toolkits into regions; None takes them out."""
    rows = list(region_of)
    db.conn.executemany("DELETE FROM region_toolkits WHERE toolkit_id = ?", [(t,) for t, _ in rows])
    db.conn.executemany(
        "INSERT INTO region_toolkits(toolkit_id, region_id) VALUES(?, ?)",
        [(toolkit, region) for toolkit, region in rows if region is not None],
    )


_COLUMN = {name: name for name in ToolkitFields.__slots__} | {"is_pinned": "pinned"}


class CuratedTables:
    """`CuratedView` of a database; implements the protocol of `domain/curated.py`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def toolkit(self, toolkit: ToolkitId) -> ToolkitFields | None:
        """A living toolkit; None if there is none with this id."""
        return self._fields(toolkit, "retired_us IS NULL")

    def retired(self, toolkit: ToolkitId) -> ToolkitFields | None:
        """A toolkit that does not live any more, as it was last."""
        return self._fields(toolkit, "retired_us IS NOT NULL")

    def _fields(self, toolkit: ToolkitId, condition: str) -> ToolkitFields | None:
        sql = f"SELECT *, pinned AS is_pinned FROM toolkits WHERE id = ? AND {condition}"
        return read_row(self._db, ToolkitFields, sql, [toolkit])

    def members(self, toolkit: ToolkitId) -> Mapping[int, bool]:
        """Row ids of the APIs of a toolkit, with whether each is pinned; ascending."""
        rows = self._db.execute(
            "SELECT api_rowid, pinned FROM toolkit_members WHERE toolkit_id = ? ORDER BY api_rowid",
            [toolkit],
        )
        return {rowid: bool(pinned) for rowid, pinned in rows}

    def memberships(self, rowids: Iterable[int]) -> Mapping[int, Membership]:
        """Where these APIs belong; those without a toolkit are missing."""
        rows = self._db.execute(
            "SELECT m.api_rowid, m.toolkit_id, m.pinned FROM json_each(?) j"
            " CROSS JOIN toolkit_members m ON m.api_rowid = j.value",
            [dump(list(rowids))],
        )
        return {rowid: Membership(ToolkitId(toolkit), bool(pin)) for rowid, toolkit, pin in rows}

    def exclusions(self, rowids: Iterable[int]) -> Mapping[int, str]:
        """The reasons of those that are excluded."""
        rows = self._db.execute(
            "SELECT e.api_rowid, e.reason FROM json_each(?) j"
            " CROSS JOIN excluded_apis e ON e.api_rowid = j.value",
            [dump(list(rowids))],
        )
        return dict(rows.fetchall())

    def acceptances(self, rowids: Iterable[int]) -> Mapping[int, str]:
        """The hashes of documentation that was accepted."""
        rows = self._db.execute(
            "SELECT y.api_rowid, y.doc_hash FROM json_each(?) j"
            " CROSS JOIN accepted_documentation y ON y.api_rowid = j.value",
            [dump(list(rowids))],
        )
        return dict(rows.fetchall())

    def links(self, pairs: Iterable[Pair]) -> Mapping[Pair, LinkKind]:
        """Those pairs that are linked."""
        found: dict[Pair, LinkKind] = {}
        for a, b in pairs:
            row = self._db.execute(
                "SELECT kind FROM api_links WHERE a = ? AND b = ?", [a, b]
            ).fetchone()
            if row is not None:
                found[a, b] = LinkKind(row[0])
        return found

    def region(self, region: RegionId) -> RegionFields | None:
        """A living region; None if there is none with this id."""
        sql = "SELECT * FROM regions WHERE id = ? AND retired_us IS NULL"
        return read_row(self._db, RegionFields, sql, [region])

    def regions_of(self, toolkits: Iterable[ToolkitId]) -> Mapping[ToolkitId, RegionId]:
        """The regions of toolkits; those without one are missing."""
        rows = self._db.execute(
            "SELECT r.toolkit_id, r.region_id FROM json_each(?) j"
            " CROSS JOIN region_toolkits r ON r.toolkit_id = j.value",
            [dump([int(toolkit) for toolkit in toolkits])],
        )
        return {ToolkitId(toolkit): RegionId(region) for toolkit, region in rows}

    def toolkits_in(self, region: RegionId) -> list[ToolkitId]:
        """The toolkits of a region, those that ended included; ascending."""
        sql = "SELECT toolkit_id FROM region_toolkits WHERE region_id = ? ORDER BY toolkit_id"
        return [ToolkitId(row[0]) for row in self._db.execute(sql, [region])]

    def texts(self, rowids: Iterable[int]) -> Mapping[int, Functionality]:
        """The texts of these APIs."""
        rows = self._db.execute(
            "SELECT a.rowid, a.functionality, a.functionality_author FROM json_each(?) j"
            " CROSS JOIN apis a ON a.rowid = j.value",
            [dump(list(rowids))],
        )
        return {rowid: Functionality(text, Author(author)) for rowid, text, author in rows}

    def unknown(self, rowids: Iterable[int]) -> list[int]:
        """Those that are no APIs of the catalogue."""
        rows = self._db.execute(
            "SELECT j.value FROM json_each(?) j WHERE NOT EXISTS"
            " (SELECT 1 FROM apis a WHERE a.rowid = j.value)",
            [dump(list(rowids))],
        )
        return [row[0] for row in rows]

    def next_toolkit(self) -> ToolkitId:
        """The id that the next new toolkit gets; never used before."""
        row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'toolkits'").fetchone()
        return ToolkitId(1 if row is None else row[0] + 1)


def write_changes(db: Database, changes: Changes) -> None:
    """Write values into the tables; inside a writer's transaction.

    Centralities of the toolkits whose members changed are computed again, and the version of the
    toolkits counts one up.
    """
    touched = _regrouped(CuratedTables(db).memberships(changes.members), changes.members)
    now_us = time.time_ns() // 1000
    # A toolkit ends when its members have gone elsewhere, and begins before others come.
    for is_living in (True, False):
        for toolkit, fields in changes.all_fields.items():
            if bool(fields.get("is_living", True)) is is_living:
                _write_toolkit(db, toolkit, fields, now_us)
        if is_living:
            _write_members(db, changes.members)
    for table, column, values in (
        ("excluded_apis", "reason", changes.excluded),
        ("accepted_documentation", "doc_hash", changes.accepted),
    ):
        db.conn.executemany(f"DELETE FROM {table} WHERE api_rowid = ?", [(r,) for r in values])
        db.conn.executemany(
            f"INSERT INTO {table}(api_rowid, {column}) VALUES(?, ?)",
            [(r, text) for r, text in values.items() if text is not None],
        )
    db.conn.executemany("DELETE FROM api_links WHERE a = ? AND b = ?", list(changes.links))
    db.conn.executemany(
        "INSERT INTO api_links(a, b, kind) VALUES(?, ?, ?)",
        [(a, b, kind.value) for (a, b), kind in changes.links.items() if kind is not None],
    )
    write_regions(db, changes.regions, changes.region_of)
    if changes.texts:
        _write_texts(db, changes.texts)
        touched |= {m.toolkit for m in CuratedTables(db).memberships(changes.texts).values()}
    refresh_centrality(db, touched)
    bump_toolkits_version(db)


def _regrouped(
    before: Mapping[int, Membership], after: Mapping[int, Membership | None]
) -> set[ToolkitId]:
    """The toolkits that lose or gain members."""
    touched: set[ToolkitId] = set()
    for rowid, new in after.items():
        old = before.get(rowid)
        if old is None or new is None or old.toolkit != new.toolkit:
            touched |= {m.toolkit for m in (old, new) if m is not None}
    return touched


def _write_toolkit(
    db: Database, toolkit: ToolkitId, fields: Mapping[str, Any], now_us: int
) -> None:
    if "is_living" in fields:
        db.execute(
            "INSERT INTO toolkits(id, name, description, name_author, description_author,"
            " created_us, retired_us) VALUES(:id, '', '', 'rule', 'rule', :now, :retired)"
            " ON CONFLICT(id) DO UPDATE SET retired_us = excluded.retired_us",
            {"id": toolkit, "now": now_us, "retired": None if fields["is_living"] else now_us},
        )
    values = {_COLUMN[name]: value for name, value in fields.items() if name in _COLUMN}
    if values:
        columns = ", ".join(f"{column} = ?" for column in values)
        db.execute(f"UPDATE toolkits SET {columns} WHERE id = ?", [*values.values(), toolkit])


def _write_members(db: Database, members: Mapping[int, Membership | None]) -> None:
    db.conn.executemany(
        "DELETE FROM toolkit_members WHERE api_rowid = ?",
        [(rowid,) for rowid, value in members.items() if value is None],
    )
    db.conn.executemany(
        "INSERT INTO toolkit_members(api_rowid, toolkit_id, pinned) VALUES(?, ?, ?)"
        " ON CONFLICT(api_rowid) DO UPDATE SET toolkit_id = excluded.toolkit_id,"
        " pinned = excluded.pinned",
        [
            (rowid, value.toolkit, value.is_pinned)
            for rowid, value in members.items()
            if value is not None
        ],
    )


def _write_texts(db: Database, texts: Mapping[int, Functionality | None]) -> None:
    """Their vectors are found by the hash of the text: an old text has its own still."""
    db.conn.executemany(
        "UPDATE apis SET functionality = ?, functionality_author = ?, text_hash = ?"
        " WHERE rowid = ?",
        [
            (told.text, told.author, hashlib.sha256(told.text.encode()).hexdigest(), rowid)
            for rowid, told in texts.items()
            if told is not None
        ],
    )


def all_model_texts(db: Database) -> dict[int, Functionality]:
    """The texts of APIs that are not by rule."""
    rows = db.execute(
        "SELECT rowid, functionality, functionality_author FROM apis"
        " WHERE functionality_author != 'rule'"
    )
    return {rowid: Functionality(text, Author(author)) for rowid, text, author in rows}


def all_toolkits(db: Database, *, retired: bool = False) -> dict[ToolkitId, ToolkitFields]:
    """The living toolkits, or those that do not live any more, by id."""
    sql = "SELECT *, pinned AS is_pinned FROM toolkits WHERE (retired_us IS NOT NULL) = ?"
    return read_keyed(db, ToolkitFields, f"{sql} ORDER BY id", [retired])


def all_names(db: Database) -> dict[ToolkitId, str]:
    """The names of the living toolkits."""
    rows = db.execute("SELECT id, name FROM toolkits WHERE retired_us IS NULL ORDER BY id")
    return {ToolkitId(toolkit): name for toolkit, name in rows}


def all_proposed_names(db: Database) -> dict[ToolkitId, str]:
    """The names that the rule proposes for living toolkits."""
    rows = db.execute(
        "SELECT id, proposed_name FROM toolkits"
        " WHERE retired_us IS NULL AND proposed_name != '' ORDER BY id"
    )
    return {ToolkitId(toolkit): name for toolkit, name in rows}


def all_memberships(db: Database) -> dict[int, Membership]:
    """The toolkit of every API that has one, by API row id."""
    rows = db.execute(
        "SELECT api_rowid, toolkit_id, pinned FROM toolkit_members ORDER BY api_rowid"
    )
    return {rowid: Membership(ToolkitId(toolkit), bool(pin)) for rowid, toolkit, pin in rows}


def all_exclusions(db: Database) -> dict[int, str]:
    """The reason of every excluded API."""
    return dict(db.execute("SELECT api_rowid, reason FROM excluded_apis").fetchall())


def all_accepted_documentation(db: Database) -> dict[int, str]:
    """The hash of every documentation that was accepted, by API row id."""
    return dict(db.execute("SELECT api_rowid, doc_hash FROM accepted_documentation").fetchall())


def all_links(db: Database) -> dict[Pair, LinkKind]:
    """All links between APIs."""
    return {(a, b): LinkKind(kind) for a, b, kind in db.execute("SELECT a, b, kind FROM api_links")}


def all_rowids(db: Database) -> list[int]:
    """Row ids of all APIs."""
    return [row[0] for row in db.execute("SELECT rowid FROM apis")]


def some_rowids(db: Database, most: int) -> list[int]:
    """Row ids of evenly chosen APIs, about so many, ascending; the same ones as long as no APIs
    come."""
    (newest,) = db.execute("SELECT max(rowid) FROM apis").fetchone()
    every = max(1, (newest or 0) // most)
    return [row[0] for row in db.execute("SELECT rowid FROM apis WHERE rowid % ? = 0", [every])]
