"""What the offline planner says about results, and the answer it composes."""

from dataclasses import replace
from typing import Any

import pytest
from fixtures.question_samples import failure, result
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import NOT_SENT
from toolplanner_core.llm.offline.answers import compose_answer, state_result
from toolplanner_core.llm.offline.result_values import is_empty
from toolplanner_core.llm.offline.similarity import is_useful
from toolplanner_core.prompts.analyse import Analyse
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.render import FailureCard, StepResult


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "  ",
        [],
        {},
        [{}],
        {"results": []},
        {"status": "ok"},
        {"status": "success", "data": []},
        {"count": 0, "items": []},
        {"success": False, "message": "nothing"},
        {"message": "No results found for your query"},
        {"error": "City not found"},
        {"data": {"places": [], "total": 0}, "took_ms": 3},
        "No matching records",
    ],
)
def test_is_empty_when_nothing_is_in_it_then_true(value: Any) -> None:
    assert is_empty(value)


@pytest.mark.parametrize(
    "value",
    [
        0,
        False,
        "Sunny",
        {"temperature": 0},
        {"is_holiday": False},
        {"status": "delivered"},
        {
            "entry": "error",
            "definition": "a mistake; no results are free of it, not found or found",
        },
        {"results": [{"name": "x"}]},
        {"summary": "500 errors were found in the text of the weather report, as expected here."},
        {"count": 0, "word": "zero"},
        [0, 0],
    ],
)
def test_is_empty_when_a_fact_is_in_it_then_false(value: Any) -> None:
    assert not is_empty(value)


@pytest.mark.parametrize(
    ("goal", "value", "parts"),
    [
        (
            "What is the weather in Lyon?",
            {"status": "ok", "data": {"city": "Lyon", "temp_c": 4.5, "humidity_pct": 80}},
            ["Weather in Lyon: ", "temp 4.5 °C", "humidity 80%"],
        ),
        (
            "Find the cheapest petrol in Springfield",
            {
                "stations": [
                    {"name": "Esso", "price_usd": 3.4, "address": "Main St"},
                    {"name": "Shell", "price_usd": 3.19, "address": "2nd St"},
                ]
            },
            ["petrol in Springfield: Shell (price 3.19 USD, address 2nd St)", "Esso"],
        ),
        ("convert 100 EUR to USD", {"result": 108.25}, ["108.25"]),
        ("a drink", {"drinks": [{"strDrink": "Fizz", "strGlass": "Highball"}]}, ["glass Highball"]),
        ("5 celsius in fahrenheit", {"degrees": 41, "scale": "f"}, ["41 °F"]),
        ("convert 0 EUR to USD", {"result": 0.0, "rate": 1.142}, ["0 EUR to USD: 0 (rate 1.142"]),
        ("weather", {"temp_min": 0.5, "temp_max": 6}, ["temp min 0.5, temp max 6"]),
        ("weather", {"temp_min_celsius": 0.5, "temp_max_celsius": 6}, ["temp min 0.5 °C"]),
        ("how long is the walk", {"walk_min": 12, "to": "Rome"}, ["12 min"]),
        ("recipes with rice", ["Risotto", "Paella"], ["Risotto, Paella"]),
        ("joke", "Why not?", ["Joke: Why not?"]),
        ("is it a holiday", {"is_holiday": False}, ["Is it a holiday? No"]),
        (
            "parks",
            [{"name": f"Park {n}"} for n in range(9)],
            ["Parks: Park 0; Park 1; Park 2 and 6 more"],
        ),
    ],
)
def test_say_when_value_has_facts_then_they_are_in_the_state(
    goal: str, value: Any, parts: list[str]
) -> None:
    said = state_result(goal, value)
    for part in parts:
        assert part in said


