"""Cutting documentation into words and phrases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.curation.naming.phrase_cutting import (
    action_stem,
    first_sentences,
    phrases,
    plain,
)
from toolplanner_core.words.word_splitting import words


def phrases_of(text: str) -> list[str]:
    return [" ".join(phrase) for phrase in phrases(words(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Get the latest exchange rates for a currency", ["exchange rates", "currency"]),
        ("Returns a list of all crypto prices.", ["crypto prices"]),
        ("Find real estate with the real price", ["real estate", "price"]),
        ("Verify email addresses", ["email addresses verification"]),
        ("Obtener el pronóstico del tiempo", ["pronóstico", "tiempo"]),
        ("都市の天気予報を取得します", ["都市 天気予報 取得"]),
    ],
)
def test_phrases_when_text_is_documentation_then_its_things_are_left(
    text: str, expected: list[str]
) -> None:
    assert phrases_of(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rates", "rate"),
        ("currencies", "currency"),
        ("boxes", "box"),
        ("verify", "verification"),
        ("OpenSea's", "opensea"),
    ],
)
def test_stem_when_forms_of_one_word_then_same_key(one: str, other: str) -> None:
    assert action_stem(one) == action_stem(other)


def test_plain_when_text_has_markup_then_it_is_gone() -> None:
    text = (
        "<b>Get</b> **rates** from [our site](https://x.example/a) or https://y.example &amp; {id}"
    )
    assert " ".join(plain(text).split()) == "Get rates from our site or &"


def test_first_sentences_when_text_is_long_then_cut_between_sentences() -> None:
    text = "One short sentence. Another short one. " + "word " * 100
    assert first_sentences(text, most=50) == "One short sentence. Another short one."


def test_first_sentences_when_the_first_is_too_long_then_cut_at_a_word() -> None:
    found = first_sentences("word " * 100, most=50)
    assert len(found) <= 51
    assert found.endswith("word…")


@given(st.text(max_size=200))
def test_words_when_text_is_anything_then_nothing_breaks(text: str) -> None:
    for phrase in phrases(words(plain(text))):
        assert phrase
        assert all(action_stem(word) for word in phrase)
    assert len(first_sentences(plain(text), most=40)) <= 41
