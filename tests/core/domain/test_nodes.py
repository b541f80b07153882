"""What people see of a node's data."""

import pytest

from toolplanner_core.domain.nodes import ShownField


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
    assert ShownField("weight", "Weight").text_of({"weight": value}) == said


def test_share_when_shown_then_from_0_to_100() -> None:
    weight = ShownField("weight", "Weight", is_share=True)
    told = [weight.text_of({"weight": value}) for value in (0.2, 1 / 3, 0.0051, 0.0, 1.0)]
    assert told == ["20", "33.3", "0.51", "0", "100"]
