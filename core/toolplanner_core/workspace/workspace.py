"""Open, check and close a workspace file.

Threads: `Workspace` may be used from any thread. Writing goes through `writer` (one thread, one
connection);
`reader()` gives each thread its own read-only connection.

Which large files are as this program left them, after it had checked that they are whole and
that their tables are ours.

That reads a file from end to end, 0.2 s for 45,000 APIs at each start. It is left out for a file
whose size, times and place on the disk are those of our own last close, for a week at most; after a
kill, a power cut, a copy or a change by anybody else they are not. Kept in the person's cache,
never in a workspace: what somebody sends is always checked.
"""

import contextlib
import json
import shutil
import sqlite3
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, Self, cast

from platformdirs import user_cache_path
from sqlite_utils import Database

from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.errors import (
    NotAWorkspace,
    WorkspaceDamaged,
    WorkspaceError,
    WorkspaceExists,
    WorkspaceMissing,
    WorkspaceTooNew,
)
from toolplanner_core.words.scripts import index_form
from toolplanner_core.words.window_places import MAKE_WORKSPACE
from toolplanner_core.workspace import staging
from toolplanner_core.workspace.connections import Readers, Writer, explain_sqlite_error
from toolplanner_core.workspace.schema import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    check_schema,
    migrations,
)

_LARGE = 16_000_000
"""Bytes from which on the check takes longer than a few milliseconds."""
_WEEK_S = 7 * 86_400.0
_SETTLED_S = 0.1
"""A file that was written to later than this may still change without another time."""
_MOST = 50
_checked_s: dict[Path, float] = {}
"""When the files that this process has opened were checked, seconds since the epoch."""


def is_known_whole(path: Path) -> bool:
    """Whether a file is as it was when we closed it whole."""
    kept, now_s = _read().get(str(path.resolve())), time.time()
    if kept is None or kept["of"] != _stamp(path) or not 0 <= now_s - kept["checked_s"] < _WEEK_S:
        return False
    _checked_s[path] = kept["checked_s"]
    return True


def was_checked(path: Path) -> None:
    """A file has been found whole just now."""
    _checked_s[path] = time.time()


def was_closed(path: Path) -> None:
    """Remember what a file that was opened whole looks like, now that all is written."""
    checked_s, stamp = _checked_s.get(path), _stamp(path)
    if checked_s is None or stamp is None or stamp[0] < _LARGE:
        return
    if time.time() - stamp[1] / 1e9 < _SETTLED_S:
        return
    entries = {**_read(), str(path.resolve()): {"of": stamp, "checked_s": checked_s}}
    newest = sorted(entries.items(), key=lambda one: one[1]["checked_s"])[-_MOST:]
    with contextlib.suppress(OSError):
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(dict(newest)), encoding="utf-8")
        part.replace(file)


def _stamp(path: Path) -> list[int] | None:
    """Size, times and place on the disk; None where something is not written into it yet."""
    log = path.with_name(f"{path.name}-wal")
    with contextlib.suppress(OSError):
        if not log.exists() or not log.stat().st_size:
            found = path.stat()
            return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    return None


def _read() -> dict[str, dict[str, Any]]:
    with contextlib.suppress(OSError, ValueError):
        read: Any = json.loads(_file().read_text(encoding="utf-8"))
        if isinstance(read, dict):
            rows = cast("dict[str, Any]", read).items()
            return {name: row for name, row in rows if _is_entry(row)}
    return {}


def _is_entry(row: Any) -> bool:
    if not isinstance(row, dict):
        return False
    entry = cast("dict[str, Any]", row)
    return isinstance(entry.get("of"), list) and isinstance(entry.get("checked_s"), int | float)


def _file() -> Path:
    return user_cache_path("toolplanner") / "checked_workspaces.json"


_BUSY_TIMEOUT_S = 10.0
_CACHE_KB, _SMALL_CACHE_KB = 65_536, 4_096


