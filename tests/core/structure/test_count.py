"""The figures of `make count`: what is code, and what only says something about it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

FILE = '''"""What it is.

Why it is.
"""

import os  # 1

LIMIT = 3  # 2
"""What the limit means."""


class Thing:  # 3
    """A thing."""

    # A comment.
    def do(self) -> str:  # 4
        """Do it."""
        return """two
lines"""  # 5, 6
'''


def counted(checkout: Path) -> "subprocess.CompletedProcess[str]":
    script = ROOT / "packaging" / "count.py"
    return subprocess.run(
        [sys.executable, script, checkout], capture_output=True, text=True, check=False
    )


def test_count_when_a_checkout_is_given_then_only_code_counts(tmp_path: Path) -> None:
    for place in ("core/toolplanner_core/runs", "toolplanner_gui/panels", "toolplanner_gui"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "one.py").write_text(FILE)
    demo = tmp_path / "core" / "toolplanner_core" / "providers" / "demo"
    demo.mkdir(parents=True)
    (demo / "one.py").write_text("class _Own:\n    x = 1\n")
    lines = [line.split() for line in counted(tmp_path).stdout.splitlines()]
    assert ["runs", "1", "6"] in lines
    assert ["toolplanner_gui/panels", "1", "6"] in lines
    assert ["all", "4", "20"] in lines
    assert ["demo", "world", "1", "2"] in lines
    assert ["without", "demo", "world", "and", "offline", "rules", "3", "18"] in lines
    assert lines[-1] == ["class", "names", "used", "twice:", "1:", "Thing"]


def test_count_when_there_is_no_checkout_then_says_so(tmp_path: Path) -> None:
    done = counted(tmp_path)
    assert (done.returncode, "is no checkout" in done.stderr) == (1, True)


def test_offline_planner_when_counted_then_it_stays_small() -> None:
    printed = counted(ROOT).stdout
    rules = next(line for line in printed.splitlines() if "offline rules" in line)
    assert int(rules.split()[-1].replace(",", "")) <= 2_000
