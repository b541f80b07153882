"""What was saved is in the file itself, without the log beside it; copies; a file that went."""

import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fixtures.command_line import toolplanner

from toolplanner_core.errors import WorkspaceExists, WorkspaceMoved
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.copying import save_copy
from toolplanner_core.workspace.settings import get_setting, put_setting, set_setting


def test_write_when_it_was_quiet_then_the_file_alone_holds_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    folded = _folding(workspace)
    set_setting(workspace, "who", "Ada")
    assert folded.wait(60)
    assert _alone(workspace.path, tmp_path) == "Ada"


def test_write_when_another_process_reads_then_it_is_folded_once_that_ends(
    workspace: Workspace, tmp_path: Path
) -> None:
    set_setting(workspace, "who", "nobody")
    code = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "db.execute('BEGIN'); db.execute('SELECT count(*) FROM settings').fetchone();"
        "print('reading', flush=True); sys.stdin.readline(); db.execute('COMMIT');"
        "print('idle', flush=True); sys.stdin.readline()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(workspace.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == "reading\n"
        folded = _folding(workspace)
        set_setting(workspace, "who", "Ada")
        set_setting(workspace, "where", "here")  # not held up by the one that reads
        assert not workspace.writer.is_folded
        print(file=other.stdin, flush=True)
        assert other.stdout.readline() == "idle\n"
        assert folded.wait(60)
        assert _alone(workspace.path, tmp_path) == "Ada"
        other.communicate("\n")


def test_close_when_another_process_has_it_open_then_the_file_alone_holds_it(
    tmp_path: Path,
) -> None:
    mine = Workspace.create(tmp_path / "a.toolplanner")
    with Workspace.open(mine.path) as other:
        get_setting(other, "who")
        set_setting(mine, "who", "Ada")
        mine.close()
        assert _alone(mine.path, tmp_path) == "Ada"


@pytest.mark.parametrize("what", ["renamed", "deleted", "replaced"])
def test_write_when_the_file_has_gone_then_says_so_and_a_copy_has_everything(
    workspace: Workspace, tmp_path: Path, what: str
) -> None:
    set_setting(workspace, "who", "Ada")
    elsewhere = tmp_path / "elsewhere.toolplanner"
    workspace.path.rename(elsewhere)
    if what == "deleted":
        elsewhere.unlink()
    elif what == "replaced":
        shutil.copyfile(elsewhere, workspace.path)
    assert not workspace.writer.is_in_place
    with pytest.raises(WorkspaceMoved, match="moved, renamed, replaced or deleted"):
        set_setting(workspace, "who", "Bob")
    save_copy(workspace, tmp_path / "rescued.toolplanner")
    assert _alone(tmp_path / "rescued.toolplanner", tmp_path) == "Ada"


def test_write_when_the_file_has_come_back_then_goes_on(
    workspace: Workspace, tmp_path: Path
) -> None:
    set_setting(workspace, "who", "nobody")
    elsewhere = tmp_path / "elsewhere.toolplanner"
    workspace.path.rename(elsewhere)
    with pytest.raises(WorkspaceMoved):
        set_setting(workspace, "who", "Ada")
    elsewhere.rename(workspace.path)
    set_setting(workspace, "who", "Bob")
    assert get_setting(workspace, "who") == "Bob"


def test_copy_when_a_killed_program_left_files_beside_the_place_then_it_replaces_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = tmp_path / "other.toolplanner"
    Workspace.create(place).close()
    for end in ("-wal", "-shm"):
        place.with_name(f"{place.name}{end}").touch()
    set_setting(workspace, "who", "Ada")
    save_copy(workspace, place, replace=True)
    assert sorted(file.name for file in tmp_path.glob("other*")) == ["other.toolplanner"]
    with Workspace.open(place) as copy:
        assert get_setting(copy, "who") == "Ada"


def test_copy_when_the_place_is_an_open_workspace_then_refuses(
    workspace: Workspace, tmp_path: Path
) -> None:
    other = Workspace.create(tmp_path / "other.toolplanner")
    set_setting(other, "who", "Bob")
    for place in (workspace.path, other.path):
        with pytest.raises(WorkspaceExists, match="is open"):
            save_copy(workspace, place, replace=True)
    other.close()
    with pytest.raises(WorkspaceExists, match="a file already"):
        save_copy(workspace, other.path)
    assert _alone(other.path, tmp_path) == "Bob"
    save_copy(workspace, other.path, replace=True)
    assert _alone(other.path, tmp_path) is None


def test_copy_when_it_fails_then_leaves_no_piece(workspace: Workspace, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(stage: str, done: int, total: int | None = None, unit: str = "APIs") -> None:
        raise Stopped(stage, done, total, unit)

    with pytest.raises(Stopped):
        save_copy(workspace, tmp_path / "copy.toolplanner", report=stop)
    assert not list(tmp_path.glob("copy*"))
    set_setting(workspace, "who", "Ada")


def test_copy_command_when_the_workspace_is_open_then_holds_the_last_write(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.writer.run(lambda db: put_setting(db, "who", "Ada"))
    made = toolplanner("copy", workspace.path, tmp_path / "copy.toolplanner", "--json")
    assert made.status == 0, made.err
    assert made.data["bytes"] == (tmp_path / "copy.toolplanner").stat().st_size
    assert _alone(tmp_path / "copy.toolplanner", tmp_path) == "Ada"
    again = toolplanner("copy", workspace.path, tmp_path / "copy.toolplanner")
    assert again.status == 2
    assert "There is a file already" in again.err


def _folding(workspace: Workspace) -> threading.Event:
    """Set when everything is in the file."""
    folded = threading.Event()
    workspace.writer.heard = lambda: workspace.writer.is_folded and folded.set()
    return folded


def _alone(path: Path, folder: Path) -> object:
    """The setting "who" of a plain copy of the one file."""
    plain = folder / "alone" / path.name
    plain.parent.mkdir(exist_ok=True)
    shutil.copyfile(path, plain)
    with sqlite3.connect(plain) as db:
        row = db.execute("SELECT value FROM settings WHERE key='who'").fetchone()
    return row and row[0].strip('"')
