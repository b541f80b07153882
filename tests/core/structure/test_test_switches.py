"""Variables that people set for tests: each reaches them, though every session is a new person."""

import re
from pathlib import Path

from fixtures.fresh_person import SWITCHES

ROOT = Path(__file__).resolve().parents[3]
READ = re.compile(r'environ\.get\(\s*"(TOOLPLANNER_[A-Z_]+)"')
SET = re.compile(r"TOOLPLANNER_[A-Z_]+")


def test_switches_when_tests_read_or_make_sets_them_then_they_are_not_taken_away() -> None:
    files = (ROOT / "tests").rglob("*.py")
    read = {name for path in files for name in READ.findall(path.read_text("utf-8"))}
    set_by_make = set(SET.findall((ROOT / "Makefile").read_text("utf-8")))
    assert {"TOOLPLANNER_DELAYS", "TOOLPLANNER_BENCH"} <= set_by_make <= read
    assert read <= SWITCHES
