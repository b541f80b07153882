"""The one thread that owns the one writing connection of a workspace.

Work is a function of a `Database`; each runs in a transaction of its own, in the order of
submission, and sees what other processes wrote before it. Readers never wait for it (WAL). The
caller gets a future: waiting on it means "it is on disk".
"""

import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from sqlite_utils import Database

from toolplanner_core.errors import (
    ToolPlannerError,
    WorkspaceDamaged,
    WorkspaceError,
    WorkspaceFull,
)

T = TypeVar("T")
_Work = tuple[Callable[[Database], Any], "Future[Any]", bool]


class Writer:
    """Runs write functions one after the other on its own thread.

    Args:
        connect: makes the writing connection; called on the writer's thread.
        name: shown as the thread's name.
    """

    def __init__(self, connect: Callable[[], Database], *, name: str) -> None:
        self._connect = connect
        self._name = name
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._closed = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._loop, name=f"writer of {name}", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Database], T], *, durable: bool = False) -> "Future[T]":
        """Queue `work` as one transaction; any thread.

        Args:
            work: gets the writing database inside an open transaction; raising rolls back.
            durable: survive a power loss too, not only a killed process (about 4 ms).

        Raises:
            WorkspaceError: (from the future) the file cannot be written.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise WorkspaceError("The workspace is closed", where=self._name)
            self._queue.put((work, future, durable))
        return future

    def run(self, work: Callable[[Database], T], *, durable: bool = False) -> T:
        """`submit` and wait. Never on the GUI thread."""
        return self.submit(work, durable=durable).result()

    def close(self) -> None:
        """Finish all queued work, then close the connection."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join()

    def _loop(self) -> None:
        db = self._connect()
        while (item := self._queue.get()) is not None:
            work, future, durable = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if durable:
                    db.conn.execute("PRAGMA synchronous=FULL")
                # Taken before anything is read: a transaction that reads first is refused at its
                # first write, without waiting, once another process has written in between.
                db.conn.execute("BEGIN IMMEDIATE")
                with _committed(db):
                    result = work(db)
            except sqlite3.Error as error:
                future.set_exception(explain_sqlite_error(error, where=self._name))
            except BaseException as error:  # noqa: BLE001 - whatever it is belongs to whoever waits
                future.set_exception(error)
            else:
                future.set_result(result)
            finally:
                if durable:
                    db.conn.execute("PRAGMA synchronous=NORMAL")
            # Do not keep the last work and its closure alive while waiting for the next.
            del item, work, future
        db.conn.execute("PRAGMA optimize")
        db.close()


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
