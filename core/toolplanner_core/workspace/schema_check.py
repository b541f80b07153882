"""Whether a file's tables, views and triggers are those that the program makes.

A trigger, view or expression of somebody else is SQL that would run when we read or write. So a
file from elsewhere is compared with what our migrations make before anything in it is read: each
of its parts is ours, word by word, in this format or a later one (a migration may have been
killed), and once it has the format of now none is missing.

Source: design/security.md, "Files from others".
"""

import sqlite3
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from sqlite_utils import Database

from toolplanner_core.errors import WorkspaceAltered
from toolplanner_core.workspace.schema import SCHEMA_VERSION, migrations

_PARTS = "SELECT type, name, sql FROM sqlite_master"
_OF_SQLITE = {
    "sqlite_sequence": "CREATE TABLE sqlite_sequence(name,seq)",
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
"""Tables that SQLite makes by itself and allows nobody else to."""
_OF_LIBRARY = "_sqlite_migrations"
"""The table of sqlite-utils; each version of it writes it in its own words."""

_Key = tuple[str, str]
"""Type and name of a part."""


def check_schema(connection: sqlite3.Connection, *, version: int, path: Path) -> None:
    """Compare a file's schema with ours of its version; reads nothing but the schema.

    Raises:
        WorkspaceAltered: it has something that is not ours, or lacks something.
        sqlite3.Error: the schema cannot be read.
    """
    ours = _words_of_parts()
    found: set[_Key] = set()
    for kind, name, sql in connection.execute(_PARTS):
        found.add((kind, name))
        words = _words(sql)
        if words not in ours.get((kind, name), ()) and not _is_made_by_itself(kind, name, words):
            has = "another" if (kind, name) in ours else "an added"
            stranger = f"{has} {str(kind)[:20]} “{str(name)[:80]}”"
            raise _altered(path, f"It has {stranger}; nothing of it was run or changed")
    if version == SCHEMA_VERSION:
        for kind, name in _parts_by_version()[version]:
            if (kind, name) not in found:
                raise _altered(path, f"It has no {kind} “{name}”")


def _is_made_by_itself(kind: str, name: str, words: str) -> bool:
    """Whether SQLite or sqlite-utils made a part, in whatever words it has for it."""
    if kind == "index" and not words:
        return name.startswith("sqlite_autoindex_")
    if name in _OF_SQLITE:
        return kind == "table" and words == _OF_SQLITE[name]
    if name == _OF_LIBRARY:
        return kind == "table" and words.startswith("CREATE TABLE ")
    if kind == "index" and _OF_LIBRARY in name:
        return words.startswith(("CREATE INDEX ", "CREATE UNIQUE INDEX "))
    # The tables in which a full text index keeps what it has.
    is_kept = kind == "table" and (kind, name) in _words_of_parts()
    return is_kept and "_fts_" in name and words.startswith(f"CREATE TABLE '{name}'(")


@cache
def _words_of_parts() -> Mapping[_Key, set[str]]:
    """The words of each part of ours, as each format has them."""
    words: dict[_Key, set[str]] = {}
    for parts in _parts_by_version():
        for key, sql in parts.items():
            words.setdefault(key, set()).add(sql)
    return words


@cache
def _parts_by_version() -> list[dict[_Key, str]]:
    """What a file of each format has, the empty one first; made in memory, about 30 ms."""
    return list(_made_in_memory())


def _made_in_memory() -> Iterator[dict[_Key, str]]:
    db = Database(sqlite3.connect(":memory:"), execute_plugins=False)
    names = [migration.name for migration in migrations.pending(db)]
    yield {}
    for following in [*names[1:], None]:
        migrations.apply(db, stop_before=following)
        rows = db.execute(_PARTS).fetchall()
        yield {
            (kind, name): _words(sql)
            for kind, name, sql in rows
            if _OF_LIBRARY not in name and not name.startswith("sqlite_")
        }
    db.close()


def _words(sql: object) -> str:
    return " ".join(str(sql or "").split())


def _altered(path: Path, why: str) -> WorkspaceAltered:
    return WorkspaceAltered(
        f"The tables of this file are not those of ToolPlanner's format {SCHEMA_VERSION} or older",
        where=str(path),
        why=why,
        todo="Ask whoever gave you the file for one as ToolPlanner wrote it, or open a backup",
    )
