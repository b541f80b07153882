"""A quantity is told in the unit that a question asks for, where it came in another one."""

import pytest

from toolplanner_core.words.unit_conversion import convert_asked_quantity


@pytest.mark.parametrize(
    ("asked", "told", "words"),
    [
        ("How far is it in miles", "Distance 877.5 km", "877.5 km are 545.3 miles"),
        ("How many miles is it", "Distance: 1,000 km", "1,000 km are 621.4 miles"),
        ("Wind in mph", "wind 20 km/h, gusts 31 km/h", "20 km/h are 12.4 mph"),
        ("its weight in kilograms", "weight 10 lb", "10 lb are 4.5 kilograms"),
        ("height in feet", "elevation 1500 m", "1500 m are 4,921.3 feet"),
    ],
)
def test_quantity_when_told_in_another_unit_then_it_is_said_in_the_one_asked_for(
    asked: str, told: str, words: str
) -> None:
    found = convert_asked_quantity(asked, told)
    assert found is not None
    assert found.words == words
    assert f" {found.asked}" in asked


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("How far is it in miles", "distance 877.5 km, 545.2 miles"),
        ("How far is it in miles", "bearing 246.7"),
        ("How far is it in miles", "weight 10 kg"),
        ("Who lives within 5 miles", "distance 3 km"),
        ("How far is it", "distance 877.5 km"),
        ("How many km are 26.2 miles", "26.2 miles: result 42.16"),
        ("The pounds for 20 kg of rice", "price 31 g"),
    ],
)
def test_quantity_when_asked_for_in_no_other_unit_then_it_stays_as_it_is(
    asked: str, told: str
) -> None:
    assert convert_asked_quantity(asked, told) is None
