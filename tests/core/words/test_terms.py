"""What words of the window mean: one sentence each, the page of Help where there is one."""

import pytest

from toolplanner_core.words.glossary import TERMS, concepts, explain_concept, explain_term


@pytest.mark.parametrize("word", TERMS)
def test_term_when_explained_then_in_one_short_sentence(word: str) -> None:
    said = explain_term(word)
    assert said.endswith(".")
    assert said.count(". ") == 0
    assert len(said) < 140


def test_word_when_it_has_a_page_then_its_sentence_counts_in_the_plural_too() -> None:
    assert explain_term("Toolkits") == explain_term("toolkit") == explain_concept("toolkit")
    assert explain_term("Name") == ""
    # A second explanation of a concept would drift away from its page.
    assert {each.title.casefold() for each in concepts()}.isdisjoint(map(str.casefold, TERMS))


def test_how_points_lie_when_explained_then_it_does_not_promise_that_they_follow_edits() -> None:
    assert "edits move no point" in explain_term("placed with its toolkit")