class Workspace:
    """One open `NAME.toolplanner` file. Make it with `create` or `open`, end it with `close` or
    `with`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.copy_of_before: Path | None = None
        """The file as it was, if opening it brought it to the format of now."""
        self.writer = Writer(lambda: _connect_writer(path), path=path)
        self._readers = Readers()

    @classmethod
    def create(cls, path: Path) -> Self:
        """A new, empty workspace.

        Raises:
            WorkspaceExists: there is a file already.
            WorkspaceFull: the folder cannot be written.
        """
        path = Path(path)
        if path.exists():
            raise WorkspaceExists(
                "There is a file already", where=str(path), todo="Choose another name"
            )
        if not path.parent.is_dir():
            raise WorkspaceMissing("There is no such folder", where=str(path.parent))
        try:
            with contextlib.closing(_connect_writer(path)) as db:
                db.conn.execute(f"PRAGMA application_id={APPLICATION_ID}")
                migrations.apply(db)
                db.conn.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        except sqlite3.Error as error:
            path.unlink(missing_ok=True)
            raise explain_sqlite_error(error, where=str(path)) from error
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """An existing workspace: checked, migrated if it is older, leftovers of a killed import
        removed.

        Raises:
            WorkspaceMissing: no such file.
            NotAWorkspace: another kind of file; it is not touched.
            WorkspaceTooNew: written by a newer program; it is not touched.
            WorkspaceDamaged: the integrity check failed.
            WorkspaceAltered: its tables are not ours; nothing of it was run, it is not touched.
        """
        path = Path(path)
        if not path.is_file():
            raise WorkspaceMissing(
                "There is no such workspace",
                where=str(path),
                todo=MAKE_WORKSPACE,
            )
        _check_is_sqlite(path)
        try:
            version = _check_version(path)
            before = _migrate(path) if version < SCHEMA_VERSION else None
            if before is not None:
                _check_version(path)
        except sqlite3.Error as error:
            raise explain_sqlite_error(error, where=str(path)) from error
        workspace = cls(path)
        workspace.copy_of_before = before
        if staging.leftovers(workspace.reader()):
            # A full disk may refuse this; the leftovers are invisible and the next opening tries.
            with contextlib.suppress(WorkspaceError):
                workspace.writer.run(staging.discard_leftovers)
        return workspace

    def reader(self) -> Database:
        """This thread's read-only connection; each statement sees the last commit."""
        return self._readers.own(self.connect_reader)

    def connect_reader(self) -> Database:
        """A new read-only connection."""
        return _connect_reader(self.path)

    def one_row(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first row of a query on this thread's reader, None if it has none."""
        return self.reader().execute(sql, values).fetchone()

    def keep_small_cache(self) -> None:
        """Keep few pages of the file in memory while writing: for a process that does nothing but
        add to logs, for days, and would fill the cache of an import with pages that nobody reads
        again."""
        self.writer.run(lambda db: db.conn.execute(f"PRAGMA cache_size=-{_SMALL_CACHE_KB}"))

    @contextlib.contextmanager
    def snapshot(self) -> Generator[Database]:
        """This thread's reader inside one read transaction: several statements see the same
        state."""
        db = self.reader()
        db.conn.execute("BEGIN")
        try:
            yield db
        finally:
            db.conn.execute("COMMIT")

    def close(self) -> None:
        """Finish queued writes and close all connections. Safe to call twice."""
        # Readers first: only the last connection to close moves the write-ahead log into the file,
        # and a reader cannot. Else the file alone, copied or renamed, would lack what was written.
        self._readers.close()
        self.writer.close()
        was_closed(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _connect_writer(path: Path) -> Database:
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, check_same_thread=False)
    db = Database(connection, execute_plugins=False)
    db.conn.execute("PRAGMA journal_mode=WAL")
    for pragma in (
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "trusted_schema=OFF",
        "journal_size_limit=67108864",
        "temp_store=MEMORY",
        f"cache_size=-{_CACHE_KB}",
    ):
        db.conn.execute(f"PRAGMA {pragma}")
    db.conn.create_function("index_form", 1, index_form, deterministic=True)
    return db


def _connect_reader(path: Path) -> Database:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro",
        uri=True,
        timeout=_BUSY_TIMEOUT_S,
        check_same_thread=False,
    )
    db = Database(connection, execute_plugins=False)
    # Not mapped: it is no quicker, and each thread's map of the file counts as memory of its own.
    for pragma in ("query_only=ON", "trusted_schema=OFF", "mmap_size=0"):
        db.conn.execute(f"PRAGMA {pragma}")
    return db


def _check_is_sqlite(path: Path) -> None:
    """Asks SQLite, and never reads the file beside it: closing a file ends all locks that this
    process has on it, so that another program would take a workspace that is open here for closed
    and fold its log away."""
    refused = NotAWorkspace(
        "This file is not a ToolPlanner workspace",
        where=str(path),
        todo="Choose a .toolplanner file; to import tools, use Import",
    )
    if not path.stat().st_size:
        raise refused
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S)) as connection:
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.DatabaseError as error:
            # Anything else is for whoever opens it to explain.
            if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
                raise refused from None


def _check_version(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S)) as connection:
        connection.execute("PRAGMA trusted_schema=OFF")
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise NotAWorkspace(
                "This SQLite file was not made by ToolPlanner",
                where=str(path),
                todo="Choose a .toolplanner file",
            )
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA_VERSION:
            raise WorkspaceTooNew(
                f"This workspace has format {version}, this program knows up to {SCHEMA_VERSION}",
                where=str(path),
                why="It was made by a newer ToolPlanner and was not changed",
                todo="Update ToolPlanner",
            )
        if is_known_whole(path):
            return version
        check_schema(connection, version=version, path=path)
        problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise WorkspaceDamaged(
                "The file is damaged", where=str(path), why=str(problem), todo="Open a backup"
            )
        was_checked(path)
        return version


def _migrate(path: Path) -> Path:
    """The copy that was made before."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    copy = path.with_name(f"{path.stem}.before-format-{SCHEMA_VERSION}.{stamp}{SUFFIX}")
    with contextlib.closing(sqlite3.connect(path)) as source:
        source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    part = copy.with_suffix(".part")
    shutil.copyfile(path, part)
    part.replace(copy)
    with contextlib.closing(_connect_writer(path)) as db:
        migrations.apply(db)
        db.conn.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    return copy
