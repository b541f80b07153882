"""Which arguments of an API another one of its toolkit is given: labelled on all pairs of the demo.

A person has read every pair of names that is taken for one, and every pair of APIs of which one is
called in the place of the other by itself.
"""

import dataclasses
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
)
from toolplanner_core.strategies.techniques.same_question import is_same_operation
from toolplanner_core.workspace import Workspace

SAME = {
    "address": "ip ipAddress",
    "amount": "quantity sum value",
    "arrival_city": "destination to",
    "carrier_code": "carrier courier",
    "city": "location name near place q query town",
    "code": "number postcode tracking_number",
    "country": "name",
    "courier": "carrier carrier_code",
    "date": "day",
    "day": "date",
    "departure_city": "from origin",
    "destination": "arrival_city receiver_city to",
    "food": "item name",
    "from": "departure_city origin sender_city source",
    "from_unit": "from target_unit to unit",
    "have": "from source",
    "id": "number tracking_number",
    "ingredient": "flavour ingredients",
    "ingredients": "ingredient",
    "ip": "address ipAddress",
    "ipAddress": "address ip",
    "item": "food name",
    "language": "target_language",
    "lat": "latitude",
    "latitude": "lat",
    "lemma": "word",
    "lng": "lon longitude",
    "location": "city place q",
    "lon": "lng longitude",
    "longitude": "lng lon",
    "lottery": "game",
    "name": "city country food item park place query",
    "number": "id tracking_number",
    "origin": "departure_city from sender_city",
    "park": "name",
    "phrase": "text",
    "place": "location query",
    "postcode": "code",
    "q": "location",
    "quantity": "amount sum",
    "query": "place",
    "receiver_city": "destination to",
    "sender_city": "from origin",
    "source": "from",
    "sum": "amount quantity",
    "symbol": "ticker",
    "target": "to",
    "target_language": "language",
    "text": "phrase",
    "ticker": "symbol",
    "to": "arrival_city destination receiver_city target",
    "to_unit": "from target_unit to unit",
    "town": "city name near place",
    "tracking_number": "id number",
    "url": "site",
    "value": "amount",
    "want": "target to",
    "website": "site",
    "word": "lemma",
    "zipcode": "zip",
}
"""Names that the second API has for what the first means by its own, in the demo; units are all
"km/h" there, so that they stand for each other."""
CONVERTED = {"diesel", "protein", "speed", "de", "German", "1.5,2.5"}
"""Values in another form, and those that stand fixed in the first one's address."""
CALLED = {
    ("Beaches near city", "Dog beaches"),
    ("Carrier of number", "Detect carrier"),
    ("Cheapest petrol near a city", "Gas prices in city"),
    ("Cocktails with ingredient", "Flavour match"),
    ("Convert currency", "Exchange"),
    ("Convert units", "Convert measure"),
    ("Current time in city", "Now"),
    ("Current time in city", "Time"),
    ("Energy of food", "Calories and nutrients of food"),
    ("Energy of food", "Nutrition label"),
    ("Exchange", "Latest rates"),
    ("Forecast by coordinates", "Point forecast"),
    ("Geocode city", "Forward geocoding"),
    ("Geocode city", "Geocode v2"),
    ("Geocode city", "Single geocode (legacy)"),
    ("Geocode v2", "Forward geocoding"),
    ("Geocode v2", "Single geocode (legacy)"),
    ("Latest stock price", "Stock price now"),
    ("Latest stock price", "Stock quote"),
    ("Map image", "Static map of place"),
    ("Museums in city", "Sights in city"),
    ("Next public holiday", "Countdown to holiday"),
    ("Population of country", "Country information"),
    ("Protein in food", "Calories and nutrients of food"),
    ("Protein in food", "Nutrition label"),
    ("Recipes with ingredient", "Search recipes by ingredient"),
    ("Single geocode (legacy)", "Forward geocoding"),
    ("Single geocode (legacy)", "Geocode v2"),
    ("Static map of place", "Map link"),
    ("Stock price now", "Latest stock price"),
    ("Stock price now", "Stock quote"),
    ("Synonyms", "Entry"),
    ("Temperature now", "Current conditions"),
    ("Time", "Now"),
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
            sources = [each for each, given in pair.given.items() if given == value]
            if not sources:
                assert value in CONVERTED
            for source in sources:
                if source != name and name not in SAME.get(source, "").split():
                    wrong.add((source, name))
    assert len(pairs) > 1_800
    assert wrong == set()
    assert sum(pair.carried.is_complete for pair in pairs) > 350


def shown_values(pair: Pair) -> dict[str, Any]:
    """The same arguments with the values that the documentation shows."""
    shown = {each.name: each.schema.get("examples") for each in pair.first.parameter_list}
    return {name: (shown[name] or [value])[0] for name, value in pair.given.items()}


def test_apis_when_all_pairs_of_the_demo_are_judged_then_those_are_called_that_do_the_same(
    pairs: list[Pair],
) -> None:
    called = {
        (pair.first.name, pair.second.name)
        for pair in pairs
        if is_same_operation(pair.first, pair.second)
        and carry_arguments(pair.first, pair.second, shown_values(pair)).is_complete
    }
    assert called == CALLED


def api(name: str, required: str = "", **properties: dict[str, Any]) -> Api:
    schema = {"type": "object", "properties": properties, "required": required.split()}
    return make_api(name, parameters=schema)


CITY = {"type": "string", "description": "City."}
PLACE = {"type": "string", "description": "Town, station or address."}
GRAMS = {"type": "number", "description": "Weight in grams."}


NUMBER, TEXT = {"type": "number"}, {"type": "string"}
COUNTRY = {"type": "string", "description": "Country."}


@pytest.mark.parametrize(
    ("first", "second", "given", "carried"),
    [
        (api("a", n=TEXT), api("b", n=NUMBER), {"n": "250"}, {"n": 250}),
        (api("a", n=NUMBER), api("b", n=TEXT), {"n": 250}, {"n": "250"}),
        (
            api("a", country=COUNTRY),
            api("b", country={"type": "string", "description": "Two-letter ISO code."}),
            {"country": "Norway"},
            {"country": "NO"},
        ),
        (
            api("a", lang={"type": "string", "description": "Language code."}),
            api("b", language={"type": "string", "enum": ["German", "Swedish"]}),
            {"lang": "sv"},
            {"language": "Swedish"},
        ),
        (
            api("a", radius={"type": "number", "description": "Radius in kilometres."}),
            api("b", radius={"type": "number", "description": "Radius in metres."}),
            {"radius": 2.5},
            {"radius": 2500},
        ),
        (
            api("a", radius={"type": "number", "description": "Radius in kilometres."}),
            api("b", radius=NUMBER),
            {"radius": 2.5},
            {},
        ),
        (
            api("a", date={"type": "string", "description": "Date, YYYY-MM-DD."}),
            api("b", date={"type": "string", "description": "Date, DD/MM/YYYY."}),
            {"date": "2026-03-07"},
            {"date": "07/03/2026"},
        ),
        (
            api("a", lat=NUMBER, lng=NUMBER),
            api("b", "at", at={"type": "string", "description": "Latitude and longitude."}),
            {"lat": 48.5, "lng": -2},
            {"at": "48.5,-2"},
        ),
        (
            api("a", city=PLACE),
            api("b", city={"type": "string", "description": "City and state."}),
            {"city": "Springfield, Illinois"},
            {"city": "Springfield, Illinois"},
        ),
        (api("a", api_key=TEXT), api("b", api_key=TEXT), {"api_key": "s3cret"}, {}),
        (api("a", petId=NUMBER), api("b", petId=NUMBER), {"petId": 7}, {}),
        (api("a", city=PLACE), api("b", filter={"type": "object"}), {"city": {"a": 1}}, {}),
    ],
    ids=[
        "text to number", "number to text", "code of a country", "name of a language",
        "length", "no unit", "day", "position", "form of the value", "key", "number of a service",
        "an object",
    ],
)  # fmt: skip
def test_value_when_it_has_one_exact_form_then_that_is_carried(
    first: Api, second: Api, given: dict[str, Any], carried: dict[str, Any]
) -> None:
    assert carry_arguments(first, second, given).arguments == carried


def test_choice_when_it_stands_fixed_in_an_address_then_it_is_carried() -> None:
    fuel = {"type": "string", "enum": ["petrol", "diesel"]}
    diesel = dataclasses.replace(api("a", city=PLACE), url="https://a.example/v1/diesel")
    both = dataclasses.replace(api("b", city=PLACE, fuel=fuel), url="https://b.example/prices")
    given = {"city": "Oslo"}
    assert carry_arguments(diesel, both, given).arguments == {**given, "fuel": "diesel"}
    assert carry_arguments(both, diesel, {**given, "fuel": "diesel"}).is_complete
    assert not carry_arguments(both, diesel, {**given, "fuel": "petrol"}).is_complete


def test_default_when_it_may_be_an_example_then_it_is_not_sent() -> None:
    shown = {"type": "string", "default": "5500 Grand Lake Drive"}
    first = api("a", address=shown, n=NUMBER)
    assert carry_arguments(first, api("b", address=shown, n=NUMBER), {"n": 1}).arguments == {"n": 1}
    team = api("a", team={"type": "number", "default": 1}, n=NUMBER)
    carried = carry_arguments(team, api("b", team=NUMBER, n=NUMBER), {"n": 2})
    assert (carried.arguments, carried.lost) == ({"n": 2}, {"team": 1})


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
        (api("a", n={"type": "string"}), api("b", n={"type": "integer"}), {"n": "one"}),
        (api("a", city=CITY), api("b", place=CITY, location=CITY), {"city": "Oslo"}),
        (api("a", place=PLACE), api("b", city=CITY), {"place": "Oslo"}),
        (
            api("a", country={"type": "string", "description": "Country."}),
            api("b", country={"type": "string", "description": "Two-letter ISO code."}),
            {"country": "Norwegen"},
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
