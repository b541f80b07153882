"""Things and units that a query asks for by number, and what meets them."""

from typing import Any

import pytest

from toolplanner_core.prompts.render import as_json
from toolplanner_core.words.query_values import satisfied_counts, unanswered_units

PARKS = {"state": "Utah", "total": 4, "parks": [{"name": name} for name in "ABCD"]}
DRINK = {"name": "Mojito", "ingredients": [{"name": name} for name in "abcdef"]}


@pytest.mark.parametrize(
    ("text", "value", "met"),
    [
        ("Name two parks in Utah.", PARKS, {2.0}),
        ("Give me 4 parks.", PARKS, {4.0}),
        ("Name five parks.", PARKS, set[float]()),
        ("two sights", {"data": {"results": [{"id": 1}, {"id": 2}]}}, {2.0}),
        ("List two beaches", [{"fuel": "diesel"}, {"fuel": "petrol"}], set[float]()),
        ("List two beaches", {"beaches": ["Bogatell", "Barceloneta"]}, {2.0}),
        ("Show me five cocktails.", DRINK, set[float]()),
        ("2 pounds in kilograms", [1, 2, 3], set[float]()),
        ("5 euros in dollars", [1, 2, 3, 4, 5], set[float]()),
        ("a parcel of two kilograms", [1, 2, 3], set[float]()),
        ("Find dinner for 2 people", [], set[float]()),
    ],
)
def test_counts_when_a_list_has_so_many_things_then_met(
    text: str, value: Any, met: set[float]
) -> None:
    assert satisfied_counts(text, [("Sights", value)]) == met


@pytest.mark.parametrize(
    ("text", "answer", "sent", "told", "missing"),
    [
        ("how many hours of sun", "", {}, {"sunrise": "07:48"}, ["how many hours"]),
        ("how many hours of sun", "", {}, {"sun_hours": 9}, []),
        ("how many hours of sun", "", {}, {"sunshineDuration": "31,320"}, []),
        ("how many hours of sun", "9.3 hours", {}, {"sunrise": "07:48"}, []),
        ("how many days are left", "", {}, {"day": "2026-11-21"}, ["how many days"]),
        ("how many miles is that", "", {"to": "mi"}, {"result": 26.1}, []),
        ("How many minutes?", "", {}, {"steps": "Boil for 10 min."}, []),
        ("how many people live there", "", {}, {"total": 5}, []),
        ("how many pounds for 20 euros", "", {}, {"total": 17.4}, []),
        ("how many dollars for 20 euros", "", {}, {"total": 17.4}, []),
    ],
)
def test_units_when_nothing_speaks_of_them_then_untold(
    text: str, answer: str, sent: Any, told: Any, missing: list[str]
) -> None:
    assert unanswered_units(text, answer, [as_json(sent)], [as_json(told)]) == missing
