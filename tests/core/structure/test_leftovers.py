"""A test that leaves something running fails itself; the next one does not."""

import subprocess
import sys

from .test_fresh_person import ROOT, WITHOUT_QT

PROBE = ROOT / "tests" / "fixtures" / "leftover_probe.py"


def test_leftovers_when_a_test_has_some_then_it_alone_fails() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(PROBE), "-q", "-rE", *WITHOUT_QT],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    guilty = [line.split("::")[1] for line in done.stdout.splitlines() if line[:5] == "ERROR"]
    assert [name.split()[0] for name in guilty] == ["test_leaves_a_process", "test_leaves_a_thread"]
    assert "4 passed, 2 errors" in done.stdout
    assert "the thread 'forgotten'" in done.stdout
