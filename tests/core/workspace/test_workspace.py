"""Opening, refusing, migrating and writing workspace files."""

import contextlib
import gc
import shutil
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest
from fixtures.processes import python

from toolplanner_core.errors import (
    NotAWorkspace,
    WorkspaceDamaged,
    WorkspaceError,
    WorkspaceExists,
    WorkspaceMissing,
    WorkspaceTooNew,
)
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.schema import SCHEMA_VERSION, migrations
from toolplanner_core.workspace.search_index import rowids_with_words
from toolplanner_core.workspace.settings import get_setting, put_setting, set_setting

LONG_QUERY = (
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 30000000)"
    " SELECT n FROM numbers WHERE n % 1000 = 0"
)


def test_schema_version_when_compared_then_counts_the_migrations() -> None:
    assert len(migrations._migrations) == SCHEMA_VERSION


def test_setting_when_stored_then_is_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "a.toolplanner"
    with Workspace.create(path) as workspace:
        set_setting(workspace, "greeting", {"größe": [1, None]})
    with Workspace.open(path) as workspace:
        assert get_setting(workspace, "greeting") == {"größe": [1, None]}
        assert get_setting(workspace, "other", 7) == 7


def test_create_when_a_file_is_there_then_refuses_and_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "a.toolplanner"
    path.write_text("mine")
    with pytest.raises(WorkspaceExists):
        Workspace.create(path)
    assert path.read_text() == "mine"


def test_create_when_the_folder_is_missing_then_says_so(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceMissing, match="no such folder"):
        Workspace.create(tmp_path / "nowhere" / "a.toolplanner")


def test_open_when_there_is_no_file_then_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceMissing, match="Make one with File > New workspace"):
        Workspace.open(tmp_path / "a.toolplanner")


@pytest.mark.parametrize("content", [b"", b"hello\n", b"PK\x03\x04" + bytes(100), bytes(4096)])
def test_open_when_the_file_is_something_else_then_refuses_untouched(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "a.toolplanner"
    path.write_bytes(content)
    with pytest.raises(NotAWorkspace):
        Workspace.open(path)
    assert path.read_bytes() == content


def test_open_when_another_program_made_the_database_then_refuses(tmp_path: Path) -> None:
    path = tmp_path / "a.toolplanner"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t(x)")
    with pytest.raises(NotAWorkspace, match="not made by ToolPlanner"):
        Workspace.open(path)


def test_open_when_the_file_is_newer_then_refuses_and_says_to_update(tmp_path: Path) -> None:
    path = tmp_path / "a.toolplanner"
    Workspace.create(path).close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(WorkspaceTooNew, match="Update ToolPlanner"):
        Workspace.open(path)
    assert path.read_bytes() == before


def test_open_when_a_page_is_broken_then_says_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.toolplanner"
    with Workspace.create(path) as workspace:
        for number in range(200):
            set_setting(workspace, f"key {number}", "x" * 500)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    with pytest.raises(WorkspaceDamaged):
        Workspace.open(path)


def test_open_when_the_file_is_older_then_copies_it_and_migrates(tmp_path: Path) -> None:
    path = tmp_path / "a.toolplanner"
    Workspace.create(path).close()
    # The oldest format there can be: our application id, no tables yet.
    with contextlib.closing(sqlite3.connect(path)) as db:
        kinds = "SELECT type, name FROM sqlite_master WHERE type IN ('view', 'table')"
        names = db.execute(f"{kinds} ORDER BY type DESC").fetchall()
        db.execute("PRAGMA foreign_keys=OFF")
        for kind, name in names:
            if not name.startswith(("sqlite_", "apis_fts_")):
                db.execute(f"DROP {kind} IF EXISTS {name}")
        db.execute("PRAGMA user_version=0")
        db.commit()
    with Workspace.open(path) as workspace:
        set_setting(workspace, "works", True)
        before = workspace.copy_of_before
    with Workspace.open(path) as workspace:
        assert workspace.copy_of_before is None
    copies = list(tmp_path.glob("a.before-format-*.toolplanner"))
    assert copies == [before]
    with contextlib.closing(sqlite3.connect(copies[0])) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == 0


def test_write_when_it_fails_then_rolls_back_and_the_writer_goes_on(workspace: Workspace) -> None:
    def half(db: object) -> None:
        put_setting(db, "half", 1)  # type: ignore[arg-type]
        raise ValueError("stop here")

    with pytest.raises(ValueError, match="stop here"):
        workspace.writer.run(half)
    assert get_setting(workspace, "half") is None
    set_setting(workspace, "after", 2)
    assert get_setting(workspace, "after") == 2


def test_write_when_closed_then_says_so(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "a.toolplanner")
    workspace.close()
    workspace.close()
    with pytest.raises(WorkspaceError, match="closed"):
        set_setting(workspace, "late", 1)


def test_reader_when_asked_to_write_then_cannot(workspace: Workspace) -> None:
    with pytest.raises(sqlite3.OperationalError, match=r"readonly|query_only"):
        workspace.reader().execute("DELETE FROM settings")


def test_close_when_others_read_then_they_are_interrupted_and_no_statement_is_freed_under_them(
    tmp_path: Path,
) -> None:
    workspace = Workspace.create(tmp_path / "a.toolplanner")
    readers = 4
    ready = threading.Barrier(readers + 1)
    ended: list[str] = []

    def read() -> None:
        db = workspace.reader()
        ready.wait()
        try:
            while True:
                db.execute(LONG_QUERY).fetchall()
        except Exception as error:  # noqa: BLE001 - which one it is, is the question
            ended.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=read) for _ in range(readers)]
    for thread in threads:
        thread.start()
    ready.wait()
    workspace.close()
    for thread in threads:
        thread.join()
    assert ended == ["OperationalError: interrupted"] * readers
    assert [path.name for path in tmp_path.iterdir()] == ["a.toolplanner"]


