"""Names that differ in case or number only."""

import pytest

from toolplanner_core.curation.naming.same_name import differs_in_form_only


@pytest.mark.parametrize(
    ("name", "other", "is_same"),
    [
        ("Powers", "power", True),
        ("Cat breeds", "Cat breed", True),
        ("Exchange-rates", "Exchange rate", True),
        ("Cat breeds", "Dog breeds", False),
        ("Random number generation", "Random generation, numbers and more", False),
    ],
)
def test_names_when_compared_then_case_and_number_do_not_count(
    name: str, other: str, is_same: bool
) -> None:
    assert differs_in_form_only(name, other) is is_same
