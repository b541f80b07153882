"""Names of every style as words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.words.word_splitting import (
    identifier_words,
    search_form,
    split_words,
    words,
    words_of_path,
    words_of_title,
)


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


def test_words_when_a_script_has_vowel_signs_then_they_stay_parts_of_words():
    for word in ("தமிழ்", "हिन्दी", "ที่นี่", "বাংলা", "עִבְרִית"):
        assert split_words(f"get_{word}-{word}") == f"get {word} {word}"
        assert list(words(f"{word} {word}.")) == [[word, word]]
        assert list(identifier_words(f"get_{word}")) == [["get", word]]


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
