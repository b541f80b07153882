"""What is typed to find runs: words stay words, fields become filters, wrong values are said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.errors import BadInput
from toolplanner_core.runs.searching.query import FIELDS, parse_run_query
from toolplanner_core.workspace.run_search import AmountFilter, RunFilters


def test_query_when_it_holds_words_and_fields_then_both_are_taken_apart() -> None:
    words, filters = parse_run_query(
        'petrol status:Solved "near me" toolkit:"Fuel prices" cost>.01'
    )
    assert words == 'petrol "near me"'
    assert filters == RunFilters(
        status="solved", toolkit="Fuel prices", amounts=(AmountFilter("cost", ">", 0.01),)
    )


def test_query_when_amounts_are_compared_then_all_marks_are_read() -> None:
    _, filters = parse_run_query("tokens<=5 fallbacks>=1 replans:0 cost<2 cost=1")
    assert filters.amounts == (
        AmountFilter("tokens", "<=", 5.0),
        AmountFilter("fallbacks", ">=", 1.0),
        AmountFilter("replans", "=", 0.0),
        AmountFilter("cost", "<", 2.0),
        AmountFilter("cost", "=", 1.0),
    )


def test_query_when_dates_are_given_then_since_is_before_before() -> None:
    _, filters = parse_run_query("since:2026-11-01 before:2026-12-01T10:30")
    assert filters.since_us is not None and filters.before_us is not None
    assert filters.since_us < filters.before_us


@pytest.mark.parametrize(
    "text",
    [
        "http://a.b/c",
        "note: x",
        "a:b",
        "x>3",
        '"status:solved"',
        '"near status:solved me"',
        "error: timeout",
        "cost >",
    ],
)
def test_query_when_a_colon_names_no_field_then_it_is_a_word(text: str) -> None:
    assert parse_run_query(text) == (text, RunFilters())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("status:bogus", "solved"),
        ("error:bogus", "timeout"),
        ("cost>x", "number"),
        ("cost>nan", "number"),
        ("status>solved", "compared"),
        ("since:yesterday", "date"),
    ],
)
def test_query_when_a_value_does_not_fit_then_says_what_would(text: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_run_query(text)
    assert said in caught.value.sentence


@given(st.text() | st.tuples(st.sampled_from(FIELDS), st.text()).map(":".join))
def test_query_when_text_is_anything_then_parsed_or_refused(text: str) -> None:
    try:
        words, _ = parse_run_query(text)
    except BadInput:
        return
    assert set(words.split()) <= set(text.split())
