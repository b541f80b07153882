"""Which arguments of an API another one of its toolkit is given: labelled on all pairs of the demo.

A person has read every pair of names that is taken for one, and every pair of APIs of which one is
called in the place of the other by itself.
"""

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fixtures.scripted_run import make_api

from toolplanner_core.curation.sharing.exports.contents import read_contents
from toolplanner_core.domain.api import Api, Parameter
from toolplanner_core.strategies.techniques.argument_carrying import (
    CarriedArguments,
    carry_arguments,
    is_same_operation,
)
from toolplanner_core.workspace import Workspace

SAME = {
    "address": "ip ipAddress",
    "amount": "quantity sum",
    "arrival_city": "destination to",
    "city": "location near place town",
    "code": "number postcode tracking_number",
    "country": "name",
    "date": "day",
    "day": "date",
    "departure_city": "from origin",
    "destination": "arrival_city receiver_city to",
    "food": "item name",
    "from": "departure_city origin sender_city source",
    "have": "from source",
    "id": "number tracking_number",
    "ip": "address ipAddress",
    "ipAddress": "address ip",
    "item": "food name",
    "language": "target_language",
    "lat": "latitude",
    "latitude": "lat",
    "lng": "lon longitude",
    "location": "place",
    "lon": "lng longitude",
    "longitude": "lng lon",
    "name": "country food item park",
    "number": "id tracking_number",
    "origin": "departure_city from sender_city",
    "park": "name",
    "place": "location",
    "postcode": "code",
    "quantity": "amount sum",
    "receiver_city": "destination to",
    "sender_city": "from origin",
    "source": "from",
    "sum": "amount quantity",
    "symbol": "ticker",
    "target": "to",
    "target_language": "language",
    "ticker": "symbol",
    "to": "arrival_city destination receiver_city target",
    "town": "city near place",
    "tracking_number": "id number",
    "url": "site",
    "want": "target to",
    "zipcode": "zip",
}
"""Names that the second API has for what the first means by its own, in the demo."""
CALLED = {
    ("Airport of city", "Nearest airports"),
    ("Beaches near city", "Dog beaches"),
    ("Carrier of number", "Detect carrier"),
    ("Convert currency", "Exchange"),
    ("Crime statistics of a city", "Crime by year"),
    ("Current time in city", "Now"),
    ("Energy of food", "Calories and nutrients of food"),
    ("Energy of food", "Nutrition label"),
    ("Forecast by coordinates", "Point forecast"),
    ("Geocode city", "Geocode v2"),
    ("Geocode city", "Single geocode (legacy)"),
    ("Latest stock price", "Stock price now"),
    ("Latest stock price", "Stock quote"),
    ("Map image", "Static map of place"),
    ("Museums in city", "Sights in city"),
    ("Next public holiday", "Countdown to holiday"),
    ("Population of country", "Country information"),
    ("Protein in food", "Calories and nutrients of food"),
    ("Protein in food", "Nutrition label"),
    ("Static map of place", "Map link"),
    ("Stock price now", "Latest stock price"),
    ("Stock price now", "Stock quote"),
    ("Sunrise and sunset times", "Solar times"),
    ("Temperature now", "Current conditions"),
    ("US forecast", "Daily forecast"),
    ("Winning lottery numbers", "Jackpot and numbers"),
}
"""Of which the second answers what the first was asked."""


class Pair(NamedTuple):
    """Two members of a toolkit, what the first is given, and what of it the second."""

    first: Api
    second: Api
    given: dict[str, Any]
    carried: CarriedArguments


def value_of(parameter: Parameter, place: int) -> Any:
    """A value of its own for each argument, unless there is a choice."""
    choice = parameter.schema.get("enum")
    numbers = {"integer": place, "number": place + 0.5}
    return choice[0] if choice else numbers.get(parameter.type, f"value of {parameter.name}")


@pytest.fixture(scope="module")
def pairs(demo_file: Path) -> list[Pair]:
    def found() -> Iterator[Pair]:
        with Workspace.open(demo_file) as workspace:
            kits = read_contents(workspace).toolkits
        for kit in kits:
            for first, second in permutations([member.api for member in kit.members], 2):
                for is_all in (False, True):
                    given = {
                        each.name: value_of(each, place)
                        for place, each in enumerate(first.parameter_list, start=1)
                        if each.required or is_all
                    }
                    yield Pair(first, second, given, carry_arguments(first, second, given))

    return list(found())


def test_values_when_carried_between_all_pairs_of_the_demo_then_none_is_wrong(
    pairs: list[Pair],
) -> None:
    wrong: set[tuple[str, str]] = set()
    for pair in pairs:
        for name, value in pair.carried.arguments.items():
            [source] = [each for each, given in pair.given.items() if given == value]
            if source != name and name not in SAME.get(source, "").split():
                wrong.add((source, name))
    assert len(pairs) > 1_800
    assert wrong == set()
    complete = [pair for pair in pairs if pair.carried.is_complete]
    assert len(complete) > 250
    for pair in complete:
        assert sorted(map(str, pair.carried.arguments.values())) == sorted(
            map(str, pair.given.values())
        )


def test_apis_when_all_pairs_of_the_demo_are_judged_then_those_are_called_that_do_the_same(
    pairs: list[Pair],
) -> None:
    called = {
        (pair.first.name, pair.second.name)
        for pair in pairs
        if pair.carried.is_complete and is_same_operation(pair.first, pair.second)
    }
    assert called == CALLED


def api(name: str, required: str = "", **properties: dict[str, Any]) -> Api:
    schema = {"type": "object", "properties": properties, "required": required.split()}
    return make_api(name, parameters=schema)


CITY = {"type": "string", "description": "City."}
GRAMS = {"type": "number", "description": "Weight in grams."}


@pytest.mark.parametrize(
    ("first", "second", "given"),
    [
        (api("a", city=CITY, weight=GRAMS), api("b", city=CITY), {"city": "Oslo", "weight": 2}),
        (
            api("a", weight=GRAMS),
            api("b", weight={"type": "number", "description": "Weight in ounces."}),
            {"weight": 2},
        ),
        (api("a", city=CITY), api("b", "date", city=CITY, date=CITY), {"city": "Oslo"}),
        (api("a", days={"type": "integer", "default": 3}), api("b"), {}),
        (api("a", day=CITY), api("b", day={**CITY, "enum": ["Monday"]}), {"day": "Oslo"}),
        (api("a", n={"type": "number"}), api("b", n={"type": "integer"}), {"n": 1.5}),
        (api("a", n={"type": "string"}), api("b", n={"type": "integer"}), {"n": "1"}),
        (api("a", city=CITY), api("b", place=CITY, location=CITY), {"city": "Oslo"}),
        (api("a", place=CITY), api("b", city=CITY), {"place": "Oslo"}),
        (
            api("a", country={"type": "string", "description": "Country."}),
            api("b", country={"type": "string", "description": "Two-letter ISO code."}),
            {"country": "Norway"},
        ),
        (api("a", lat=GRAMS, latitude=GRAMS), api("b", lat=GRAMS), {"lat": 1, "latitude": 2}),
        (api("a"), api("b"), {"unknown": 1}),
    ],
    ids=[
        "no place", "unit", "required", "default", "choice", "whole number", "type", "two places",
        "narrower", "form", "two values", "undocumented",
    ],
)  # fmt: skip
def test_values_when_it_is_not_sure_that_all_are_meant_then_it_is_not_complete(
    first: Api, second: Api, given: dict[str, Any]
) -> None:
    assert not carry_arguments(first, second, given).is_complete
