"""Temporary folders go with the program that made them, or with the next one."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from toolplanner_core.jobs.temporary_folders import temporary_folder


def test_folders_when_their_program_has_ended_then_only_these_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead = tmp_path / f"ours-{ended.pid}-abc"
    (dead / "within").mkdir(parents=True)
    kept = [tmp_path / name for name in ("ours-1-x", "ours-none", f"other-{ended.pid}-abc")]
    for folder in kept:
        folder.mkdir()
    target = tmp_path / "target"
    target.mkdir()
    link = tmp_path / f"ours-{ended.pid}-link"
    link.symlink_to(target)
    with temporary_folder("ours-") as place:
        assert Path(place).parent == tmp_path
        assert not any(Path(place).iterdir())
        assert not dead.exists()
        with temporary_folder("ours-") as second:
            assert Path(place).exists() and Path(second).exists()
    assert not Path(place).exists()
    assert all(folder.exists() for folder in kept)
    assert target.exists()
