"""Numbers and times in words."""

import pytest

from toolplanner_core.words.formatting import (
    count,
    counted,
    duration,
    file_size,
    one_line,
    when,
    within,
)

NOW_S = 1_795_000_000.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0004, "0.4 ms"),
        (0.0124, "12 ms"),
        (0.212, "212 ms"),
        (4.13, "4.1 s"),
        (59.99, "1 min"),
        (125, "2 min 5 s"),
        (3840, "1 h 4 min"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_counts() -> None:
    assert count(45284) == "45,284"
    assert counted(1, "API") == "1 API"
    assert counted(2, "category", "categories") == "2 categories"


def test_sizes_of_files_have_the_unit_that_fits() -> None:
    assert file_size(12_442_900) == "12.4 MB"
    assert file_size(1_500) == "1.5 kB"
    assert file_size(12) == "12 bytes"


def test_a_title_inside_a_sentence_keeps_its_abbreviations() -> None:
    assert within("Fit of the toolkit") == "fit of the toolkit"
    assert within("HTTP method") == "HTTP method"


def test_when_close_is_relative() -> None:
    assert when(NOW_S - 10, now_s=NOW_S) == "just now"
    assert when(NOW_S - 720, now_s=NOW_S) == "12 min ago"
    assert when(NOW_S - 720, now_s=NOW_S, is_short=True) == "12 min"


def test_one_line_cuts_and_flattens() -> None:
    assert one_line("a\n\n b\tc") == "a b c"
    assert one_line("x" * 300, 10) == "xxxxxxxxx…"
