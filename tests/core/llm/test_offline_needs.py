"""How the offline planner splits queries into needs."""

# ruff: noqa: E501 - a table is read best with one case per line
# fmt: off

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.llm.offline.planning import refers_back, split_needs

CASES: list[tuple[str, list[str]]] = [
    ("What is the weather in Lyon?", ["What is the weather in Lyon"]),
    ("What is the weather in Lyon and what time is it there?", ["What is the weather in Lyon", "what time is it there"]),
    ("Convert 100 euros to dollars and then tell me the weather in New York tomorrow.", ["Convert 100 euros to dollars", "the weather in New York tomorrow"]),
    ("I'm travelling to Lyon next week. What's the weather going to be, and are there any parks nearby?", ["What's the weather going to be", "are there any parks nearby"]),
    ("Find the weather in Paris and Rome", ["Find the weather in Paris", "Find the weather in Rome"]),
    ("Find the weather in Paris, Rome and Oslo", ["Find the weather in Paris", "Find the weather in Rome", "Find the weather in Oslo"]),
    ("Find me a recipe with chicken and rice", ["Find me a recipe with chicken and rice"]),
    ("Show the weather in Paris, the time in Tokyo, and the price of Apple stock.", ["Show the weather in Paris", "the time in Tokyo", "the price of Apple stock"]),
    ("What is the distance between Paris and Rome?", ["What is the distance between Paris and Rome"]),
    ("How far is it from Paris to Rome and how long does the flight take?", ["How far is it from Paris to Rome", "how long does the flight take"]),
    ("Find the nearest beach to Lyon, then check the weather there.", ["Find the nearest beach to Lyon", "check the weather there"]),
    ("Can you please tell me the exchange rate from USD to EUR? Also, list the public holidays in Germany.", ["the exchange rate from USD to EUR", "list the public holidays in Germany"]),
    ("weather Lyon", ["weather Lyon"]),
    ("Quel temps fait-il à Lyon ?", ["Quel temps fait-il à Lyon"]),
    ("Wie wird das Wetter in München und wie spät ist es dort?", ["Wie wird das Wetter in München und wie spät ist es dort"]),
    ('Translate "hello and goodbye, friend" to French', ['Translate "hello and goodbye, friend" to French']),
    ('Translate "thanks" to French and Spanish', ['Translate "thanks" to French', 'Translate "thanks" to Spanish']),
    ("Convert 5 EUR to USD and GBP", ["Convert 5 EUR to USD", "Convert 5 EUR to GBP"]),
    ("I want to track my package CA107308006SI and find out which carrier it is.", ["track my package CA107308006SI", "which carrier it is"]),
    ("Find the gas prices in Springfield, IL and crime rates for that city.", ["Find the gas prices in Springfield, IL", "crime rates for that city"]),
    ("How much is 50 GBP in JPY, and how do you make a Margarita?", ["How much is 50 GBP in JPY", "how do you make a Margarita"]),
    ("Is example.com up? If so, get its IP address.", ["Is example.com up", "get its IP address"]),
    ("Get the coordinates of Lyon, find helicopters near there and show a static map", ["Get the coordinates of Lyon", "find helicopters near there", "show a static map"]),
    ("Public holidays in Bosnia and Herzegovina", ["Public holidays in Bosnia and Herzegovina"]),
    ("Public holidays in France and Germany", ["Public holidays in France", "Public holidays in Germany"]),
    ("stock price of Apple and Microsoft", ["stock price of Apple", "stock price of Microsoft"]),
    ("Look up the zip code of Springfield, IL; after that find gas prices for it", ["Look up the zip code of Springfield, IL", "find gas prices for it"]),
    ("weather in Paris and exchange rate from USD to EUR", ["weather in Paris", "exchange rate from USD to EUR"]),
    ("times of sunrise and sunset in Lyon", ["times of sunrise and sunset in Lyon"]),
    ("Please suggest a cocktail with gin, and a recipe for pasta.", ["suggest a cocktail with gin", "a recipe for pasta"]),
    ("I need the name, address and phone number of the shop in Lyon", ["the name, address and phone number of the shop in Lyon"]),
    ("What's the capital of France and its population?", ["What's the capital of France", "its population"]),
    ("I live in Oslo. I like hiking. Which parks are near me?", ["Which parks are near me"]),
    ("Convert 1,250.50 USD to EUR.", ["Convert 1,250.50 USD to EUR"]),
    ("Where is Mt. Fuji? And how high is it?", ["Where is Mt. Fuji", "how high is it"]),
    ("Could you also check the air quality in Delhi?", ["check the air quality in Delhi"]),
    ("I would like to know the moon phase on 2026-12-01 and I also need the sunset time in Oslo", ["the moon phase on 2026-12-01", "the sunset time in Oslo"]),
    ("Give me the forecast for Austin, TX for the next 3 days", ["the forecast for Austin, TX for the next 3 days"]),
    ("Compare shipping rates from Hamburg to Munich and to Berlin", ["Compare shipping rates from Hamburg to Munich and to Berlin"]),
    ("Find a park in Utah\nFind a beach in Spain", ["Find a park in Utah", "Find a beach in Spain"]),
    ("Tell me a joke", ["a joke"]),
    ("Hi! What does serendipity mean, and what are synonyms of happy?", ["What does serendipity mean", "what are synonyms of happy"]),
]


@pytest.mark.parametrize(("query", "expected"), CASES)
def test_split_when_query_is_natural_then_its_needs(query: str, expected: list[str]) -> None:
    assert [need.text for need in split_needs(query)] == expected


def test_cases_when_counted_then_at_least_forty() -> None:
    assert len(CASES) >= 40


@settings(max_examples=300, deadline=None)
@given(query=st.text(max_size=120))
def test_split_when_query_is_any_text_then_needs_are_never_blank(query: str) -> None:
    needs = split_needs(query)
    assert all(need.text.strip() for need in needs)
    assert bool(needs) == bool(query.strip())


@given(pieces=st.lists(st.sampled_from([case[0] for case in CASES]), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_split_when_queries_are_joined_then_no_need_is_lost(pieces: list[str]) -> None:
    alone = sum(len(split_needs(piece)) for piece in pieces)
    joined = len(split_needs("\n".join(pieces)))
    assert joined >= 1
    assert joined <= alone


@pytest.mark.parametrize(
    ("need", "said"),
    [
        ("List all the notes that were saved", ""),
        ("the notes that have a title", ""),
        ("the day that it rains", ""),
        ("convert that amount to yen", "convert that"),
        ("is that city safe", "that city"),
    ],
)
def test_need_when_a_relative_clause_follows_then_it_takes_up_nothing(need: str, said: str) -> None:
    assert refers_back(need) == said
