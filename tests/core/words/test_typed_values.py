"""Values that a query states beyond doubt, and those that reached no call."""

import pytest

from toolplanner_core.words.query_values import find_query_values, missing_values, unsent_amounts


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("How many dollars would I get for 75 pounds?", ["75 pounds"]),
        ("I've got 3 kg of flour", ["3 kg"]),
        ("the time in Tokyo when it is 9 am in Chicago", ["9 am", "Tokyo", "Chicago"]),
        ("what does 1,250.50 EUR get me", ["1,250.50 EUR"]),
        ("prices of Denver and Boston on Monday in May", ["Denver", "Boston"]),
        ("use the REST API on 2026-12-24 at 15:30", []),
        ("a tile with English labels", []),
        ("What is it?", []),
        ("dollars for seventy-five pounds", ["seventy-five pounds"]),
        ("three recipes in two days", ["three recipes"]),
        ("compare the two cities, one of those songs", []),
    ],
)
def test_typed_values_when_a_query_states_some_then_only_those(
    text: str, values: list[str]
) -> None:
    assert [value.text for value in find_query_values(text)] == values


@pytest.mark.parametrize(
    ("text", "sent", "told", "missing"),
    [
        ("75 pounds in dollars", ['{"amount": 75}'], [], []),
        ("-5 USD in EUR", ['{"amount": 5, "to": "EUR"}'], [], ["-5 USD"]),
        ("-5 USD in EUR", ['{"amount": -5, "to": "EUR"}'], [], []),
        ("-$5 to EUR", ['{"amount": 5, "to": "EUR"}'], [], ["-$5 to"]),
        ("latitude 33.87 S", ['{"lat": -33.87}'], [], []),
        ("LH-123 - 5 days, 2-3 people", ['{"q": "LH-123", "days": 5, "n": 3}'], [], []),
        ("75 pounds in dollars", ["{}"], ["75 currencies"], ["75 pounds"]),
        ("at 3 pm there", ['{"time": "15:00"}'], [], []),
        ("a holiday on 25 December", ['{"month": 12}'], ['{"on": "2026-12-25"}'], []),
        ("a holiday on 25 December", ['{"month": 12}'], ['{"on": "2026-12-26"}'], ["25"]),
        ("weather of Denver and Boston", ['{"q": "Denver"}'], [], ["Boston"]),
        ("weather in New York City", ['{"q": "New York"}'], [], []),
        ("the capital of Japan", ['{"code": "JP"}'], ['{"name": "Japan"}'], []),
        ("a holiday in France", ['{"country": "FR"}'], [], []),
        ("a holiday in France", ['{"country": "DE"}'], [], ["France"]),
        ("100 USD to yen and to euros", ['{"amount": 100, "to": "JPY"}'], [], ["euros"]),
        ("Italian dishes", ['{"diet": "vegan"}'], ["Chana Masala"], ["Italian"]),
        ("a vegan soup", ['{"diet": "vegan"}'], [], []),
        ("a vegan soup", ['{"q": "soup"}'], ["Soup of the day"], ["vegan"]),
        ("gluten-free bread", ['{"q": "bread"}'], ["gluten_free: true"], []),
        ("gluten-free bread", ['{"q": "bread"}'], ["flour, gluten"], ["gluten-free"]),
        ("a dish without nuts", ['{"exclude": "nuts"}'], [], []),
        ("a dish without nuts", ["{}"], ["peanuts, nuts"], ["without nuts"]),
        ("a non-alcoholic drink", ["{}"], ["Mocktails"], []),
        ("a non-alcoholic drink", ["{}"], ["Margarita"], ["non-alcoholic"]),
        ("capital of Kenya and the time there", ['{"q": "Kenya"}'], [], ["there"]),
        ("capital of Kenya and the time there", ['{"q": "Kenya"}', '{"q": "Nairobi"}'], [], []),
        ("the nearest beach to Lyon and the weather there", ['{"lat": 43.5}', "Lyon"], [], []),
        ("how many parks are there near the largest city", ["{}"], [], []),
    ],
)
def test_unreached_when_values_are_sent_or_not_then_those_that_are_nowhere(
    text: str, sent: list[str], told: list[str], missing: list[str]
) -> None:
    assert missing_values(text, sent, told) == missing


def test_unsent_amounts_when_one_of_several_was_sent_then_none() -> None:
    assert unsent_amounts("150 grams of salmon for 2 people", '{"grams": 150}') == []
    assert unsent_amounts("150 grams of salmon", '{"by": "protein"}') == ["150 grams"]


def test_unsent_amounts_when_a_list_meets_the_count_then_none() -> None:
    assert unsent_amounts("Name two parks", '{"state": "UT"}', listed={2.0}) == []
    assert unsent_amounts("Name two parks", '{"state": "UT"}', listed={3.0}) == ["two parks"]


def test_numbers_when_commas_follow_or_part_them_then_each_is_one() -> None:
    text = "Show rooms 461, 1,250 and 7"
    assert [value.text for value in find_query_values(text)][:2] == ["461", "1,250 and"]
    assert missing_values(text, ['{"ids":[461,1250,7]}'], []) == []
    assert "461" in missing_values(text, ['{"ids":[1250,7]}'], [])
