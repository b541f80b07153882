"""Stored rows as records with typed events.

Callers: `reading.py`, `interrupted.py`, `cases.py`.
"""

from collections.abc import Iterable, Iterator

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.events import call, debug, decision, fork, node, question, run
from toolplanner_core.runs.events.event import Actor, Record, event_from_body
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import EventRow, read_records

EVENT_FAMILIES = (call, debug, decision, fork, node, question, run)
"""Importing them enters all types in the closed list before the first row is read."""

_CHUNK = 2000
_ACTORS = {str(actor): actor for actor in Actor}


def typed(rows: Iterable[EventRow]) -> list[Record]:
    """Rows as records; marks of long texts stand where the texts were (see `blobs.resolve`)."""
    return [
        Record(*row[:4], *row[5:8], _ACTORS[row.actor], event_from_body(row.type, row.body))
        for row in rows
    ]


def iter_run(workspace: Workspace, run_id: RunId) -> Iterator[list[Record]]:
    """All records of a run in order, in chunks: a long run is never in memory as a whole.

    Raises:
        NotFound: no such run.
    """
    after = 0
    while rows := read_records(workspace, run_id, after_seq=after, limit=_CHUNK):
        yield typed(rows)
        after = rows[-1].seq


def read_run(workspace: Workspace, run_id: RunId) -> list[Record]:
    """All records of a run in order.

    Raises:
        NotFound: no such run.
    """
    return [record for chunk in iter_run(workspace, run_id) for record in chunk]
