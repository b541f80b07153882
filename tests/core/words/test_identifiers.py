"""Names of every style as words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.words.identifiers import (
    search_form,
    split_words,
    words_of_path,
    words_of_title,
)
from toolplanner_core.words.stretches import identifier_words, words


def test_words_when_split_then_styles_come_apart():
    assert split_words("getUserById_v2-now") == "get User By Id v2 now"
    assert split_words("HTTPServer userIDs") == "HTTPServer userIDs"
    assert split_words("HTTPServer_userIDs") == "HTTP Server user IDs"
    assert split_words("Send WhatsApp message") == "Send WhatsApp message"
    assert words_of_title("YouTube") == "YouTube"
    assert words_of_title("FreePlanWithLimit") == "Free Plan With Limit"
    assert words_of_path("/api/v1.2/users/{id}") == "api users by id"
    assert words_of_path("/v1") == "v1"
    assert search_form("getUser") == "getUser get User"
    assert search_form("get_user") == "get_user"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("getExchangeRates", "get Exchange Rates"),
        ("/v1/exchange-rates/{base}", "v 1 exchange rates base"),
        ("YouTube search", "YouTube search"),
        ("SMSDelivery_report", "SMS Delivery report"),
    ],
)
def test_identifier_words_when_taken_apart_then_words_people_know(name: str, expected: str) -> None:
    found = identifier_words(name, frozenset({"youtube"}))
    assert " ".join(word for run in found for word in run) == expected


@given(st.text(max_size=200))
def test_words_when_text_is_anything_then_no_stretch_is_empty(text: str) -> None:
    for run in (*words(text), *identifier_words(text)):
        assert run
        assert all(run)
