"""How the offline planner fills arguments."""

from dataclasses import replace
from typing import Any

import pytest
from fixtures.fill_cases import CASES
from fixtures.question_samples import FILL, LAT_LON, NOW, api_card, failure, result
from fixtures.schema_notation import parameters
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.llm.offline.argument_filling import fill_arguments
from toolplanner_core.prompts.fill_arguments import Arguments, FillArguments


def ask(query: str, line: str, *, goal: str = "", **changes: Any) -> Arguments:
    """The planner's parsed answer."""
    question = FillArguments(
        query=query,
        goal=goal or query,
        api=api_card(parameters(line)),
        results=changes.get("results", ()),
        failures=changes.get("failures", ()),
        now=NOW,
    )
    data = fill_arguments(question)
    Draft202012Validator(question.schema()).validate(data)
    return question.parse(data)


@pytest.mark.parametrize(("query", "line", "expected"), CASES)
def test_fill_when_asked_naturally_then_as_a_reader_would(
    query: str, line: str, expected: dict[str, Any]
) -> None:
    answer = ask(query, line)
    assert answer.values == expected
    required = {part.partition("*")[0].strip() for part in line.split(";") if "*" in part}
    assert set(answer.missing) == required - set(expected)


def test_cases_when_counted_then_at_least_eighty() -> None:
    assert len(CASES) >= 80


def test_fill_when_goal_says_there_then_coordinates_are_bound_to_the_result() -> None:
    answer = ask("the weather there", "lat*:number; lon*:number", results=(result(),))
    assert answer.refs == {
        "lat": ResultRef(step=1, path=("places", 0, "latitude")),
        "lon": ResultRef(step=1, path=("places", 0, "longitude")),
    }


def test_fill_when_two_places_were_found_then_bound_to_the_one_of_the_goal() -> None:
    found = tuple(
        result(step=step, goal=f"Find the coordinates of {place}")
        for step, place in enumerate(("Paris", "Berlin"), start=1)
    )
    for step, place in enumerate(("Paris", "Berlin"), start=1):
        goal = f"air quality in {place}"
        answer = ask("air in Paris and Berlin", "lat*:number", goal=goal, results=found)
        assert answer.refs["lat"].step == step
        point = ask(
            "q", "ll*:string latitude,longitude", goal=f"map of that {place}", results=found
        )
        assert point.values == {"ll": "45.76,4.84"}


def test_fill_when_point_is_one_text_then_put_together_from_the_result() -> None:
    answer = ask("map of that place", "ll*:string latitude,longitude", results=(result(),))
    assert answer.values == {"ll": "45.76,4.84"}


def test_fill_when_result_names_the_place_then_bound() -> None:
    capital = result(value={"country": "Japan", "capital": {"city": "Tokyo"}}, goal="capital")
    answer = ask("the weather there", "city*:string Name of the city", results=(capital,))
    assert answer.refs == {"city": ResultRef(step=1, path=("capital", "city"))}


def test_fill_when_capital_was_found_then_bound_instead_of_the_country() -> None:
    found = result(value={"country": "Japan", "capital": "Tokyo"}, goal="capital of Japan")
    answer = ask(
        "What is the capital of Japan and the weather there?",
        "city*:string Name of the city",
        goal="the weather there",
        results=(found,),
    )
    assert answer.refs == {"city": ResultRef(step=1, path=("capital",))}


def test_fill_when_result_repeats_less_than_the_query_then_the_fuller_place() -> None:
    answer = ask(
        "zip codes of Springfield, Illinois and gas prices there",
        "location*:string City and state",
        goal="gas prices there",
        results=(result(value={"city": "Springfield", "zip_codes": ["62701"]}),),
    )
    assert answer.values == {"location": "Springfield, Illinois"}


def test_fill_when_query_has_its_own_place_then_results_do_not_override_it() -> None:
    answer = ask(
        "the time in Tokyo", "city*:string City", results=(result(value={"city": "Lyon"}),)
    )
    assert answer.values == {"city": "Tokyo"}


def test_fill_when_list_and_goal_says_cheapest_then_that_element() -> None:
    shops = {"stations": [{"id": "a", "price": 3.4}, {"id": "b", "price": 3.1}]}
    answer = ask(
        "details of the cheapest station", "station_id*:string", results=(result(value=shops),)
    )
    assert answer.refs == {"station_id": ResultRef(step=1, path=("stations", 1, "id"))}


def test_fill_when_list_and_goal_names_one_then_that_element() -> None:
    towns = [{"name": "Paris", "zip": "75001"}, {"name": "Lyon", "zip": "69001"}]
    answer = ask("petrol at its zip in Lyon", "zip*:string", results=(result(value=towns),))
    assert answer.refs == {"zip": ResultRef(step=1, path=(1, "zip"))}


def test_fill_when_list_and_goal_has_a_date_then_that_day() -> None:
    days = [{"date": "2026-12-24", "id": "eve"}, {"date": "2026-12-25", "id": "day"}]
    found = result(value=days)
    answer = ask(
        "events of that holiday on 25 December 2026", "holiday_id*:string", results=(found,)
    )
    assert answer.refs == {"holiday_id": ResultRef(step=1, path=(1, "id"))}


