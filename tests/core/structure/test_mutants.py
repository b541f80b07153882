"""Mutants stay true: the text that each changes stands once where it says, and its tests are there.

The mutants themselves are run by `make mutants`.
"""

from pathlib import Path

import pytest
from mutation.mutants import MUTANTS, Mutant

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file}:{mutant.old[:40]!r}")
def test_mutant_when_the_program_changed_then_its_text_still_stands_once(mutant: Mutant) -> None:
    text = (ROOT / "core" / "toolplanner_core" / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    assert mutant.old != mutant.new
    lacking = [n for n in mutant.tests.split() if not (ROOT / "tests" / "core" / n).is_file()]
    assert mutant.tests
    assert lacking == []


def test_mutants_when_counted_then_there_are_at_least_eighty_and_none_twice() -> None:
    assert len({(mutant.file, mutant.old, mutant.new) for mutant in MUTANTS}) == len(MUTANTS) >= 80
