"""The connections of a workspace: one writing thread, a read-only connection per reading thread,
and what SQLite's errors mean.

A connection of ours that is left open keeps the write-ahead log beside the file, and once the file
is renamed it shares its memory with every later connection of this process, but of no other: two
programs would then write without seeing each other.

Work is a function of a `Database`; each runs in a transaction of its own, in the order of
submission, and sees what other processes wrote before it. Readers never wait for it (WAL). The
caller gets a future: waiting on it means "it is on disk", at first in SQLite's write-ahead log
beside the file. Whenever nothing was written for a moment the log is folded into the file, so that
the file alone, copied or mailed, holds everything. Nothing is written once the file is not where
it was: it would go to where nobody looks for it.

The writer explains what SQLite says as it happens; readers let it through, from wherever they are
asked. Whoever would take it for somebody else's failure asks here.
"""

import contextlib
import logging
import queue
import sqlite3
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Generator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from sqlite_utils import Database

from toolplanner_core.errors import (
    ToolPlannerError,
    WorkspaceDamaged,
    WorkspaceError,
    WorkspaceFull,
    WorkspaceMoved,
)

_LETTING_GO_S = 0.25
"""How long a thread is waited for that was interrupted while it read."""
_LOOK_S = 0.002


class _Reader(NamedTuple):
    """A connection of a thread.

    Attributes:
        connection: held here, too: Python's connections and their statements hold each other, so
            that one that is only let go of stays open until somebody collects cycles.
        references: how often it is held while it is not in use.
    """

    db: weakref.ref[Database]
    connection: sqlite3.Connection
    thread: threading.Thread
    references: int


class Readers:
    """The connections of the threads that read."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._all: list[_Reader] = []
        self._lock = threading.Lock()

    def own(self, connect: Callable[[], Database]) -> Database:
        """This thread's connection, made at its first use; those of threads that have ended are
        closed then."""
        db: Database | None = getattr(self._local, "db", None)
        if db is None:
            db = self._local.db = connect()
            conn, thread = db.conn, threading.current_thread()
            reader = _Reader(weakref.ref(db), conn, thread, _references(conn))
            with self._lock:
                self._all = [each for each in self._all if each.thread.is_alive() or _close(each)]
                self._all.append(reader)
        return db

    def close(self) -> None:
        """Close all, interrupt what is still being read, and wait a moment until nobody reads.

        A connection that another thread is inside of must not be closed under it: SQLite's
        statements would be freed while they run.
        """
        with self._lock:
            left, self._all = self._all, []
        self._local = threading.local()
        deadline = time.monotonic() + _LETTING_GO_S
        while left := [each for each in left if _is_in_use(each) or _close(each)]:
            for each in left:
                each.connection.interrupt()
            if time.monotonic() >= deadline:
                return
            time.sleep(_LOOK_S)


def _references(connection: sqlite3.Connection) -> int:
    return sys.getrefcount(connection)


def _is_in_use(reader: _Reader) -> bool:
    """Whether another thread may be inside of it: it holds it, or a cursor of it."""
    if reader.thread is threading.current_thread() or not reader.thread.is_alive():
        return False
    is_held = reader.db() is not None
    return is_held or _references(reader.connection) >= reader.references


def _close(reader: _Reader) -> bool:
    """Close a connection; False, as what is closed is not to be kept."""
    reader.connection.close()
    return False


_log = logging.getLogger(__name__)
T = TypeVar("T")
_QUIET_S = 0.3
_SLOWEST_S = 5.0
"""How long it is waited for quiet at first, and at most while others read and hold the log."""
_LAST_WAIT_MS = 100
"""How long closing waits for a statement that another process is reading with."""


class _Work(NamedTuple):
    """What is to be done, for whom, and how."""

    work: Callable[[Database], Any]
    future: "Future[Any]"
    is_durable: bool = False
    is_writing: bool = True


class Writer:
    """Runs write functions one after the other on its own thread.

    Args:
        connect: makes the writing connection; called on the writer's thread.
        path: the file.

    Attributes:
        is_folded: whether all that was written is in the file itself. Any thread may read it.
        heard: called on the writer's thread when `is_folded` has changed.
    """

    def __init__(self, connect: Callable[[], Database], *, path: Path) -> None:
        self._connect = connect
        self._path = path
        self._name = path.name
        self._identity = _identity(path)
        log = path.with_name(f"{path.name}-wal")
        self.is_folded = not (log.is_file() and log.stat().st_size)
        self.heard: Callable[[], object] = lambda: None
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._closed = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(
            target=self._loop, name=f"writer of {self._name}", daemon=True
        )
        self._thread.start()

    def submit(self, work: Callable[[Database], T], *, durable: bool = False) -> "Future[T]":
        """Queue `work` as one transaction; any thread.

        Args:
            work: gets the writing database inside an open transaction; raising rolls back.
            durable: survive a power loss too, not only a killed process (about 4 ms).

        Raises:
            WorkspaceError: (from the future) the file cannot be written.
            WorkspaceMoved: (from the future) it is not where it was.
        """
        return self._put(_Work(work, Future(), durable))

    def run(self, work: Callable[[Database], T], *, durable: bool = False) -> T:
        """`submit` and wait. Never on the GUI thread."""
        return self.submit(work, durable=durable).result()

    def look(self, work: Callable[[Database], T]) -> T:
        """Run `work` in the same order outside a transaction, also when the file has gone, and
        wait. It does not write. Never on the GUI thread."""
        return self._put(_Work(work, Future(), is_writing=False)).result()

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still where it was opened. Asks the disk."""
        return _identity(self._path) == self._identity

    def close(self) -> None:
        """Finish all queued work, then close the connection."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join()

    def _put(self, item: _Work) -> "Future[Any]":
        with self._lock:
            if self._closed:
                raise WorkspaceError("The workspace is closed", where=self._name)
            self._queue.put(item)
        return item.future

    def _loop(self) -> None:
        db = self._connect()
        rest_s = None if self.is_folded else _QUIET_S
        while True:
            try:
                item = self._queue.get(timeout=rest_s)
            except queue.Empty:
                is_over = self._fold(db)
                rest_s = None if is_over else min(2 * (rest_s or _QUIET_S), _SLOWEST_S)
                continue
            if item is None:
                break
            if item.future.set_running_or_notify_cancel():
                self._do(item, db)
                if item.is_writing:
                    rest_s = _QUIET_S
            # Do not keep the last work and its closure alive while waiting for the next.
            del item
        with contextlib.suppress(sqlite3.Error):
            db.conn.execute("PRAGMA optimize")
        self._fold(db, wait_ms=_LAST_WAIT_MS)
        db.close()

    def _do(self, item: _Work, db: Database) -> None:
        try:
            if not item.is_writing:
                result = item.work(db)
            else:
                self._check_place()
                self._say_folded(False)
                if item.is_durable:
                    db.conn.execute("PRAGMA synchronous=FULL")
                # Taken before anything is read: a transaction that reads first is refused at its
                # first write, without waiting, once another process has written in between.
                db.conn.execute("BEGIN IMMEDIATE")
                with _committed(db):
                    result = item.work(db)
        except sqlite3.Error as error:
            item.future.set_exception(explain_sqlite_error(error, where=self._name))
        except BaseException as error:  # noqa: BLE001 - whatever it is belongs to whoever waits
            item.future.set_exception(error)
        else:
            item.future.set_result(result)
        finally:
            if item.is_durable:
                db.conn.execute("PRAGMA synchronous=NORMAL")

    def _fold(self, db: Database, *, wait_ms: int = 0) -> bool:
        """Move the write-ahead log into the file; nobody is waited for, unless at the end.

        Returns:
            Whether the log is empty; else others read from it, and it is tried again.
        """
        waits_ms = db.conn.execute("PRAGMA busy_timeout").fetchone()[0]
        try:
            db.conn.execute(f"PRAGMA busy_timeout={wait_ms}")
            busy, in_log, moved = db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            _log.info("The write-ahead log of %s stays for now: %s", self._name, error)
            return False
        finally:
            db.conn.execute(f"PRAGMA busy_timeout={waits_ms}")
        self._say_folded(not busy or 0 <= in_log == moved)
        return not busy

    def _say_folded(self, is_folded: bool) -> None:
        if is_folded != self.is_folded:
            self.is_folded = is_folded
            self.heard()

    def _check_place(self) -> None:
        if not self.is_in_place:
            raise moved_away(self._path)


def _identity(path: Path) -> tuple[int, int] | None:
    """What stays the same as long as this is the same file, None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextlib.contextmanager
