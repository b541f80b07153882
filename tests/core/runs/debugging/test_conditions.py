"""Conditions of breakpoints: a small language over fields, never Python's eval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.breakpoints import parse_condition

FIELDS = {
    "error": "timeout",
    "status": 500,
    "arguments": {"city": "Split", "days": [3, 4]},
    "none": None,
    "title": "PumpWatch · price",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('error == "timeout"', True),
        ("status >= 500 and status < 600", True),
        ("arguments.city in ['Zagreb', 'Split']", True),
        ("arguments.days.1 == 4", True),
        ("arguments.days.9 == null", True),
        ("not (status == 500) or false", False),
        ("not not true", True),
        ("'pl' in arguments.city", True),
        ("missing.path < 3", False),
        ("error < 3", False),
        ("title == 'PumpWatch · price'", True),
        ("error", True),
        ("none", False),
        ("arguments.__class__ == null", True),
        ("[] == []", True),
    ],
)
def test_condition_when_evaluated_then_as_written(text: str, expected: bool) -> None:
    assert bool(parse_condition(text)(FIELDS)) is expected


@pytest.mark.parametrize(
    "text", ["", "a ==", "(a", "a b", "a == == b", "import os; x", "[1,", "(" * 99]
)
def test_condition_when_it_cannot_be_read_then_says_where(text: str) -> None:
    with pytest.raises(BadInput):
        parse_condition(text)


def test_condition_when_refused_then_the_rest_stands_in_the_message_as_it_was_written() -> None:
    with pytest.raises(BadInput) as caught:
        parse_condition('title == "a · b" and arguments.city.upper()')
    assert caught.value.what.endswith("at arguments.city.upper()")


@given(st.text(max_size=60))
def test_condition_when_text_is_anything_then_refused_or_evaluated(text: str) -> None:
    try:
        condition = parse_condition(text)
    except BadInput:
        return
    condition(FIELDS)
