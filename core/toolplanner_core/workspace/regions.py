"""Regions in their tables: which there are, and which toolkits belong to them."""

import time
from collections.abc import Iterable, Mapping
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.curated import RegionFields
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.workspace.rows import read_keyed


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