def _committed(db: Database) -> Generator[None]:
    """Commit the open transaction at the end, roll it back when anything is raised."""
    try:
        yield
        db.conn.execute("COMMIT")
    except BaseException:
        # SQLite itself has rolled back after some errors, such as a full disk.
        if db.conn.in_transaction:
            db.conn.execute("ROLLBACK")
        raise


def moved_away(path: Path) -> WorkspaceMoved:
    """What is said of a file that is not where it was opened."""
    return WorkspaceMoved(
        "The file was moved, renamed, replaced or deleted while it was open",
        where=str(path),
        why="Nothing more is written, since it would not be in the file that you see",
        todo="Save it under a name with Save as, or put the file back",
    )


def explain_sqlite_error(error: sqlite3.Error, *, where: str) -> ToolPlannerError:
    """SQLite's error as one of ours: what it means for the person and what to do."""
    code = cast(str, getattr(error, "sqlite_errorname", "") or "")
    if code.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHM")):
        return WorkspaceFull(
            "The disk is full",
            where=where,
            why="Nothing of this change was stored, everything before it is safe",
            todo="Free some space and try again",
        )
    if code.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN")):
        return WorkspaceFull(
            "The file cannot be written",
            where=where,
            why=str(error),
            todo="Check the permissions of the file and its folder",
        )
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return WorkspaceDamaged(
            "The file is damaged",
            where=where,
            why=str(error),
            todo="Open the copy that was made before the last migration, or a backup",
        )
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return WorkspaceError(
            "Another program is writing to the workspace",
            where=where,
            todo="Wait until it has finished, or close it",
        )
    return WorkspaceError("The workspace could not be read or written", where=where, why=str(error))


_HERE = __name__.rpartition(".")[0]
_ANY = "The workspace could not be"


def workspace_fault(error: BaseException) -> WorkspaceError | None:
    """The workspace's own error behind this one; None where it is somebody else's, such as that of
    a provider with a database of its own."""
    if isinstance(error, WorkspaceError):
        return error
    if not isinstance(error, sqlite3.Error) or not _came_through_here(error):
        return None
    explained = explain_sqlite_error(error, where="")
    cause = str(error) if explained.what.startswith(_ANY) else explained.what
    return WorkspaceError(f"{_ANY} read: {cause}", todo=explained.todo)


def fault_words(fault: WorkspaceError) -> str:
    """What is said of a run that it ended."""
    return fault.sentence if fault.what.startswith(_ANY) else f"{_ANY} written: {fault.sentence}"


def _came_through_here(error: sqlite3.Error) -> bool:
    places = traceback.walk_tb(error.__traceback__)
    return any(frame.f_globals.get("__name__", "").startswith(_HERE) for frame, _ in places)
