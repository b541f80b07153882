"""Clauses of a query."""

from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.retrieval.hybrid import MAX_CLAUSES, split_sentences


def split_clauses(text: str) -> list[str]:
    """All of the sentences and parts but the query itself."""
    found = [each for sentence in split_sentences(text) for each in sentence]
    return [each for each in found if each != text.strip()]


def test_clauses_when_query_is_one_need_then_there_are_none() -> None:
    assert split_clauses("What is the weather in Paris?") == []


def test_clauses_when_query_has_sentences_and_parts_then_all_are_listed() -> None:
    assert split_clauses("I travel to Rome. Find me a hotel, and tell me the exchange rate.") == [
        "I travel to Rome.",
        "Find me a hotel, and tell me the exchange rate.",
        "Find me a hotel",
        "tell me the exchange rate.",
    ]


def test_clauses_when_words_are_only_listed_then_they_are_no_clauses() -> None:
    assert "pears" not in split_clauses("Buy apples, pears and plums. Then cook them for me.")


@given(st.text())
def test_clauses_when_given_anything_then_few_and_never_empty(text: str) -> None:
    clauses = split_clauses(text)
    assert len(clauses) <= MAX_CLAUSES
    assert all(clause.strip() for clause in clauses)
    assert text.strip() not in clauses
    sentences = split_sentences(text)
    texts = [each for sentence in sentences for each in sentence]
    assert len(set(texts)) == len(texts)
    assert all(part in sentence[0] for sentence in sentences for part in sentence)


def test_sentences_when_there_are_many_then_the_first_with_their_parts() -> None:
    text = " ".join(f"Find me hotel {n}, and tell me the price." for n in range(9))
    assert split_sentences(text) == [
        [f"Find me hotel {n}, and tell me the price.", f"Find me hotel {n}"]
        + (["tell me the price."] if n == 0 else [])
        for n in range(3)
    ] + [["Find me hotel 3, and tell me the price."]]