@pytest.mark.parametrize(
    ("query", "value", "expected"),
    [
        ("sights in Lisbon", {"city": "Lisbon, Portugal", "sights": []}, False),
        ("sights in Lisbon", {"city": "Lisbon", "sights": [], "map": "https://a.test/1"}, True),
        ("sights in Lisbon", [{"name": "Tower"}, {"name": "Castle"}], True),
        ("how do I make a Margarita", [{"name": "Mojito"}, {"name": "Cosmopolitan"}], False),
        ("how do I make a Margarita", [{"name": "Mojito"}, {"name": "Margarita"}], True),
        ("Mozart's operas", [{"name": "Don Giovanni"}, {"name": "Titus"}], True),
        ("is 25 December a holiday", {"holiday": False}, True),
        ("how many calories are in salmon", {"food": "salmon", "protein_g": 30}, False),
        ("how many calories are in salmon", {"food": "salmon", "energy": 312}, True),
        ("calories and protein of salmon", {"food": "salmon", "protein_g": 30}, True),
        ("how many people live in Lyon", {"population": 500000}, True),
        ("the sunset in Lyon", [{"name": "sunset", "at": "16:16"}], True),
        ('play the song "Capital"', {"artist": "Gonzales"}, True),
        ("the weather in Lyon", {"ort": "Lyon", "regen": 1}, True),
    ],
)
def test_is_useful_when_compared_with_what_was_asked_then_tells_echoes_and_others(
    query: str, value: Any, expected: bool
) -> None:
    assert is_useful(value, query, query) is expected


@pytest.mark.parametrize(
    ("goal", "value", "expected"),
    [
        (
            "convert 250 EUR to the currency USD",
            {"from": "EUR", "to": "USD", "amount": 250.0, "rate": 1.142, "result": 285.5},
            "250 EUR to the currency USD: 285.5 USD (rate 1.142)",
        ),
        (
            "will it rain in Lyon tomorrow?",
            {"location": "Lyon, France", "day": "2026-11-21", "rain": True},
            "Will it rain in Lyon tomorrow? Yes (day 2026-11-21)",
        ),
        (
            "the temperature and the wind in Lyon",
            {"city": "Lyon", "temp_c": 4.0, "temperature_c": 4.4, "wind_kmh": 11.6},
            "Temperature and the wind in Lyon: temperature 4.4 °C, wind 11.6 km/h (temp 4 °C)",
        ),
        ("Is a.test up?", {"url": "a.test", "state": "up"}, "Is a.test up? State up"),
        ("draw a map of Lyon", {"svg": "<svg xmlns='x'></svg>"}, "Map of Lyon: an image (svg, 21"),
        ("my page", "<!DOCTYPE html>" + "<p>x</p>" * 20, "My page: a web page (html, 175 bytes)"),
        ("my file", {"file": "QUJD" * 60}, "My file: a file (base64, 240 bytes)"),
        ("picture", "data:image/png;base64,AAAA", "Picture: an image (png, 26 bytes)"),
        ("the price of milk", '{"price": 2.5, "currency": "EUR"}', "Price of milk: 2.5 EUR"),
        (
            "parks in Ohio",
            {"state": "Ohio", "parks": [{"name": f"P{n}", "fee_usd": n} for n in range(5)]},
            "Parks in Ohio: P0 (fee 0 USD); P1 (fee 1 USD); P2 (fee 2 USD) and 2 more",
        ),
    ],
)
def test_say_when_a_field_answers_then_it_leads_and_echoes_are_left_out(
    goal: str, value: Any, expected: str
) -> None:
    assert state_result(goal, value).startswith(expected)


def test_say_when_only_echoes_are_there_then_they_are_said() -> None:
    assert state_result("the carrier UPS", {"carrier": "UPS"}) == "Carrier UPS: UPS"


def test_say_when_many_fields_then_those_of_the_goal_are_kept() -> None:
    value = {f"field_{n}": n for n in range(20)} | {"wind_speed": 12}
    said = state_result("the wind in Oslo", value)
    assert "wind speed 12" in said
    assert said.count(",") < 10


def _final(
    results: tuple[StepResult, ...],
    failures: tuple[FailureCard, ...] = (),
    unmet: tuple[str, ...] = (),
) -> Any:
    question = FinalAnswer(query="q", results=results, failures=failures, unmet=unmet)
    return question.parse(compose_answer(question))


