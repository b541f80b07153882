"""Arguments as people type them at a stop in the terminal."""

import pytest

from toolplanner_core.cli.stepping import typed_arguments
from toolplanner_core.errors import BadInput


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("days=3", {"days": 3}),
        ("city=New York days=3", {"city": "New York", "days": 3}),
        ('city="New York"  units=metric', {"city": "New York", "units": "metric"}),
        ('where={"a": [1, 2]} n=1', {"where": {"a": [1, 2]}, "n": 1}),
        ("days= city=Rome", {"days": None, "city": "Rome"}),
        ("date=2026-11-21", {"date": "2026-11-21"}),
        ("formula=a=b", {"formula": "a=b"}),
    ],
)
def test_typed_arguments_when_typed_without_quotes_then_read(
    text: str, found: dict[str, object]
) -> None:
    assert typed_arguments(text) == found


def test_typed_arguments_when_there_is_no_name_then_refused() -> None:
    with pytest.raises(BadInput, match="NAME=VALUE"):
        typed_arguments("New York")
