"""A test that leaves something running, or reads in a home, fails itself; the next does not."""

import os
import subprocess
import sys
from pathlib import Path

from .test_fresh_person import HAS_QT, ROOT, WITHOUT_QT

WITH_WIDGET = ["test_leaves_a_widget"] if HAS_QT else []
WITHOUT_WIDGET = [] if HAS_QT else ["-k", "not widget"]
PROBE = ROOT / "tests" / "fixtures" / "leftover_probe.py"


def test_leftovers_when_a_test_has_some_then_it_alone_fails(tmp_path: Path) -> None:
    home = tmp_path / "person"
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(PROBE), "-q", "-rE", *WITHOUT_QT, *WITHOUT_WIDGET],
        cwd=ROOT,
        env=os.environ | {"HOME": str(home), "USERPROFILE": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    guilty = [line.split("::")[1] for line in done.stdout.splitlines() if line[:5] == "ERROR"]
    leaving = ["test_leaves_a_process", "test_leaves_a_thread", *WITH_WIDGET]
    leaving += ["test_looks_into_the_home"]
    assert [name.split()[0] for name in guilty] == leaving
    assert f"{len(leaving) + 2} passed" in done.stdout
    assert f"{len(leaving)} errors" in done.stdout
    assert "the thread 'forgotten'" in done.stdout
    assert ("the widget Notice 'without a parent'" in done.stdout) is HAS_QT
