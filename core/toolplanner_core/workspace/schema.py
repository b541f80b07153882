"""The tables of a workspace, as migrations in order; their statements are in `resources/schema/`.

A file of statements that was released is never changed: workspaces of that version have exactly
these tables.

`user_version` equals the number of migrations; a program refuses a file whose number is higher
than its own.

Large results (point sets, neighbours, clusterings, layouts) are immutable rows; "active"
pointers to them are settings. Arrays are little-endian BLOBs: float32 for vectors and
coordinates, int32 for ids and labels.
"""

from sqlite_utils import Database, Migrations

from toolplanner_core.resources import resource_root

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


SCHEMA_VERSION = 13
"""Number of migrations above; a test holds the two together."""


def _execute(db: Database, name: str) -> None:
    statements = (resource_root() / "schema" / f"{name}.sql").read_text(encoding="utf-8")
    for statement in statements.split(";\n"):
        if statement.strip():
            db.execute(statement)
