"""Workspaces from others: nothing in them runs, nothing is changed, what is wrong is said."""

import contextlib
import sqlite3
import zlib
from pathlib import Path

import pytest
from fixtures.small_catalogue import APIS, import_small_catalogue

from toolplanner_core.errors import WorkspaceAltered, WorkspaceDamaged
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import resolve
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid
from toolplanner_core.workspace.schema import SCHEMA_VERSION
from toolplanner_core.workspace.settings import get_setting, set_setting

ENDLESS = "(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A good workspace with a small catalogue, to be poisoned."""
    path = tmp_path / "theirs.toolplanner"
    with Workspace.create(path) as workspace:
        import_small_catalogue(workspace, tmp_path)
    return path


def poison(path: Path, *statements: str) -> bytes:
    """Run statements of somebody else on a file; its bytes afterwards."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in ("PRAGMA foreign_keys=OFF", "PRAGMA writable_schema=ON", *statements):
            db.execute(statement)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.read_bytes()


@pytest.mark.parametrize(
    ("statements", "what"),
    [
        (
            ["CREATE TRIGGER gone AFTER INSERT ON settings BEGIN DELETE FROM apis; END"],
            "an added trigger “gone”",
        ),
        (
            [
                "DROP TRIGGER sums_after_joining",
                "CREATE TRIGGER sums_after_joining AFTER INSERT ON toolkit_members"
                " BEGIN DELETE FROM apis; END",
            ],
            "another trigger “sums_after_joining”",
        ),
        (["DROP TABLE runs", f"CREATE VIEW runs AS SELECT {ENDLESS}"], "an added view “runs”"),
        (
            ["DROP VIEW unusable_apis", f"CREATE VIEW unusable_apis AS SELECT {ENDLESS} AS x"],
            "another view “unusable_apis”",
        ),
        (
            ["DROP TABLE settings", "CREATE TABLE settings(id INTEGER, code BLOB)"],
            "another table “settings”",
        ),
        (
            [
                "DROP TABLE settings",
                "CREATE TABLE settings(key TEXT PRIMARY KEY, value TEXT"
                " DEFAULT (hex(randomblob(900000000))) CHECK (length(randomblob(9)) > 0))",
            ],
            "another table “settings”",
        ),
        (["CREATE INDEX slow ON apis(hex(zeroblob(length(name))))"], "an added index “slow”"),
        (["CREATE VIRTUAL TABLE mine USING fts5(x)"], "an added table “mine”"),
        (["DROP TABLE toolkits"], "no table “toolkits”"),
    ],
)
def test_open_when_its_tables_are_not_ours_then_says_which_and_changes_nothing(
    path: Path, statements: list[str], what: str
) -> None:
    before = poison(path, *statements)
    with pytest.raises(WorkspaceAltered) as raised:
        Workspace.open(path)
    assert what in raised.value.sentence
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.glob("*.toolplanner")] == [path.name]


def test_open_when_an_older_file_is_poisoned_then_it_is_not_migrated(path: Path) -> None:
    before = poison(
        path,
        "CREATE TRIGGER gone AFTER UPDATE ON apis BEGIN DELETE FROM apis; END",
        f"PRAGMA user_version={SCHEMA_VERSION - 1}",
    )
    with pytest.raises(WorkspaceAltered, match="“gone”"):
        Workspace.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        "CREATE TABLE settings(key TEXT, value",
        "CREATE VIEW settings AS SELECT * FROM elsewhere.settings",
        "DELETE FROM apis",
        "CREATE TRIGGER settings AFTER INSERT ON apis BEGIN DELETE FROM apis; END",
    ],
)
def test_open_when_its_schema_cannot_be_read_then_says_damaged_or_altered(
    path: Path, words: str
) -> None:
    before = poison(path, f"UPDATE sqlite_master SET sql = '{words}' WHERE name = 'settings'")
    with pytest.raises((WorkspaceAltered, WorkspaceDamaged)):
        Workspace.open(path)
    assert path.read_bytes() == before


def test_connections_when_open_then_distrust_what_the_schema_says(path: Path) -> None:
    with Workspace.open(path) as workspace:
        trusted = "PRAGMA trusted_schema"
        assert workspace.one_row(trusted)[0] == 0
        assert workspace.writer.look(lambda db: db.execute(trusted).fetchone()[0]) == 0


@pytest.mark.parametrize("text", ["{", "\x00", "", "[" * 100_000, "NaN}"])
def test_setting_when_it_is_no_json_then_counts_as_not_set(path: Path, text: str) -> None:
    with Workspace.open(path) as workspace:
        set_setting(workspace, "presets", [])
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE settings SET value = ? WHERE key = 'presets'", [text])
    with Workspace.open(path) as workspace:
        assert get_setting(workspace, "presets", "none") == "none"


def test_catalogue_when_a_schema_is_no_json_then_says_so_and_others_are_shown(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE apis SET parameters = '{\"a\": ' WHERE rowid = 1")
        db.execute("UPDATE apis SET description = zeroblob(20000000) WHERE rowid = 2")
    with Workspace.open(path) as workspace:
        rowids = [int(each) for each in all_rowids(workspace)]
        assert len(rowids) == len(APIS)
        with pytest.raises(WorkspaceDamaged, match="no JSON"):
            apis_by_rowid(workspace, [1])
        assert len(apis_by_rowid(workspace, rowids[2:])) == len(APIS) - 2


@pytest.mark.parametrize("data", [zlib.compress(bytes(300_000_000), 9), b"no zlib", 7])
def test_blob_when_it_unpacks_to_too_much_or_nothing_then_says_so(path: Path, data: object) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("INSERT INTO blobs(hash, codec, size, data) VALUES(x'aa', 'zlib', 9, ?)", [data])
    with Workspace.open(path) as workspace, pytest.raises(WorkspaceDamaged, match="unpacked"):
        resolve(workspace, {"$blob": "aa"})


def test_messages_when_their_chain_is_a_circle_then_the_reading_ends(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute(
            "INSERT INTO message_chains(hash, previous, role, content)"
            " VALUES(x'aa', x'aa', 'user', x'bb')"
        )
    with Workspace.open(path) as workspace, pytest.raises(WorkspaceDamaged, match="circle"):
        resolve(workspace, {"$messages": "aa"})
