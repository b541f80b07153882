"""Clauses of a query."""

from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.retrieval.hybrid import MAX_CLAUSES, split_clauses


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
