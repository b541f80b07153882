"""What a text names in the demo world: things of that name, not those whose letters hold it."""

from datetime import UTC, datetime

import pytest

from toolplanner_core.providers.demo.world.kitchen import cocktails, recipes
from toolplanner_core.providers.demo.world.nature import beaches
from toolplanner_core.providers.demo.world.world import World, contains_words

WORLD = World(seed=0, now=datetime(2026, 11, 20, 12, tzinfo=UTC))


@pytest.mark.parametrize(
    ("one", "other", "is_meant"),
    [
        ("gin", "ginger beer", False),
        ("nice", "venice beach", False),
        ("rum", "white rum", True),
        ("limes", "lime juice", True),
        ("cherries", "maraschino cherry", True),
        ("tomatoes", "tomato", True),
        ("the louvre", "louvre", True),
        ("swiss", "swis", False),
    ],
)
def test_name_when_said_then_only_whole_words_mean_it(one: str, other: str, is_meant: bool) -> None:
    assert contains_words(one, other) is is_meant
    assert contains_words(other, one) is is_meant


def test_things_when_asked_for_by_a_part_of_a_word_then_none_of_the_others() -> None:
    drinks = cocktails(WORLD, {"ingredient": "gin", "limit": 50})["drinks"]
    assert drinks and all("gin" in dict(drink["ingredients"]) for drink in drinks)
    assert beaches(WORLD, {"name": "Nice"})["beaches"] == []
    assert beaches(WORLD, {"name": "Venice"})["count"] == 1
    assert recipes(WORLD, {"ingredient": "tomatoes"})["count"] > 0