def test_answer_when_every_need_has_a_result_then_solved_with_all_states() -> None:
    answer = _final((result(state="Weather in Lyon: 4 °C"), result(step=2, state="Time: 10:30")))
    assert answer.solved
    assert answer.text == "Weather in Lyon: 4 °C.\nTime: 10:30."


def test_answer_when_a_step_fell_back_then_still_solved() -> None:
    assert _final((result(state="Done"),), (failure(step=1),)).solved


def test_answer_when_a_need_is_unmet_then_says_which_and_why() -> None:
    answer = _final((result(state="Done"),), (failure(),), ("weather in Lyon",))
    assert not answer.solved
    assert "Not answered: Weather in Lyon" in answer.text
    assert "SkyView · forecast: down for" in answer.text
    assert "Weather in Lyon" in answer.reason


def test_answer_when_an_api_was_never_asked_then_it_is_not_told_as_tried() -> None:
    unsent = replace(
        failure(), api_title="WordWell · Define", message='"word" is missing.', origin=NOT_SENT
    )
    text = _final((), (unsent, failure()), ("weather in Lyon",)).text
    assert text.endswith('. Not sent: WordWell · Define: "word" is missing.')
    assert "Not answered: Weather in Lyon. Tried SkyView · forecast: " in text
    alone = _final((), (unsent,), ("weather in Lyon",)).text
    assert "Tried" not in alone


def test_answer_when_an_attempt_of_another_need_came_near_then_it_is_no_reason_of_this_one() -> (
    None
):
    near = replace(failure(), goal="time in Rome", message="Rome: 4 (says nothing of “time”)")
    failures = (near, replace(failure(), goal="say “umbrella”"))
    alone = _final((result(state="Done"),), failures, ("say “umbrella”",))
    both = _final((result(state="Done"),), failures, ("time in Rome", "say “umbrella”"))
    assert alone.reason == "Not answered: Say “umbrella”"
    near_said = "SkyView · forecast says nothing of “time”"
    assert both.reason == f"Not answered: Time in Rome ({near_said}); Say “umbrella”"


def test_answer_when_no_toolkit_was_tried_then_says_that_none_can() -> None:
    answer = _final((result(state="Done"),), (), ("book a dentist", "a joke"))
    assert answer.text == "Done.\nThe offline planner found no toolkit for: Book a dentist; Joke."
    assert answer.reason == "The offline planner found no toolkit for: Book a dentist; Joke"


def test_answer_when_a_need_waited_for_a_failed_one_then_says_so() -> None:
    answer = _final((), (failure(),), ("weather in Lyon", "where is that parcel"))
    assert "Where is that parcel. What it needs was not found." in answer.text


def test_answer_when_no_result_then_unsolved_with_reason() -> None:
    answer = _final((), (failure(error=ErrorClass.TIMEOUT),))
    assert not answer.solved
    assert answer.reason
    assert answer.text


def test_answer_when_a_step_only_fetched_an_input_then_not_shown() -> None:
    geo = result(goal="Find the coordinates of Lyon", state="Coordinates of Lyon: 45.76, 4.84")
    air = result(step=2, goal="air quality in Lyon", state="Air quality in Lyon: 3")
    assert _final((geo, air)).text == "Air quality in Lyon: 3."


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["data", "name", "status", "message", "temp_c", "count", ""])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=400, deadline=None)
@given(value=JSON, goal=st.text(max_size=30))
def test_state_when_value_is_anything_then_parses_and_is_short(value: Any, goal: str) -> None:
    question = Analyse(query="q", goal=goal, api_title="t", value=value)
    answer = question.parse(
        {"useful": is_useful(value, "q", goal), "state": state_result(goal, value)}
    )
    assert answer.state


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(JSON, max_size=3),
    unmet=st.lists(st.text(max_size=20), max_size=3),
    failures=st.integers(0, 3),
)
def test_answer_when_anything_then_parses_and_never_solved_with_open_needs(
    values: list[Any], unmet: list[str], failures: int
) -> None:
    results = tuple(result(step=n, value=value) for n, value in enumerate(values, 1))
    answer = _final(results, (failure(),) * failures, tuple(unmet))
    assert answer.solved == (bool(values) and not any(goal.strip() for goal in unmet))
