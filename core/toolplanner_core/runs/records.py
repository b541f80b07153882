"""Stored rows as records with typed events."""

from collections.abc import Iterable, Iterator

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs import events
from toolplanner_core.runs.events.event import Record, all_event_types, event_from_body
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import LogRow, StoredRow, read_records

_CHUNK = 2000
assert events.__all__, "the package enters all event types"
_WHOLE = frozenset(name for name, cls in all_event_types().items() if cls.is_whole)


def typed(rows: Iterable[StoredRow]) -> list[Record]:
    """Rows as records; marks of long texts stand where the texts were (see `blobs.resolve`)."""
    make = LogRow._make
    return [make((*row[:9], event_from_body(row.type, row.event))) for row in rows]


def read_typed(workspace: Workspace, run: RunId, *, after: int = 0, limit: int) -> list[Record]:
    """A stretch of a run; what the tree shows with all its texts.

    Raises:
        NotFound: no such run.
    """
    return typed(read_records(workspace, run, after_seq=after, limit=limit, whole=_WHOLE))


def iter_run(workspace: Workspace, run_id: RunId) -> Iterator[list[Record]]:
    """All records of a run in order, in chunks: a long run is never in memory as a whole.

    Raises:
        NotFound: no such run.
    """
    after = 0
    while records := read_typed(workspace, run_id, after=after, limit=_CHUNK):
        yield records
        after = records[-1].seq


def read_run(workspace: Workspace, run_id: RunId) -> list[Record]:
    """All records of a run in order.

    Raises:
        NotFound: no such run.
    """
    return [record for chunk in iter_run(workspace, run_id) for record in chunk]
