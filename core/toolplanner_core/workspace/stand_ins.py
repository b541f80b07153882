"""Which APIs answered in the place of others in experiments, kept for the review, by experiment.

APIs are known by their keys, so that what was seen holds after another import; an experiment that
is sent again replaces what it said before.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from sqlite_utils import Database

from toolplanner_core.workspace.settings import put_setting, read_setting
from toolplanner_core.workspace.workspace import Workspace

_SETTING = "stand_ins"


class SeenStandIn(NamedTuple):
    """Keys of two APIs: one failed, the other was tried in its place and served so many times."""

    failed: str
    tried_instead: str
    served: int
    tried: int


class StandInCount(NamedTuple):
    """How often either of two APIs was tried where the other one had failed, and served."""

    served: int
    tried: int


def keep_stand_ins(workspace: Workspace, experiment: str, seen: Iterable[SeenStandIn]) -> None:
    """Keep what an experiment says, in the place of what it said before; durable."""
    rows = [list(each) for each in seen]

    def work(db: Database) -> None:
        kept = dict(_kept(db))
        kept[experiment] = rows
        put_setting(db, _SETTING, kept)

    workspace.writer.run(work, durable=True)


def stand_in_counts(workspace: Workspace) -> dict[tuple[int, int], StandInCount]:
    """Of all experiments together, by both row ids, the smaller first; APIs that are no longer in
    the catalogue are left out."""
    with workspace.snapshot() as db:
        seen = [
            row for rows in _kept(db).values() if isinstance(rows, list) for row in _readable(rows)
        ]
        keys = sorted({key for each in seen for key in each[:2]})
        rowids = _rowids(db, keys)
    served: Counter[tuple[int, int]] = Counter()
    tried: Counter[tuple[int, int]] = Counter()
    for each in seen:
        ends = sorted(rowids[key] for key in each[:2] if key in rowids)
        if len(set(ends)) == 2:
            pair = ends[0], ends[1]
            served[pair] += each.served
            tried[pair] += each.tried
    return {pair: StandInCount(served[pair], tried[pair]) for pair in sorted(tried)}


def _kept(db: Database) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", read_setting(db, _SETTING, {}))


def _readable(rows: list[Any]) -> Iterable[SeenStandIn]:
    """What a workspace of others holds here may be anything."""
    for row in rows:
        match row:
            case [str(failed), str(other), int(served), int(tried)] if 0 <= served <= tried:
                yield SeenStandIn(failed, other, served, tried)
            case _:
                continue


def _rowids(db: Database, keys: list[str]) -> dict[str, int]:
    sql = "SELECT key, rowid FROM apis WHERE key IN (SELECT value FROM json_each(?))"
    return dict(db.execute(sql, [json.dumps(keys)]).fetchall())
