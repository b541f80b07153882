"""What of a question the offline planner finds that nothing in a call accounts for."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from fixtures.question_samples import NOW, api_card, result

from toolplanner_core.llm.model import ModelContext
from toolplanner_core.llm.offline.call_evidence import (
    CallWithReply,
    supplying_results,
    unaccounted_parts,
    unserved_query_parts,
)
from toolplanner_core.llm.offline.planner import OfflinePlanner
from toolplanner_core.prompts.analyse import Analyse
from toolplanner_core.prompts.final_answer import FinalAnswer

SUN = ("Times of sunrise and sunset at a place.", {"place": "Lyon"}, {"sunset": "17:05"})
DATED = ({"place": "Lyon", "date": "2026-11-21"}, {"sunset": "17:05"})
DRINKS = ("Cocktails that can be mixed with an ingredient such as gin or rum.", {"q": "gin"})
DISHES = ("Recipes that use an ingredient.", {"q": "tofu"}, [{"name": "Ma Po"}, {"name": "Stew"}])
NOW_THERE = ("Current weather of a city: temperature, wind.", {"city": "Lyon"}, {"temp": 3})
CLOCK = ("Present time of a place as text.", {"q": "Lyon"}, {"text": "It is 11:00 PM in Lyon"})
NEXT = (
    "The next holiday of a place after a date.",
    {"place": "Lyon", "date": "2027-10-03"},
    {"name": "Noël", "date": "2027-12-25"},
)
DAILY = ("Weather outside at a place: how warm it is.", {"q": "Lyon"}, {"temp_max": 3})
AIR = ("Air quality at a place.", {"q": "Lyon"}, {"index": 84, "category": "Moderate"})
PHRASE = (
    "Translates a phrase between English, French and Spanish.",
    {"phrase": "hi", "language": "es"},
    {"translation": "hola"},
)
PAIR = (
    "Rate of a pair of currencies.",
    {"have": "CHF", "want": "EUR", "sum": 20},
    {"have": "20.0 CHF", "want": "21.5 EUR", "rate": 1.075},
)
COUNTRY = ("Capital, currency and population of a country.", {"name": "Peru"})
PEOPLE = {"country": "Peru", "capital": "Lima", "population": 34000000}


def heard(goal: str, told: tuple[str, dict[str, Any], Any], *brought: Any) -> CallWithReply:
    described, sent, value = told
    properties = {name: {"type": "string"} for name in sent}
    api = api_card({"type": "object", "properties": properties}, described)
    return CallWithReply(goal, api, "SkyView · forecast", sent, value, brought)


@pytest.mark.parametrize(
    ("goal", "told", "left"),
    [
        ("When is sunset in Lyon?", SUN, []),
        ("When does the sun set in Lyon today?", SUN, []),
        ("When is sunset in Lyon tomorrow?", SUN, ["tomorrow"]),
        ("When is sunset in Lyon on Saturday?", SUN, ["on Saturday"]),
        ("When is sunset in Lyon tomorrow?", (SUN[0], *DATED), []),
        ("When is sunset in Oslo?", SUN, ["Oslo"]),
        ("When is sunset in the city of Lyon?", SUN, []),
        ("Sunset of the city that has most people in Lyon", SUN, ["city", "most"]),
        ("Why is sunset in Lyon so early?", SUN, ["early", "why"]),
        ("A cocktail with gin", (*DRINKS, {"drink": "Gin Fizz"}), []),
        ("A cocktail with rum", (*DRINKS, {"drink": "Gin Fizz"}), ["rum"]),
        ("A cocktail with gin but not lime", (*DRINKS, {"has": "lime"}), ["but", "not"]),
        ("The cheapest cocktail with gin", (*DRINKS, {"drink": "Fizz"}), ["cheapest"]),
        ("The cheapest cocktail with gin", (*DRINKS, [{"name": "Fizz", "price": 3}]), []),
        ("What is the weather in Lyon?", NOW_THERE, []),
        ("What is the weather in Lyon?", (NOW_THERE[0], {"city": "Oslo"}, {"c": 3}), ["Lyon"]),
        ("What time is it in Lyon?", CLOCK, []),
        ("Is 3 October a holiday in Lyon?", NEXT, ["3 October", "holiday"]),
        ("Is 3 October a holiday in Lyon?", (*NEXT[:2], {"holiday": True}), []),
        ("How warm is it outside in Lyon?", DAILY, ["outside"]),
        ("How warm is it outside in Lyon tomorrow?", DAILY, ["tomorrow"]),
        ("What is the weather in Lyon right now?", NOW_THERE, ["right now"]),
        ("What is the weather in Lyon right now?", (*NOW_THERE[:2], {"feels": 3}), []),
        ("What is the city in Lyon?", CLOCK, ["city"]),
        ("Is the air in Lyon bad today?", AIR, []),
        ("translate “hi” from Spanish to French", PHRASE, ["French"]),
        ("translate “hi” to Spanish", PHRASE, []),
        ("Find a cocktail with gin near me", (*DRINKS, {"drink": "Fizz"}), ["near me"]),
        ("Two recipes with tofu", DISHES, []),
        ("Convert 20 francs to euros", PAIR, []),
        ("Convert 25 francs to euros", PAIR, ["25 francs"]),
        ("Convert 20 francs to upper case", PAIR, ["upper", "case"]),
        ("Three recipes with tofu", DISHES, ["Three"]),
        ("A spicy tofu recipe", (DISHES[0], {"q": "spicy tofu"}, {"dish": "tofu"}), ["spicy"]),
        ("How many people live in Peru?", (*COUNTRY, PEOPLE), []),
        ("How many tourists visit Peru?", (*COUNTRY, PEOPLE), ["tourists", "visit"]),
        ("Which countries border Peru?", (*COUNTRY, PEOPLE), ["border"]),
        ("What about Peru?", (*COUNTRY, PEOPLE), ["What about Peru?"]),
        (
            "How many euros are 20 dollars?",
            ("Converts an amount.", {"from": "USD", "to": "EUR", "amount": 20}, {"result": 17.5}),
            [],
        ),
        (
            "How many euros are 20 dollars?",
            ("Converts an amount.", {"from": "EUR", "to": "USD", "amount": 20}, {"result": 22.8}),
            ["euros"],
        ),
        (
            "the weather in July 2026",
            ("Weather of a month.", {"year": 2026, "month": 7}, {"c": 3}),
            [],
        ),
        (
            "the weather in 2026",
            ("Weather of a month.", {"year": 2026, "month": 7}, {"c": 3}),
            ["in 2026"],
        ),
    ],
)
def test_unaccounted_when_a_word_or_value_stands_nowhere_then_it_is_named(
    goal: str, told: tuple[str, dict[str, Any], Any], left: list[str]
) -> None:
    assert unaccounted_parts(heard(goal, told), NOW) == left


def test_unaccounted_when_an_earlier_step_brought_what_was_sent_then_its_place_counts() -> None:
    sent = {"lat": 45.76, "lon": 4.84}
    air = ("Air quality at coordinates.", sent, {"aqi": 3})
    goal = "air quality in Lyon"
    assert unaccounted_parts(heard(goal, air), NOW) == ["Lyon"]
    assert unaccounted_parts(heard(goal, air, *supplying_results(sent, [result()])), NOW) == []


def test_bringing_when_nothing_of_a_result_was_sent_then_it_brings_nothing() -> None:
    assert supplying_results({"q": "Oslo"}, [result()]) == []


def test_left_of_query_when_a_sentence_outside_the_steps_holds_a_condition_then_it_is_named() -> (
    None
):
    step = result(goal="which dish can I eat", value={"dish": "Stew"})
    query = "I am allergic to peanuts; which dish can I eat?"
    question = FinalAnswer(query=query, results=(step,), failures=(), now=NOW)
    assert unserved_query_parts(question) == ["allergic", "peanuts"]
    assert unserved_query_parts(replace(question, query="Which dish can I eat?")) == []


def test_left_of_query_when_there_means_a_day_and_another_is_told_then_the_day_is_named() -> None:
    query = "When is sunset in Lyon tomorrow and will it rain there?"
    first = result(goal="sunset in Lyon tomorrow", value={"at": "17:05"})
    told = {f"{days}": {"day": f"{NOW + timedelta(days=days):%Y-%m-%d}"} for days in (0, 1)}
    for days, left in (("0", ["tomorrow"]), ("1", [])):
        rain = result(step=2, goal="will it rain there", value=told[days])
        question = FinalAnswer(query=query, results=(first, rain), failures=(), now=NOW)
        assert unserved_query_parts(question) == left


def test_result_when_it_is_in_another_unit_of_the_quantity_then_it_serves_and_both_are_said() -> (
    None
):
    distance = {"from": "Berlin", "to": "Paris", "distance_km": 877.5}
    goal = "How far is it from Berlin to Paris in miles?"
    api = api_card({"type": "object", "properties": {}}, "Distance between two cities.")
    asked = Analyse(
        query=goal, goal=goal, api_title="Distance", api=api, value=distance, now=NOW,
        arguments={"from": "Berlin", "to": "Paris"},
    )  # fmt: skip
    said = OfflinePlanner(ModelContext(encode=None)).answer(asked)
    assert said["next"] == "next_step", said
    assert "877.5 km are 545.3 miles" in said["state"]
    heavy = replace(asked, value={**distance, "distance_km": None, "bearing": 246.7})
    assert (
        "says nothing of “miles”"
        in OfflinePlanner(ModelContext(encode=None)).answer(heavy)["state"]
    )
