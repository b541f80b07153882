"""What workers send to an endpoint together: a small file that each asks before a request.

Requests of the last minute are rows, so no minute holds more than is allowed, whichever processes
send them; those of a worker that was killed leave with their minute. When an endpoint says that it
is asked too often, all wait as long as it asks for, and from then on half as much is sent as it had
when it said so; each reply adds a little (additive increase, multiplicative decrease).
Source: Chiu, Jain 1989.

Called by the workers of an experiment, which is the file's owner.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

from toolplanner_core.workspace.connections import explain_sqlite_error

MINUTE_S = 60.0
_BUSY_S = 10.0
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 600.0
_MORE = 1.0
"""Requests a minute that a reply adds to what is sent."""
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS sent (id INTEGER PRIMARY KEY, address TEXT NOT NULL,"
    " at REAL NOT NULL, tokens INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS endpoints (address TEXT PRIMARY KEY, per_minute REAL,"
    " paused_until REAL NOT NULL DEFAULT 0)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaLimits:
    """What a person allows for each endpoint; None = as much as it takes."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


UNLIMITED = QuotaLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class SendLeave:
    """Whether a request may be sent now.

    Attributes:
        wait_s: seconds until it is worth asking again; 0 = it may, and is counted.
        request: its number, for `settle`.
    """

    wait_s: float = 0.0
    request: int = 0


class RequestQuota:
    """The quota of endpoints; any process and thread, each with an object of its own. Blocks.

    Args:
        now_s: seconds since 1970 of a clock that all processes share.
    """

    def __init__(
        self, path: Path, limits: QuotaLimits, now_s: Callable[[], float] = time.time
    ) -> None:
        self._path, self._limits, self._now_s = path, limits, now_s

    def ask(self, address: str, tokens: int) -> SendLeave:
        """Whether a request may be sent; one that may is counted at once.

        Args:
            tokens: that it will take, guessed.

        Raises:
            WorkspaceError: the file cannot be written.
        """
        with self._transaction() as db:
            now_s = self._now_s()
            # A row of the future was written before the clock was set back.
            db.execute("DELETE FROM sent WHERE at <= ? OR at > ?", [now_s - MINUTE_S, now_s + 1])
            per_minute, paused_until_s = self._endpoint(db, address)
            if now_s < paused_until_s <= now_s + _LONGEST_PAUSE_S:
                return SendLeave(wait_s=paused_until_s - now_s)
            sql = "SELECT at, tokens FROM sent WHERE address = ? ORDER BY at DESC, id DESC"
            sent: list[tuple[float, int]] = db.execute(sql, [address]).fetchall()
            wait_s = max(
                _wait_s([(at_s, 1) for at_s, _ in sent], 1, per_minute, now_s),
                _wait_s(sent, tokens, self._limits.tokens_per_minute, now_s),
            )
            if wait_s > 0:
                return SendLeave(wait_s=wait_s)
            added = db.execute(
                "INSERT INTO sent(address, at, tokens) VALUES (?, ?, ?)", [address, now_s, tokens]
            )
            return SendLeave(request=added.lastrowid or 0)

    def settle(self, address: str, request: int, tokens: int) -> None:
        """A reply has come, and took so many tokens."""
        with self._transaction() as db:
            db.execute("UPDATE sent SET tokens = ? WHERE id = ?", [tokens, request])
            db.execute(
                "UPDATE endpoints SET per_minute = per_minute + ? WHERE address = ?",
                [_MORE, address],
            )

    def slow_down(self, address: str, retry_after_s: float | None) -> None:
        """The endpoint said that it is asked too often."""
        with self._transaction() as db:
            now_s = self._now_s()
            first_s, number = db.execute(
                "SELECT min(at), count(*) FROM sent WHERE address = ?", [address]
            ).fetchone()
            span_s = max(1.0, now_s - (first_s or now_s))
            half = max(1.0, number / span_s * MINUTE_S / 2)
            _, paused_until_s = self._endpoint(db, address)
            pause_s = min(retry_after_s or _FIRST_PAUSE_S, _LONGEST_PAUSE_S)
            db.execute(
                "INSERT OR REPLACE INTO endpoints VALUES (?, ?, ?)",
                [address, half, max(paused_until_s, now_s + pause_s)],
            )

    def _endpoint(self, db: sqlite3.Connection, address: str) -> tuple[float | None, float]:
        """What may be sent in a minute, None = no limit is known; and when a pause ends."""
        sql = "SELECT per_minute, paused_until FROM endpoints WHERE address = ?"
        learned, paused_until_s = db.execute(sql, [address]).fetchone() or (None, 0.0)
        known = [each for each in (learned, self._limits.requests_per_minute) if each is not None]
        return min(known, default=None), paused_until_s

    @contextlib.contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        try:
            with contextlib.closing(
                sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)
            ) as db:
                # What is in it is of no use after a minute, so it need not survive a power loss.
                db.execute("PRAGMA synchronous=OFF")
                db.execute("BEGIN IMMEDIATE")
                for statement in _SCHEMA:
                    db.execute(statement)
                yield db
                db.execute("COMMIT")
        except sqlite3.Error as error:
            raise explain_sqlite_error(error, where=str(self._path)) from error


def _wait_s(sent: list[tuple[float, int]], more: int, most: float | None, now_s: float) -> float:
    """Seconds until so much more fits into a minute; what is too much for any is sent alone.

    Args:
        sent: when, and how much, newest first.
    """
    if most is None:
        return 0.0
    room = most - more
    for at_s, amount in sent:
        room -= amount
        if room < 0:
            return at_s + MINUTE_S - now_s
    return 0.0
