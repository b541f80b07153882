"""A large file that we closed whole is not read from end to end at its next opening."""

import os
import sqlite3
from pathlib import Path

import pytest

from toolplanner_core.errors import WorkspaceDamaged
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace import workspace as workspace_module
from toolplanner_core.workspace.settings import get_setting, set_setting
from toolplanner_core.workspace.workspace import is_known_whole


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Small files count, with a cache of this test, whose clock is far behind each write."""
    monkeypatch.setattr(workspace_module, "_LARGE", 0)
    monkeypatch.setattr(workspace_module, "_SETTLED_S", -1e9)
    monkeypatch.setattr(workspace_module, "_file", lambda: tmp_path / "cache" / "checked.json")
    monkeypatch.setattr(workspace_module, "_checked_s", {})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A workspace that was opened, written to and closed."""
    made = tmp_path / "a.toolplanner"
    Workspace.create(made).close()
    with Workspace.open(made) as workspace:
        for number in range(200):
            set_setting(workspace, f"key {number}", "x" * 500)
    return made


def break_a_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(data)


def later(path: Path) -> None:
    """Give the file another time, as every write does."""
    stamp = path.stat()
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 5_000_000))


def test_open_when_closed_by_us_and_unchanged_then_not_read_to_the_end(path: Path) -> None:
    assert is_known_whole(path)
    with Workspace.open(path) as workspace:
        assert get_setting(workspace, "key 7") == "x" * 500
    assert is_known_whole(path)


def test_open_when_others_changed_it_then_checked(path: Path) -> None:
    break_a_page(path)
    later(path)
    assert not is_known_whole(path)
    with pytest.raises(WorkspaceDamaged):
        Workspace.open(path)


def test_open_when_we_were_killed_after_a_write_then_checked(path: Path) -> None:
    opened = Workspace.open(path)
    set_setting(opened, "key", "written")  # it is in the log beside the file now
    with sqlite3.connect(path) as other:  # keeps the log from being folded at the close
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM settings").fetchone()
        assert not is_known_whole(path)
        set_setting(opened, "key", "more")
        opened.close()
        assert not is_known_whole(path)
    other.close()


def test_open_when_it_is_a_copy_or_the_check_is_old_then_checked(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = path.with_name("b.toolplanner")
    copy.write_bytes(path.read_bytes())
    assert not is_known_whole(copy)
    copy.replace(path)
    assert not is_known_whole(path)
    Workspace.open(path).close()
    assert is_known_whole(path)
    monkeypatch.setattr(workspace_module, "_WEEK_S", 0.0)
    assert not is_known_whole(path)


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"PATH": {"of": 1, "checked_s": "x"}}'])
def test_open_when_the_cache_holds_anything_then_checked(path: Path, text: str) -> None:
    workspace_module._file().write_text(text.replace("PATH", str(path)))
    assert not is_known_whole(path)
    Workspace.open(path).close()
    assert is_known_whole(path)


def test_closed_when_just_written_then_not_trusted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_module, "_SETTLED_S", 1e9)
    with Workspace.open(path) as workspace:
        set_setting(workspace, "key", "written a moment ago")
    assert not is_known_whole(path)
