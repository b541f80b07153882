"""What people see of a node's data."""

import pytest

from toolplanner_core.domain.nodes import Shown


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0051020408, "0.0051"),
        (0.70710678, "0.707"),
        (1234.5, "1234"),
        (0.0, "0"),
        (3, "3"),
        (None, ""),
    ],
)
def test_number_when_shown_then_as_many_digits_as_say_something(value: object, said: str) -> None:
    assert Shown("weight", "Weight").said({"weight": value}) == said
