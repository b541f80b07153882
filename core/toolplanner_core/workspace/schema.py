"""The tables of a workspace, as migrations in order, and whether a file has exactly these.

Their statements are in `resources/schema/`.

A file of statements that was released is never changed: workspaces of that version have exactly
these tables.

`user_version` equals the number of migrations; a program refuses a file whose number is higher
than its own.

Large results (point sets, neighbours, clusterings, layouts) are immutable rows; "active"
pointers to them are settings. Arrays are little-endian BLOBs: float32 for vectors and
coordinates, int32 for ids and labels.

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

from sqlite_utils import Database, Migrations

from toolplanner_core.errors import WorkspaceAltered
from toolplanner_core.resources import resource_root
from toolplanner_core.words.scripts import index_form

APPLICATION_ID = 0x54504C4E
"""SQLite's application_id of our files ("TPLN"), so that another SQLite file is never taken for
one."""

migrations = Migrations("toolplanner")


@migrations()
def m001_first_tables(db: Database) -> None:
    """Catalogue, index, vectors, clusterings, toolkits, runs, cases, settings."""
    _execute(db, "001_first_tables")


@migrations()
def m002_run_search(db: Database) -> None:
    """Full text and fields of runs; filled for runs that exist at the first search."""
    _execute(db, "002_run_search")


@migrations()
def m003_curation(db: Database) -> None:
    """What people decide about toolkits: edits with their history, exclusions, links, proposals,
    verdicts, saved selections."""
    _execute(db, "003_curation")


@migrations()
def m004_memories(db: Database) -> None:
    """What strategies keep between runs."""
    _execute(db, "004_memories")


@migrations()
def m005_operations(db: Database) -> None:
    """How APIs are called over HTTP; APIs that are there get it when they are imported again."""
    _execute(db, "005_operations")


@migrations()
def m006_regions(db: Database) -> None:
    """Regions, found at the first look of those who need them."""
    _execute(db, "006_regions")


@migrations()
def m007_toolkit_sums(db: Database) -> None:
    """Sums of toolkits' vectors, filled at the first look."""
    _execute(db, "007_toolkit_sums")


@migrations()
def m008_demonstrations(db: Database) -> None:
    """Solved tasks that models are shown."""
    _execute(db, "008_demonstrations")


@migrations()
def m009_described_texts(db: Database) -> None:
    """What models said of toolkits."""
    _execute(db, "009_described_texts")


@migrations()
def m010_changed_documentation(db: Database) -> None:
    """Documentation that imports changed, and what people accepted of it."""
    _execute(db, "010_changed_documentation")


@migrations()
def m011_case_results(db: Database) -> None:
    """How runs of cases went, and what people say of runs."""
    _execute(db, "011_case_results")


@migrations()
def m012_old_descriptions(db: Database) -> None:
    """Which descriptions of toolkits may be out of date."""
    _execute(db, "012_old_descriptions")


@migrations()
def m013_missing_apis(db: Database) -> None:
    """Which APIs the last import of their source did not bring; known from the next one on."""
    _execute(db, "013_missing_apis")


@migrations()
def m014_tool_names(db: Database) -> None:
    """What APIs are called as tools; given at the first export."""
    _execute(db, "014_tool_names")


@migrations()
def m015_scripts(db: Database) -> None:
    """The full-text index of the catalogue anew, with words of every script."""
    db.conn.create_function("index_form", 1, index_form, deterministic=True)
    _execute(db, "015_scripts")


@migrations()
def m016_proposed_names(db: Database) -> None:
    """Names that the rule proposes for toolkits; those that have a name keep it."""
    _execute(db, "016_proposed_names")


@migrations()
def m017_written_texts(db: Database) -> None:
    """An index of the texts that somebody wrote, which every search asks for."""
    _execute(db, "017_written_texts")


SCHEMA_VERSION = 17
"""Number of migrations above; a test holds the two together."""


def _execute(db: Database, name: str) -> None:
    statements = (resource_root() / "schema" / f"{name}.sql").read_text(encoding="utf-8")
    for statement in statements.split(";\n"):
        if statement.strip():
            db.execute(statement)


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
