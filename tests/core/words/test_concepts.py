"""The pages of Help, as data."""

import re

from toolplanner_core.words.glossary import concepts, explain_concept


def test_concepts_when_read_then_each_begins_with_one_sentence() -> None:
    found = concepts()
    assert len(found) >= 15
    for each in found:
        assert each.title and each.sentence.endswith(".")
        assert each.sentence.count(". ") == 0, each.id
        assert len(each.sentence) < 140


def test_links_when_followed_then_they_lead_to_concepts() -> None:
    there_are = {each.id for each in concepts()}
    links = {link for each in concepts() for link in re.findall(r"\]\(([^)]*)\)", each.text)}
    assert links
    assert links <= there_are
    assert explain_concept("fit").startswith("How alike")
