"""Which queries ask for a change."""

import pytest

from toolplanner_core.words.asked_changes import asked_change


@pytest.mark.parametrize(
    ("query", "verb"),
    [
        ("Save a note with the text buy milk", "save"),
        ("Please delete all drafts", "delete"),
        ("I want to send an SMS to Kim", "send"),
        ("Find petrol near Springfield and save the result", "save"),
        ("List my notes, then remove the first. Thanks", "remove"),
        ("What is on my list? Cancel my subscription", "cancel"),
    ],
)
def test_change_when_a_part_of_the_query_begins_with_it_then_its_verb(
    query: str, verb: str
) -> None:
    assert asked_change(query) == verb


@pytest.mark.parametrize(
    "query",
    [
        "",
        "Send me the list of notes",
        "Change 250 EUR into USD",
        "Update me on the weather in Oslo",
        "Save-A-Lot near me",
        "Book titles by Tolkien",
        "Create a QR code of this text",
        "Which notes did I save?",
        "Remove.bg alternatives",
        "Order the list by price",
        "Guarda una nota con el texto comprar leche",
    ],
)
def test_change_when_none_is_asked_for_then_none(query: str) -> None:
    assert asked_change(query) == ""
