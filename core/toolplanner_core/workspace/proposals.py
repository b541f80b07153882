"""What a machine would change, stored until a person has answered every part of it.

A part that was accepted waits again while its edit is undone or reverted, and is accepted again by
a redo: the answer is read together with the history.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.words.window_places import SEE_PROPOSALS
from toolplanner_core.workspace.rows import (
    as_stored,
    insert,
    of_its_form,
    read_one,
    read_rows,
    stored_json,
)
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedItem:
    """One part of a proposal; parts are independent of each other.

    Attributes:
        position: its number within the proposal, 0, 1 ...
        kind: "move", "merge", "split", "new" or "leave"; "text" changes what a toolkit is called,
            "API text" what is said of an API (`description`).
        label: for people, in the imperative.
        rowids: the APIs that it would move.
        target: the toolkit they would go to; None for a new one, or for none at all ("leave").
        name, description: of the new toolkit, or of the one whose texts change; "" else.
        sources: the toolkits that they are in now.
        verdict: "accepted", "rejected", or "" while it waits.
        left_out: APIs that a person took out of it.
        is_told: whether a person wrote its name or description.
    """

    position: int
    kind: str
    label: str
    rowids: tuple[int, ...]
    target: ToolkitId | None = None
    name: str = ""
    description: str = ""
    sources: tuple[ToolkitId, ...] = ()
    verdict: str = ""
    left_out: tuple[int, ...] = ()
    is_told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposal without its parts.

    Attributes:
        head: the edit that it was made on; 0 before the first.
        about: method, options and figures.
        made_us: microseconds since 1970.
        waiting: parts without a verdict.
    """

    id: int
    kind: str
    title: str
    head: EditId
    about: Mapping[str, Any]
    made_us: int
    items: int
    waiting: int


def put_proposal(
    db: Database,
    *,
    kind: str,
    title: str,
    head: EditId,
    about: Mapping[str, Any],
    items: Sequence[ProposedItem],
) -> int:
    """Store one with its parts, and close older ones of its kind; inside a writer's transaction."""
    now_us = time.time_ns() // 1000
    db.execute(
        "UPDATE proposals SET closed_us = ? WHERE kind = ? AND closed_us IS NULL", [now_us, kind]
    )
    row = {"kind": kind, "title": title, "head": head, "about": about, "made_us": now_us}
    number = insert(db, "proposals", row)
    db.conn.executemany(
        "INSERT INTO proposal_items(proposal, position, kind, label, body) VALUES(?, ?, ?, ?, ?)",
        [(number, item.position, item.kind, item.label, as_stored(item)) for item in items],
    )
    return number


def open_proposals(workspace: Workspace) -> list[Proposal]:
    """Those that still wait for an answer, the newest first."""
    return read_rows(workspace.reader(), Proposal, f"{_SELECT} {_OPEN}")


def load_proposal(workspace: Workspace, proposal: int) -> Proposal:
    """One, open or closed.

    Raises:
        NotFound: there is none with this number.
    """
    missing, todo = f"There is no proposal {proposal}", SEE_PROPOSALS
    sql = f"{_SELECT} WHERE p.id = ?"
    return read_one(workspace.reader(), Proposal, sql, [proposal], missing=missing, todo=todo)


def load_items(workspace: Workspace, proposal: int) -> list[ProposedItem]:
    """The parts of a proposal in order."""
    rows = workspace.reader().execute(
        f"{_COUNTING} SELECT i.body, i.position, i.kind, i.label,"
        f" CASE WHEN {_WAITS} THEN '' ELSE i.verdict END"
        " FROM proposal_items i WHERE i.proposal = ? ORDER BY i.position",
        [proposal],
    )
    columns = ("position", "kind", "label", "verdict")
    with of_its_form("a proposal"):
        return [
            from_plain(ProposedItem, stored_json(body) | dict(zip(columns, values, strict=True)))
            for body, *values in rows
        ]


def change_part(db: Database, proposal: int, item: ProposedItem) -> None:
    """Write a part anew as a person wants it; inside a writer's transaction."""
    db.execute(
        "UPDATE proposal_items SET kind = ?, label = ?, body = ?"
        " WHERE proposal = ? AND position = ?",
        [item.kind, item.label, as_stored(item), proposal, item.position],
    )


def put_verdicts(
    db: Database, proposal: int, positions: Sequence[int], verdict: str, edit: EditId | None
) -> None:
    """Answer parts of a proposal, and close it when none waits; inside a writer's transaction."""
    db.conn.executemany(
        "UPDATE proposal_items SET verdict = ?, edit = ? WHERE proposal = ? AND position = ?",
        [(verdict, edit, proposal, position) for position in positions],
    )
    db.execute(
        "UPDATE proposals SET closed_us = ? WHERE id = ? AND NOT EXISTS"
        " (SELECT 1 FROM proposal_items WHERE proposal = ? AND verdict = '')",
        [time.time_ns() // 1000, proposal, proposal],
    )


_COUNTING = """
WITH RECURSIVE line(id) AS (
  SELECT CAST(value AS INTEGER) FROM settings WHERE key = 'history_head'
  UNION ALL
  SELECT e.parent FROM edits e JOIN line ON e.id = line.id WHERE e.parent IS NOT NULL
), counting(id) AS (
  SELECT id FROM line
  EXCEPT
  SELECT json_extract(e.asked, '$.edit') FROM edits e JOIN line ON e.id = line.id
  WHERE e.kind = 'revert'
)
"""
"""The edits that are neither undone nor reverted."""
_WAITS = "(i.verdict = '' OR i.edit NOT IN (SELECT id FROM counting))"
_SELECT = f"""
{_COUNTING}
SELECT p.id, p.kind, p.title, p.head, p.about, p.made_us,
       (SELECT count(*) FROM proposal_items i WHERE i.proposal = p.id) AS items,
       (SELECT count(*) FROM proposal_items i WHERE i.proposal = p.id AND {_WAITS}) AS waiting
FROM proposals p
"""
_OPEN = """
WHERE p.closed_us IS NULL OR (
  waiting > 0 AND NOT EXISTS (SELECT 1 FROM proposals n WHERE n.kind = p.kind AND n.id > p.id)
)
ORDER BY p.id DESC
"""
