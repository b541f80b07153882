"""Stems: what the forms of a word have in common; and the words of a query."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer

from toolplanner_core.words.stems import singular, stem
from toolplanner_core.words.stop_words import MAX_TERMS, search_terms


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("rates", "rate"), ("stories", "story"), ("ties", "tie"), ("gas", "gas"),
        ("class", "class"), ("status", "status"), ("analysis", "analysis"), ("boxes", "boxe"),
    ],
)  # fmt: skip
def test_singular_when_word_is_plural_then_as_stored_vectors_count_it(
    word: str, expected: str
) -> None:
    assert singular(word) == expected


@pytest.mark.parametrize(
    "forms", ["generate generated generation generator", "Rate rates rate's", "verify verifies"]
)
def test_stem_when_words_are_forms_of_one_then_same(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1


def test_stem_when_word_is_not_english_then_it_stays() -> None:
    assert [stem(word) for word in ("天气", "gps", "")] == ["天气", "gps", ""]


def test_stem_when_asked_from_many_threads_then_answers_agree() -> None:
    words = [
        f"{first}{second}{n}"
        for first in "abcd"
        for second in ("ending", "ation")
        for n in range(400)
    ]
    alone = snowballstemmer.stemmer("english")
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(stem, words))
    finally:
        sys.setswitchinterval(interval_s)
    assert found == [alone.stemWord(word) for word in words]


def test_terms_when_some_words_say_nothing_then_they_are_left_out() -> None:
    assert search_terms("What is the Weather in PARIS, the weather?") == ["weather", "paris"]


def test_terms_when_all_words_say_nothing_then_they_are_kept() -> None:
    assert search_terms("what is it") == ["what", "is", "it"]


def test_terms_when_text_is_a_page_then_they_are_capped() -> None:
    assert len(search_terms(" ".join(f"word{i}" for i in range(1000)))) == MAX_TERMS