def test_fill_when_carrier_stands_in_the_result_then_bound_beside_the_number() -> None:
    found = result(value={"carrier": "UPS", "carrier_code": "ups"}, goal="which carrier")
    answer = ask(
        "Which carrier has 1Z999AA10123456784, and where is that parcel?",
        "tracking_number*:string; carrier_code*:string",
        goal="where is that parcel",
        results=(found,),
    )
    assert answer.refs == {"carrier_code": ResultRef(step=1, path=("carrier_code",))}
    assert answer.values == {"tracking_number": "1Z999AA10123456784"}


def test_fill_when_type_differs_then_value_is_converted_instead_of_bound() -> None:
    answer = ask("weather there", "lat*:number", results=(result(value={"lat": "45.5"}),))
    assert (answer.values, answer.refs) == ({"lat": 45.5}, {})


def test_fill_when_context_sentence_has_the_place_then_shared() -> None:
    answer = ask(
        "I am in Oslo. How is the weather? Also convert 5 EUR to USD.",
        "city*:string City",
        goal="How is the weather",
    )
    assert answer.values == {"city": "Oslo"}


def test_fill_when_two_places_then_the_one_of_the_need() -> None:
    query = "the weather in Paris and the time in Tokyo"
    assert ask(query, "city*:string", goal="the time in Tokyo").values == {"city": "Tokyo"}
    assert ask(query, "city*:string", goal="the weather in Paris").values == {"city": "Paris"}


def test_fill_when_value_was_refused_then_the_other_form_is_tried() -> None:
    line = "country*:string Country"
    assert ask("holidays in Germany", line).values == {"country": "Germany"}
    refused = replace(
        failure(error=ErrorClass.INVALID_PARAMETER),
        api_title=api_card({}).title,
        arguments={"country": "Germany"},
        message="country must be a code",
    )
    assert ask("holidays in Germany", line, failures=(refused,)).values == {"country": "DE"}


def test_fill_when_default_is_documented_then_only_required_get_it() -> None:
    schema = {
        "type": "object",
        "properties": {
            "order": {"type": "string", "default": "asc"},
            "depth": {"type": "integer", "default": 3},
        },
        "required": ["order"],
    }
    question = replace(FILL, query="list them", goal="list them", api=api_card(schema), results=())
    assert question.parse(fill_arguments(question)).values == {"order": "asc"}


def test_fill_when_key_is_wanted_then_never_taken_from_text() -> None:
    answer = ask("use 'abc123' to get the weather in Lyon", "api_key*:string; city*:string")
    assert answer.missing == ("api_key",)


def test_fill_when_boolean_is_named_then_true_or_false() -> None:
    line = "q*:string City; include_alerts:boolean; hourly:boolean"
    assert ask("weather in Lyon with alerts", line).values == {"q": "Lyon", "include_alerts": True}
    assert ask("weather in Lyon without alerts", line).values["include_alerts"] is False


def test_fill_when_asked_again_then_the_same() -> None:
    question = replace(FILL, goal="weather there tomorrow")
    first = fill_arguments(question)
    for _ in range(5):
        assert fill_arguments(question) == first


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=15,
)
_NAMES = st.sampled_from(
    [
        "lat",
        "lon",
        "city",
        "from",
        "to",
        "amount",
        "date",
        "q",
        "id",
        "limit",
        "units",
        "lang",
        "zip",
        "symbol",
    ]
)
_SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "number", "integer", "boolean", "array", "object", "x"])
        | JSON,
        "enum": st.lists(JSON, max_size=4) | JSON,
        "default": JSON,
        "description": st.text(max_size=20) | JSON,
        "minimum": JSON,
        "maxLength": JSON,
        "pattern": st.text(max_size=5) | JSON,
        "format": st.sampled_from(["date", "date-time", "email", "uri"]) | JSON,
        "items": JSON,
        "examples": JSON,
    },
)
_QUERIES = st.text(max_size=60) | st.sampled_from([case[0] for case in CASES])


@settings(max_examples=300, deadline=None)
@given(
    query=_QUERIES,
    properties=st.dictionaries(_NAMES | st.text(max_size=6), _SCHEMAS, max_size=5) | JSON,
    required=st.lists(_NAMES, max_size=4) | JSON,
    value=JSON,
)
def test_fill_when_schema_and_result_are_anything_then_answer_always_parses(
    query: str, properties: Any, required: Any, value: Any
) -> None:
    question = FillArguments(
        query=query,
        goal=query,
        api=api_card({"type": "object", "properties": properties, "required": required}),
        results=(result(value=value), result(step=2)),
        failures=(failure(),),
        now=NOW,
    )
    assert isinstance(question.parse(fill_arguments(question)), Arguments)


def test_lat_lon_schema_when_result_has_none_then_missing() -> None:
    question = replace(FILL, results=(), query="weather", goal="weather", api=api_card(LAT_LON))
    assert question.parse(fill_arguments(question)).missing == ("lat", "lon")