@pytest.mark.parametrize("has_ended", [True, False])
def test_close_when_nobody_collects_cycles_then_connections_of_other_threads_are_closed_too(
    tmp_path: Path, has_ended: bool
) -> None:
    workspace = Workspace.create(tmp_path / "a.toolplanner")
    goes_on, has_read = threading.Event(), threading.Event()

    def read() -> None:
        workspace.one_row("SELECT count(*) FROM settings")
        has_read.set()
        if not has_ended:
            goes_on.wait()

    gc.disable()  # as in the window, where it would end Qt's objects in the wrong thread
    try:
        thread = threading.Thread(target=read)
        thread.start()
        has_read.wait()
        if has_ended:
            thread.join()
        workspace.close()
        assert [path.name for path in tmp_path.iterdir()] == ["a.toolplanner"]
    finally:
        gc.enable()
        goes_on.set()
        thread.join()


def test_open_when_it_is_open_here_already_then_other_programs_still_see_that(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.toolplanner"
    Workspace.create(path).close()
    look = (
        "import sys; from pathlib import Path; from toolplanner_core.workspace import Workspace\n"
        "from toolplanner_core.workspace.settings import get_setting\n"
        "with Workspace.open(Path(sys.argv[1])) as workspace: print(get_setting(workspace, 'x'))"
    )
    with Workspace.open(path) as first:
        set_setting(first, "x", 1)
        with Workspace.open(path) as second:
            for number in (2, 3):
                set_setting(second, "x", number)
                with python("-c", look, path) as beside:
                    assert beside.communicate()[0].strip() == str(number)
                assert path.with_name("a.toolplanner-wal").exists(), "folded away under us"


def test_copy_when_opened_elsewhere_then_holds_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.toolplanner"
    with Workspace.create(path) as workspace:
        set_setting(workspace, "x", 1)
    copy = tmp_path / "b.toolplanner"
    shutil.copy(path, copy)
    with Workspace.open(copy) as workspace:
        assert get_setting(workspace, "x") == 1


KILLED = """
import os, signal, sys
from pathlib import Path
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import put_setting
workspace = Workspace.open(Path(sys.argv[1]))
for number in range(100000):
    workspace.writer.run(lambda db: put_setting(db, "count", number))
    print(number, flush=True)
"""


def test_kill_when_writing_then_every_acknowledged_write_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.toolplanner"
    Workspace.create(path).close()
    acknowledged = -1
    with python("-c", KILLED, path) as child:
        assert child.stdout is not None
        for line in child.stdout:
            acknowledged = int(line)
            if acknowledged >= 300:
                break
        child.kill()
        rest = child.stdout.read().split()
    acknowledged = int(rest[-1]) if rest else acknowledged
    with Workspace.open(path) as workspace:
        assert get_setting(workspace, "count") >= acknowledged


COUNTING = """
import sys
from pathlib import Path
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import put_setting
workspace = Workspace.open(Path(sys.argv[1]))
def count(db):
    row = db.execute("SELECT value FROM settings WHERE key = 'count'").fetchone()
    put_setting(db, "count", 1 + (0 if row is None else int(row[0])))
for number in range(150):
    workspace.writer.run(count)
workspace.close()
"""


def test_write_when_two_processes_read_and_write_then_none_is_refused_or_lost(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.toolplanner"
    Workspace.create(path).close()
    counting = python("-c", COUNTING, path, stderr=subprocess.PIPE)
    beside = python("-c", COUNTING, path, stderr=subprocess.PIPE)
    with counting as first, beside as second:
        errors = [child.communicate()[1] for child in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), errors
    with Workspace.open(path) as workspace:
        assert get_setting(workspace, "count") == 300


def test_written_texts_when_words_are_looked_for_then_not_all_apis_are_read(
    workspace: Workspace,
) -> None:
    asked: list[str] = []
    connection = workspace.reader().conn
    connection.set_trace_callback(asked.append)
    rowids_with_words(workspace, ["weather"])
    connection.set_trace_callback(None)
    search = next(one for one in asked if "UNION SELECT rowid FROM apis" in one)
    steps = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {search}")]
    assert any("apis_with_written_text" in step for step in steps)
    assert "SCAN apis" not in steps
