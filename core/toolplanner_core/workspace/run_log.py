"""The rows of a run's log: append a batch, read a stretch.

Rows are only ever added. A fork is a run whose first events are its parent's: they are read
through the parent (columns `runs.parent_run`, `runs.fork_seq`), never copied. Bodies come back
with the marks of `blobs.py` in the place of long texts, except for types that are asked for as a
whole: structure first, payload on demand.
"""

from collections.abc import Collection, Sequence
from concurrent.futures import Future
from typing import Any, Generic, NamedTuple, TypeVar

from sqlite_utils import Database

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.errors import NotFound
from toolplanner_core.words.window_places import SEE_RUNS
from toolplanner_core.workspace.blobs import Packed, put_packed, resolve
from toolplanner_core.workspace.rows import stored_json
from toolplanner_core.workspace.workspace import Workspace

E = TypeVar("E")
F = TypeVar("F")


class LogRow(NamedTuple, Generic[E]):
    """One event in its place in a log; a tuple, since a long run has tens of thousands of them.

    Attributes:
        seq: 1, 2, 3 ... per run, without gaps.
        wall_us: microseconds since 1970, UTC; 0 in heads.
        mono_ns: nanoseconds since the run began, monotonic.
        path: node the event belongs to; parent: that node's parent (None for the root, and in
            heads).
        cause: seq of the event that is the reason for this one.
        event: what it says: typed in a run (`runs/events`), `Packed` on its way to disk, a JSON
            object with marks for long texts as it is read, None in a head.
    """

    run: RunId
    seq: int
    wall_us: int
    mono_ns: int
    type: str
    path: NodePath
    parent: NodePath | None
    cause: int | None
    actor: str
    event: E

    def holding(self, event: F) -> "LogRow[F]":
        """The same place with the event in another form."""
        return LogRow(*self[:9], event)


StoredRow = LogRow[dict[str, Any]]
"""As read from disk; see `blobs.resolve` for its long texts."""
PackedRow = LogRow[Packed]
"""Ready to be stored."""
HeadRow = LogRow[None]
"""What a list of events needs of each before anybody has looked at it."""


class _Stretch(NamedTuple):
    run: int
    after: int
    upto: int


_LAST = 2**62
_COLUMNS = "seq, wall_us, mono_ns, type, path, parent, cause_seq, actor, body"


class EventWriter:
    """Queues batches of one run for the writer, in order; after one that failed none is stored, so
    the stored log has no gap."""

    def __init__(self, workspace: Workspace) -> None:
        self._writer = workspace.writer
        self.error: BaseException | None = None

    def submit(self, events: Sequence[PackedRow], *, durable: bool) -> "Future[None]":
        """Queue a batch as one transaction; any thread.

        Args:
            durable: survive a power loss, not only a killed process.

        Raises:
            WorkspaceError: the workspace is closed; from the future: it cannot be written.
        """

        def write(db: Database) -> None:
            if self.error is not None:
                raise self.error
            append_events(db, events)

        future = self._writer.submit(write, durable=durable)
        future.add_done_callback(self._note_failure)
        return future

    def _note_failure(self, done: "Future[None]") -> None:
        # Called on the writer's thread before its next job: no later batch can slip through.
        self.error = self.error or done.exception()


def append_events(db: Database, rows: Sequence[PackedRow]) -> None:
    """Add events; inside a writer's transaction. A repeated (run, seq) is an error."""
    put_packed(db, [row.event for row in rows])
    db.conn.executemany(
        "INSERT INTO events VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*row[:9], row.event.text) for row in rows],
    )


def read_records(
    workspace: Workspace,
    run: RunId,
    *,
    after_seq: int = 0,
    limit: int | None = None,
    everything: bool = False,
    whole: Collection[str] = (),
) -> list[StoredRow]:
    """Events of a run with seq > `after_seq`, in order; those of a fork's prefix included.

    Args:
        limit: at most so many rows; None = all.
        everything: with all long texts in the place of their marks, for exports.
        whole: types whose long texts stand in their place anyway.

    Raises:
        NotFound: no such run.
    """
    rows: list[StoredRow] = []
    for stretch in _stretches(workspace, run):
        left = -1 if limit is None else limit - len(rows)
        if left == 0:
            break
        rows += _read(
            workspace,
            run,
            f"SELECT {_COLUMNS} FROM events WHERE run_id = ? AND seq > ? AND seq <= ?"
            " ORDER BY seq LIMIT ?",
            [stretch.run, max(stretch.after, after_seq), stretch.upto, left],
            everything=everything,
            whole=whole,
        )
    return rows


def read_heads(workspace: Workspace, run: RunId) -> list[HeadRow]:
    """All events of a run in order, without their bodies: a tenth of the time of `read_records`.

    Raises:
        NotFound: no such run.
    """
    connection = workspace.reader().conn
    return [
        LogRow(run, row[0], 0, row[1], row[2], NodePath(row[3]), None, row[4], row[5], None)
        for stretch in _stretches(workspace, run)
        for row in connection.execute(
            "SELECT seq, mono_ns, type, path, cause_seq, actor FROM events"
            " WHERE run_id = ? AND seq > ? AND seq <= ? ORDER BY seq",
            [stretch.run, stretch.after, stretch.upto],
        )
    ]


def read_node(workspace: Workspace, run: RunId, path: NodePath) -> list[StoredRow]:
    """The events of one node (not of those below it), with all texts, for the inspector.

    Raises:
        NotFound: no such run.
    """
    rows: list[StoredRow] = []
    for stretch in _stretches(workspace, run):
        rows += _read(
            workspace,
            run,
            f"SELECT {_COLUMNS} FROM events WHERE run_id = ? AND path = ? AND seq > ? AND seq <= ?"
            " ORDER BY seq",
            [stretch.run, path, stretch.after, stretch.upto],
            everything=True,
        )
    return rows


def last_seq(workspace: Workspace, run: RunId) -> int:
    """Number of the last stored event of a run, 0 if there is none."""
    row = workspace.one_row("SELECT max(seq) FROM events WHERE run_id = ?", [run])
    return int(row[0] or 0)


def _stretches(workspace: Workspace, run: RunId) -> list[_Stretch]:
    """Which rows of which runs make up a run, oldest ancestor first."""
    found: list[_Stretch] = []
    current: int | None = run
    upto = _LAST
    while current is not None:
        row = workspace.one_row("SELECT parent_run, fork_seq FROM runs WHERE id = ?", [current])
        if row is None:
            raise NotFound(f"There is no run {current}", todo=SEE_RUNS)
        parent, fork_seq = row
        after = min(int(fork_seq or 0), upto) if parent is not None else 0
        found.append(_Stretch(current, after, upto))
        current, upto = parent, after
    return found[::-1]


def _read(
    workspace: Workspace,
    run: RunId,
    statement: str,
    arguments: list[Any],
    *,
    everything: bool = False,
    whole: Collection[str] = (),
) -> list[StoredRow]:
    stored = workspace.reader().conn.execute(statement, arguments).fetchall()
    # One call of the parser for all bodies: half the time of a call for each.
    bodies: list[dict[str, Any]] = stored_json(f"[{','.join(row[8] for row in stored)}]")
    rows: list[StoredRow] = []
    for row, stored_body in zip(stored, bodies, strict=True):
        body = stored_body
        if (everything or row[3] in whole) and '"$' in row[8]:
            body = resolve(workspace, body)
        rows.append(LogRow._make((run, *row[:8], body)))
    return rows
