"""Each thread's own read-only connection to a workspace, and the end of all of them. Called by
`workspace.py`.

A connection of ours that is left open keeps the write-ahead log beside the file, and once the file
is renamed it shares its memory with every later connection of this process, but of no other: two
programs would then write without seeing each other.
"""

import sqlite3
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import NamedTuple

from sqlite_utils import Database

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
